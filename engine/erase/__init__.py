"""The right to be forgotten: a name, messages or a text go from every place of a data folder, and don't come back."""
