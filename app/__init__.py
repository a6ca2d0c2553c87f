"""Everything that a person sees: command line, screens, messages."""
