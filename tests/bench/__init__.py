"""Figures with their conditions: commands, never assertions of the test suite."""
