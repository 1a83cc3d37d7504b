"""Datasets: connected once, read-only, and asked with structured queries that never become text of a caller's."""
