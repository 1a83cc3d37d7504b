"""The tools of a principal, as langchain takes them."""
