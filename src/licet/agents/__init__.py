"""Loops over the corridor. An agent holds no tool: it asks, and reads what came back as data."""
