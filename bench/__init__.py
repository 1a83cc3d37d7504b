"""Benchmarks against peers. Every figure is a ratio of two things measured in turn in one run; see scripts/bench."""
