"""LiteLLM: a configuration whose boundary is that of the profile contract, and a linter for one that is there."""
