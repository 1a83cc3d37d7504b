"""``licet profile show`` and ``licet profile diff``: what the contract says of profiles. Reads nothing else."""

import argparse
from typing import TYPE_CHECKING, Any

from .exits import DONE, FOUND

if TYPE_CHECKING:
    from ..profiles.terms import EngineTool, Profile

_EPILOG = """show: 0; 2 there is no such profile.
diff: 0 the profiles are alike; 1 they differ; 2 there is no such profile."""


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="part", metavar="PART", required=True)
    show = parts.add_parser("show", help="the tools of a profile, or of all of them, and what no model may set")
    show.add_argument("name", nargs="?", metavar="NAME", help="observe, govern, execute or full; without it all")
    diff = parts.add_parser("diff", help="what the second profile has more or less than the first")
    diff.add_argument("first", metavar="A", help="a profile")
    diff.add_argument("second", metavar="B", help="another")
    for part in (show, diff):
        part.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = _EPILOG


def run(arguments: argparse.Namespace) -> int:
    return _diff(arguments) if arguments.part == "diff" else _show(arguments)


def _show(arguments: argparse.Namespace) -> int:
    from ..profiles.terms import shipped
    from . import output

    contract = shipped()
    chosen = list(contract.profiles.values()) if arguments.name is None else [contract.profile(arguments.name)]
    tools = [tool for tool in contract.tools.values() if any(held.has(tool.name) for held in chosen)]
    if arguments.json:
        output.document(
            {
                "contract_version": contract.version,
                "prefix": contract.prefix,
                "pattern": contract.pattern,
                "never_model_facing": list(contract.never_model_facing),
                "profiles": {held.name: _profile_told(held) for held in chosen},
                "tools": [_tool_told(tool) for tool in tools],
            }
        )
        return DONE
    columns = ("tool", "flat name", "category", "read-only", "safety-critical", "profiles", "never model-facing")
    output.table(columns, (_row(tool) for tool in tools), whole=("tool",))
    for held in chosen:
        output.say(f"licet: {_in_words(held)}")
    return DONE


def _diff(arguments: argparse.Namespace) -> int:
    from ..profiles.terms import profile
    from . import output

    first, second = profile(arguments.first), profile(arguments.second)
    gone, come = _more(first, second), _more(second, first)
    if arguments.json:
        output.document(
            {
                "removes": gone,
                "adds": come,
                "mode": [first.mode, second.mode],
                "requires": [list(first.requires), list(second.requires)],
            }
        )
    else:
        for sign, names, style in (("-", gone, "red"), ("+", come, "green")):
            for name in names:
                output.styled_line(output.Styled(f"{sign} {name}", style))
        if first.mode != second.mode:
            output.line(f"mode: {first.mode} -> {second.mode}")
        for need in second.requires if first.requires != second.requires else ():
            output.line(f"the engine requires: {need}")
    return DONE if first == second else FOUND


def _more(one: "Profile", other: "Profile") -> list[str]:
    """What one profile has and the other has not; ``*`` is whatever else an engine offers."""
    from ..profiles.terms import shipped

    listed = [tool for tool in shipped().tools if one.has(tool) and not other.has(tool)]
    return [*listed, *(["*"] if one.is_full and not other.is_full else [])]


def _row(tool: "EngineTool") -> tuple[str, ...]:
    from ..profiles.flat import flat_name

    return (
        tool.name,
        flat_name(tool.name),
        tool.category,
        _word(tool.read_only),
        _word(tool.safety_critical),
        " ".join(_profiles_of(tool)),
        " ".join(_never(tool)) or "-",
    )


def _word(flag: bool) -> str:
    return "yes" if flag else "no"


def _profiles_of(tool: "EngineTool") -> list[str]:
    from ..profiles.terms import shipped

    return [held.name for held in shipped().profiles.values() if held.has(tool.name)]


def _never(tool: "EngineTool") -> list[str]:
    """The contract's fields, at the tool whose arguments they are; no other tool's schema may name them either."""
    from ..profiles.terms import shipped

    return list(shipped().never_model_facing) if tool.safety_critical else []


def _tool_told(tool: "EngineTool") -> dict[str, Any]:
    from ..profiles.flat import flat_name

    return {
        "name": tool.name,
        "flat_name": flat_name(tool.name),
        "category": tool.category,
        "description": tool.description,
        "read_only": tool.read_only,
        "safety_critical": tool.safety_critical,
        "aliases": list(tool.aliases),
        "profiles": _profiles_of(tool),
        "never_model_facing": _never(tool),
    }


def _profile_told(held: "Profile") -> dict[str, Any]:
    return {
        "tools": "*" if held.tools is None else list(held.tools),
        "mode": held.mode,
        "default": held.is_default,
        "requires": list(held.requires),
    }


def _in_words(held: "Profile") -> str:
    told = "whatever the engine offers" if held.tools is None else f"{len(held.tools)} tools"
    default = ", the default" if held.is_default else ", only where it is asked for by name" if held.is_full else ""
    needs = f"; the engine requires {', '.join(held.requires)}" if held.requires else ""
    return f"{held.name} is {told}, in {held.mode}{default}{needs}"


__all__ = ["configure", "run"]
