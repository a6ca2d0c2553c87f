"""What an archive of a given size will ask of its machines, told from what was measured at smaller ones."""
