"""Reads what Discourse gives."""
