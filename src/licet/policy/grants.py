"""Grants are exact names. What is not exact is expanded once, here, before a run begins."""

from collections.abc import Iterable
from functools import lru_cache

from ..model.names import LOCAL, parse, server_of, short
from ..model.principal import GrantSet, Principal
from ..model.tool import ToolSpec
from ..model.verdict import PERMIT, Deny, Verdict


def granted(principal: Principal, name: str) -> Verdict:
    """Needs the canonical name only, so that it runs before anything is looked up."""
    return PERMIT if name in principal.grants else refused_grant(principal, name)


def refused_grant(principal: Principal, name: str) -> Deny:
    """What is said of a name that is not granted, whether or not there is such a tool."""
    return _not_granted(principal.name, name)


@lru_cache(maxsize=256)
def _not_granted(holder: str, name: str) -> Deny:
    called = short(name)
    problem = f"{holder!r} holds no grant for {called!r}"
    return Deny("not_granted", problem, remedy=f"grant it by its exact name: grants=[{called!r}]")


def expand(principal: Principal, specs: Iterable[ToolSpec]) -> Principal:
    """The principal with exact grants only. Pure: the caller puts the expansion on the ledger."""
    if not principal.grant_sets:
        return principal
    listed = list(specs)
    return principal.holding(spec.name for grant in principal.grant_sets for spec in listed if covers(grant, spec))


def covers(grant: GrantSet, spec: ToolSpec) -> bool:
    """Whether a set holds this tool. None holds a tool that a model's provider runs: that is granted by name alone."""
    if spec.source == "hosted":
        return False
    match grant.kind:
        case "full":
            return True
        case "group":
            return spec.group == grant.value
        case "glob":
            return matches(grant.value, spec.name)
        case "profile":
            return spec.name in grant.tools if grant.tools is not None else _is_of(grant.value.partition("@")[2], spec)


def _is_of(engine: str, spec: ToolSpec) -> bool:
    """Whether an engine advertises this tool; intrinsics are nobody's."""
    if spec.tool_type != "tool":
        return False
    return spec.name.startswith(f"{LOCAL}/") if engine == LOCAL else server_of(spec.name) == engine


def matches(pattern: str, name: str) -> bool:
    """Whether a pattern of names, as ``GrantSet.glob`` holds it, is about a canonical name."""
    wanted_plugin, _, wanted = pattern.partition("/")
    have = parse(name)
    if not _like(wanted_plugin, have.plugin):
        return False
    if have.server and "." in wanted:
        wanted_server, _, wanted_tool = wanted.partition(".")
        return _like(wanted_server, have.server) and _like(wanted_tool, have.tool)
    return _like(wanted, f"{have.server}.{have.tool}" if have.server else have.tool)


def _like(pattern: str, text: str) -> bool:
    """``*`` is any run of characters, ``?`` one. Linear in the text for each star: no backtracking blow-up."""
    p = t = 0
    star, mark = -1, 0
    while t < len(text):
        if p < len(pattern) and pattern[p] == "*":
            star, mark = p, t
            p += 1
        elif p < len(pattern) and pattern[p] in (text[t], "?"):
            p += 1
            t += 1
        elif star >= 0:
            mark += 1
            p, t = star + 1, mark
        else:
            return False
    return all(c == "*" for c in pattern[p:])
