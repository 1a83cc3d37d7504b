"""``licet why``: every check of a call with its verdict, or what the refusals of a run would have needed."""

import argparse
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from . import configured, principal
from .exits import DONE, REFUSED

if TYPE_CHECKING:
    from ..model.principal import Principal
    from ..model.tool import ToolSpec
    from ..policy.judge import Finding
    from ..runtime.explain import Explanation


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tool", metavar="TOOL", nargs="?", help="the tool of the call")
    parser.add_argument(
        "arguments",
        metavar="JSON",
        nargs="?",
        help="its arguments; - reads them from standard input; without any, whether it is listed",
    )
    principal.configure(parser)
    configured.add_options(parser)
    parser.add_argument(
        "--refused",
        metavar="RUN",
        nargs="?",
        const="last",
        help="instead of a call: the grants and modes that the refusals of a run (default: last) would have needed, "
        "as options; nothing is applied",
    )
    parser.add_argument("--ledger", metavar="FILE", help="the ledger to read, with --refused")
    parser.add_argument("--json", action="store_true", help="one JSON document")
    parser.epilog = 'example: licet why write \'{"path": "a.txt", "content": ""}\' --grant write --root .'


def run(arguments: argparse.Namespace) -> int:
    if arguments.refused is not None:
        if arguments.tool is not None:
            raise ConfigurationError("--refused asks about a run, not about a tool; drop one of the two")
        from .refused import explain_refused

        return explain_refused(arguments)
    if arguments.tool is None:
        raise ConfigurationError("name a tool, as in: licet why read; or ask about a run: licet why --refused [RUN]")
    if arguments.ledger is not None:
        raise ConfigurationError("--ledger goes with --refused; the checks of a call read no ledger")
    return _explain(arguments)


def _explain(arguments: argparse.Namespace) -> int:
    from ..model.names import canonical
    from .payload import payload

    given = payload(arguments.arguments)
    if configured.is_asked_for(arguments):
        return _of_agent(arguments, given)
    registered = principal.registered_from(arguments)
    who = principal.principal_from(arguments, principal.specs_of(registered))
    runtime = principal.runtime_over(registered, approver=principal.terminal_approver())
    try:
        spec = runtime.spec(canonical(arguments.tool))
        explained = runtime.why(who, arguments.tool, given)
    finally:
        runtime.close()
    _told(explained, spec, who, arguments)
    return DONE if explained.allowed else REFUSED


def _of_agent(arguments: argparse.Namespace, given: str | bytes | None) -> int:
    from ..model.names import canonical
    from .agent import AtWork, with_agent

    async def looked(at: AtWork) -> "tuple[Principal, ToolSpec | None, Explanation]":
        spec = at.runtime.spec(canonical(arguments.tool))
        return at.principal, spec, at.runtime.why(at.principal, arguments.tool, given)

    who, spec, explained = with_agent(arguments, looked, approver=principal.terminal_approver())
    _told(explained, spec, who, arguments)
    return DONE if explained.allowed else REFUSED


def _told(explained: "Explanation", spec: "ToolSpec | None", who: "Principal", arguments: argparse.Namespace) -> None:
    from . import output

    checks = [_check(finding, explained.tool, spec, who) for finding in explained.findings]
    if arguments.json:
        output.document(
            {
                "tool": explained.tool,
                "principal": explained.principal,
                "mode": who.mode,
                "allowed": explained.allowed,
                "asks": explained.asks,
                "checks": checks,
            }
        )
        return
    styles = {"permit": "green", "ask": "yellow", "deny": "bold red"}
    rows = [
        (check["check"], output.Styled(check["verdict"], styles[check["verdict"]]), check["told"] or "-")
        for check in checks
    ]
    output.table(("check", "verdict", "why"), rows)
    if spec is not None and spec.source == "mcp":
        output.say("licet: an MCP server is a program of its own: no path policy confines what it touches")
    if arguments.arguments is None and explained.allowed:
        output.say("licet: without arguments this says whether the tool is listed; give some to have them judged too")
    for remedy in dict.fromkeys(check["remedy"] for check in checks if check["remedy"]):
        output.line(f"remedy: {remedy}")
    output.line(_verdict(explained, arguments.arguments is None))


def _verdict(explained: "Explanation", listing: bool) -> str:
    denial = explained.denial
    if denial is not None:
        return f"{explained.tool} {'is not listed' if listing else 'would be refused'}: {denial.code}"
    end = ", once a person says yes" if explained.asks else ""
    return f"{explained.tool} {'is listed' if listing else 'would run'}{end}"


def _check(finding: "Finding", tool: str, spec: "ToolSpec | None", who: "Principal") -> dict[str, Any]:
    from ..model.verdict import Ask, Deny
    from .remedy import remedy_for

    match finding.verdict:
        case Deny() as deny:
            remedy = remedy_for(deny.code, deny.reason, deny.remedy, tool=tool, spec=spec, principal=who)
            told = {"told": deny.message, "code": deny.code, "reason": deny.reason, "remedy": remedy}
            verdict = "deny"
        case Ask(reason):
            verdict, told = "ask", {"told": reason}
        case _:
            verdict, told = "permit", {}
    return {
        "check": finding.check,
        "verdict": verdict,
        **{key: told.get(key) or None for key in ("told", "code", "reason", "remedy")},
    }


__all__ = ["configure", "run"]
