"""Measures retrieval: questions with known answers, named configurations, figures with their conditions."""
