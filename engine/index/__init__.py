"""The two indexes, caches of the store."""
