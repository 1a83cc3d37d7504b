"""``licet tools``: what is registered, and what a principal would see of it."""

import argparse
from typing import TYPE_CHECKING, Any

from . import configured, principal
from .exits import DONE

if TYPE_CHECKING:
    from ..model.tool import Offered, ToolSpec
    from ..runtime.explain import Explanation


def configure(parser: argparse.ArgumentParser) -> None:
    principal.configure(parser)
    configured.add_options(parser)
    parser.add_argument(
        "--dialect",
        metavar="NAME",
        help="the tools as a model's provider is told of them, and what is lost on the way: openai_chat, "
        "openai_responses, anthropic, gemini, bedrock, mistral, ollama or mcp",
    )
    parser.add_argument("--json", action="store_true", help="one JSON document, with descriptions and whole schemas")
    parser.epilog = "example: licet tools --grant group:read_only_builtins --root ."


def run(arguments: argparse.Namespace) -> int:
    from . import output, wire

    if arguments.dialect is not None:
        wire.require_known(arguments.dialect)
    if configured.is_asked_for(arguments):
        return _of_agent(arguments)
    registered = principal.registered_from(arguments)
    specs = principal.specs_of(registered)
    who = principal.principal_from(arguments, specs)
    runtime = principal.runtime_over(registered, approver=principal.terminal_approver())
    try:
        if arguments.dialect is not None:
            shown: list[ToolSpec | Offered] = [*runtime.tools_for(who), *runtime.hosted_for(who)]
            wire.show(
                arguments.dialect,
                shown if arguments.grant else specs,
                json=arguments.json,
                chosen={},
                beside={},
            )
            if not arguments.grant:
                output.say("licet: nothing is granted; with --grant NAME it is what a principal with that grant sees")
            return DONE
        judged = [(spec, runtime.why(who, spec.name)) for spec in specs]
    finally:
        runtime.close()
    if arguments.json:
        output.document([_told(spec, explained) for spec, explained in judged])
        return DONE
    _show(judged)
    if not arguments.grant:
        output.say("licet: nothing is granted; --grant NAME shows what a principal with that grant would see")
    return DONE


def _of_agent(arguments: argparse.Namespace) -> int:
    """The tools of an agent's servers and licet's own, and how each server is."""
    from . import output
    from .agent import AtWork, with_agent

    if arguments.dialect is not None:
        return _of_agent_on_the_wire(arguments)

    async def looked(at: AtWork) -> tuple[AtWork, "list[tuple[ToolSpec, Explanation]]"]:
        return at, [(spec, at.runtime.why(at.principal, spec.name)) for spec in at.runtime.specs()]

    at, judged = with_agent(arguments, looked, approver=principal.terminal_approver())
    if arguments.json:
        tools = [_told(spec, explained) for spec, explained in judged]
        output.document({"agent": at.agent, "servers": [line._asdict() for line in at.report], "tools": tools})
    else:
        _show(judged)
    return DONE


def _of_agent_on_the_wire(arguments: argparse.Namespace) -> int:
    """What a model of the agent is told of: its tools, and those that a provider runs itself."""
    from . import wire
    from .agent import AtWork, with_agent

    async def looked(at: AtWork) -> "tuple[AtWork, list[ToolSpec | Offered]]":
        called = [*at.runtime.tools_for(at.principal), *await at.runtime.resolved_for(at.principal)]
        return at, [*called, *at.runtime.hosted_for(at.principal)]

    at, shown = with_agent(arguments, looked, approver=principal.terminal_approver())
    beside = {"agent": at.agent, "servers": [line._asdict() for line in at.report]}
    chosen = wire.names_of(arguments, arguments.dialect)
    wire.show(arguments.dialect, shown, json=arguments.json, chosen=chosen, beside=beside)
    return DONE


def _show(judged: "list[tuple[ToolSpec, Explanation]]") -> None:
    from . import output

    if output.on_terminal():
        for spec, explained in judged:
            _card(spec, explained)
    else:
        _table(judged)


def _card(spec: "ToolSpec", explained: "Explanation") -> None:
    """A tool in three lines: how to call it, what it is for, and its facts."""
    from ..model.names import short
    from . import facts
    from .output import Styled, styled_line

    described = spec.description.strip().partition("\n")[0]
    told = [facts.asks(spec), facts.timer(spec), spec.source, spec.group or ""]
    styled_line(Styled(short(spec.name), "bold"), Styled(f"  {facts.parameters(spec)}", "cyan"))
    if described:
        styled_line(described, indent=4)
    styled_line(
        Styled(facts.effect(spec), _effect_style(spec)),
        Styled(", ".join(["", *filter(None, told)]), "dim"),
        "; ",
        Styled(*_listed(explained)),
        indent=4,
    )


def _table(judged: "list[tuple[ToolSpec, Explanation]]") -> None:
    from ..model.names import short
    from . import facts, output

    rows = [
        (
            short(spec.name),
            facts.effect(spec),
            facts.asks(spec) or "-",
            facts.timeout(spec),
            spec.source,
            spec.group or "-",
            _listed(explained)[0],
            facts.parameters(spec) or "-",
        )
        for spec, explained in judged
    ]
    output.table(("tool", "effect", "asks", "timeout", "source", "group", "listed", "arguments"), rows)


def _effect_style(spec: "ToolSpec") -> str:
    return "green" if spec.capabilities.read_only else "yellow"


def _listed(explained: "Explanation") -> tuple[str, str]:
    if explained.denial is None:
        return "listed", "green"
    return f"not listed: {explained.denial.code}", "dim"


def _told(spec: "ToolSpec", explained: "Explanation") -> dict[str, Any]:
    from ..model.json_object import JsonObject
    from ..model.names import short

    schema = JsonObject.of(spec.input_schema).copy()
    returns = None if spec.output_schema is None else JsonObject.of(spec.output_schema).copy()
    flags = spec.capabilities
    return {
        "name": short(spec.name),
        "canonical": spec.name,
        "title": spec.title,
        "description": spec.description,
        "source": spec.source,
        "group": spec.group,
        "category": spec.category,
        "read_only": flags.read_only,
        "writes": flags.writes,
        "asks": flags.asks,
        "idempotent": flags.idempotent,
        "checkpointable": flags.checkpointable,
        "inline": spec.execution.inline,
        "mode": spec.execution.mode,
        "timeout_s": spec.execution.timeout_s,
        "path_access": spec.path_access,
        "path_arguments": list(spec.path_arguments),
        "schema_inferred": spec.schema_inferred,
        "input_schema": schema,
        "output_schema": returns,
        "listed": explained.allowed,
        "code": None if explained.denial is None else explained.denial.code,
    }


__all__ = ["configure", "run"]
