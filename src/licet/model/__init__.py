"""Immutable facts. Imports the standard library and ``licet.errors`` only; no I/O, no clock, nothing that runs."""
