"""Measures retrieval and answers."""
