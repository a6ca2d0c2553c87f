"""Screens: one module a page."""
