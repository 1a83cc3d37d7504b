"""Monte Carlo over named variables and an objective that is parsed, not run as code."""
