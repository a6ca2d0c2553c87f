"""Loads models."""
