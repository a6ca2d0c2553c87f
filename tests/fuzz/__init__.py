"""Hostile input: what the readers do with bytes that nobody honest would send."""
