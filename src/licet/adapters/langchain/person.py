"""How a tool in a graph asks a person: LangGraph's interrupt, in the words of LangChain's own middleware for it."""

from typing import Any


def approves(name: str, arguments: Any, why: str) -> bool:
    """Interrupt the graph, and say what it is resumed with. Outside a graph nobody can be asked.

    The request and the answer have the shape of ``HumanInTheLoopMiddleware``: one action to review, and
    ``{"decisions": [{"type": "approve"}]}``. Any other answer is no, an edited call included: it would be another one.

    Raises:
        GraphInterrupt: the graph is to ask, and to come back.
    """
    try:
        from langgraph.types import interrupt
    except ModuleNotFoundError:
        return False
    try:
        said = interrupt(
            {
                "action_requests": [{"name": name, "args": arguments, "description": why}],
                "review_configs": [{"action_name": name, "allowed_decisions": ["approve", "reject"]}],
            }
        )
    except (KeyError, RuntimeError):
        return False  # this is no node of a graph
    return _is_yes(said)


def _is_yes(said: Any) -> bool:
    decisions = said.get("decisions") if isinstance(said, dict) else None
    if not isinstance(decisions, list) or len(decisions) != 1 or not isinstance(decisions[0], dict):
        return False
    return decisions[0].get("type") == "approve"


__all__ = ["approves"]
