"""The tools of a principal, as openai_agents takes them."""
