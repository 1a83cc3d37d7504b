"""The tools of a principal, as pydantic_ai takes them."""
