"""``licet tools --dialect``: what goes over one provider's wire, and what of the registered schemas does not."""

import argparse
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError

if TYPE_CHECKING:
    from ..model.tool import Offered, ToolSpec

DIALECTS = ("openai_chat", "openai_responses", "anthropic", "gemini", "bedrock", "mistral", "ollama", "mcp")


def require_known(dialect: str) -> None:
    """Raises ConfigurationError: there is no such dialect."""
    if dialect not in DIALECTS:
        raise ConfigurationError(f"--dialect {dialect!r} is none; use one of {', '.join(DIALECTS)}")


def show(
    dialect: str,
    tools: "Iterable[ToolSpec | Offered]",
    *,
    json: bool,
    chosen: Mapping[str, str],
    beside: Mapping[str, Any],
) -> None:
    """The wire of some tools and its losses. ``beside`` is what a document says besides.

    Raises:
        ConfigurationError: a chosen name is not legal.
    """
    from ..model.names import short
    from . import output

    made = import_module(f"..dialects.{dialect}", __package__).compile(tools, chosen=chosen)
    losses = [{**loss._asdict(), "tool": short(loss.tool)} for loss in made.losses]
    refused = {short(name): told for name, told in made.refused.items()}
    if json:
        names = {wire: short(name) for wire, name in made.names.offered.items()}
        output.document(
            {"dialect": dialect, **beside, "tools": made.tools, "names": names, "losses": losses, "refused": refused}
        )
        return
    output.document(made.tools)
    if losses:
        output.line()
        rows = [(loss["tool"], loss["path"] or "-", loss["keyword"], loss["became"]) for loss in losses]
        output.table(("tool", "where", "keyword", "became"), rows, whole=("tool", "keyword"))
    for name, told in refused.items():
        output.say(f"licet: {name} is not offered: {told}")
    output.say(_summary(dialect, len(made.names.offered), losses))


def names_of(arguments: argparse.Namespace, dialect: str) -> Mapping[str, str]:
    """An agent's own names, under which its tools are served; a model is shown the usual ones.

    Raises:
        ConfigurationError: the configuration is not trusted or wrong, or has no such agent.
    """
    from .configured import agent_named, configured

    if dialect != "mcp":
        return {}
    return agent_named(configured(arguments.config).project, arguments.agent).names


def _summary(dialect: str, offered: int, losses: "list[dict[str, Any]]") -> str:
    tools = f"{offered} tool{'' if offered == 1 else 's'}"
    if not losses:
        return f"licet: {tools} in the dialect {dialect}; every schema goes over as it is registered"
    touched = len({loss["tool"] for loss in losses})
    return (
        f"licet: {tools} in the dialect {dialect}; {touched} with a schema that goes over otherwise than it is "
        "registered, and calls are judged by what is registered"
    )


__all__ = ["DIALECTS", "names_of", "require_known", "show"]
