"""What a model was asked and said, as a ledger holds it. Nothing here asks a model, or reaches a tool."""

from .retold import Retold, retold, retold_by_agent

__all__ = ["Retold", "retold", "retold_by_agent"]
