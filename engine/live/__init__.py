"""Keeps an archive in step with a live forum: what it fetches, how it notices edits and deletions."""
