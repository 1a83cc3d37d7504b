"""What a contract may not say, whatever its copies say."""

import re
from collections.abc import Iterator
from typing import Any

from .finding import Finding

TOP = ("conformance", "contract_version", "external_tool_name_convention", "mcp_tool_reference", "profiles")
OF_A_TOOL, MAY_HAVE = ("category", "description", "read_only"), ("aliases", "safety_critical")
OF_A_PROFILE = {
    "execute": ("adds_tools", "extends", "never_model_facing_fields", "requires_all_of"),
    "full": ("opt_in_only", "tools"),
    "govern": ("adds_tools", "extends"),
    "observe": ("default", "tools"),
}


def wrong_with(contract: Any) -> Iterator[Finding]:
    """What a contract may not say, whatever its copies say."""
    if not isinstance(contract, dict):
        yield Finding("bad_contract", "")
        return
    yield from keys("bad_contract", "", contract, TOP)
    naming = contract.get("external_tool_name_convention")
    prefix = naming.get("prefix") if isinstance(naming, dict) else None
    fits = isinstance(prefix, str) and re.fullmatch(r"[a-z][a-z0-9_]*_", prefix) is not None
    if not fits or naming != {"prefix": prefix, "pattern": f"^{prefix}[a-z0-9_]+$"}:
        yield Finding("bad_contract", "external_tool_name_convention")
    tools = contract.get("mcp_tool_reference")
    if not isinstance(tools, dict) or not tools:
        yield Finding("bad_contract", "mcp_tool_reference")
        tools = {}
    for name, tool in tools.items():
        where = f"mcp_tool_reference/{name}"
        if re.fullmatch(r"[a-z][a-z0-9_]{0,55}", name) is None or not isinstance(tool, dict):
            yield Finding("bad_contract", where)
        else:
            yield from keys("bad_contract", where, tool, OF_A_TOOL, MAY_HAVE)
    profiles = contract.get("profiles")
    if isinstance(profiles, dict):
        yield from wrong_with_profiles(profiles, tools)
    else:
        yield Finding("bad_profile", "profiles")


def wrong_with_profiles(profiles: dict[str, Any], tools: dict[str, Any]) -> Iterator[Finding]:
    yield from keys("bad_profile", "profiles", profiles, tuple(OF_A_PROFILE))
    held: list[Any] = []
    for name in ("observe", "govern", "execute"):
        profile = profiles.get(name)
        where = f"profiles/{name}"
        if not isinstance(profile, dict):
            yield Finding("bad_profile", where)
            continue
        yield from keys("bad_profile", where, profile, OF_A_PROFILE[name], ("default",))
        if profile.get("default", False) is not (name == "observe"):
            yield Finding("wrong_default", f"{where}/default")
        if name != "observe" and profile.get("extends") != {"govern": "observe", "execute": "govern"}[name]:
            yield Finding("bad_profile", f"{where}/extends")
        key = "tools" if name == "observe" else "adds_tools"
        for tool in texts(profile.get(key)) or [""]:
            if tool not in tools:
                yield Finding("unknown_tool", f"{where}/{key}/{tool}")
            if tool in held:
                yield Finding("bad_profile", f"{where}/{key}/{tool}")
            held.append(tool)
        if name == "execute":
            for key, code in (("never_model_facing_fields", "never_field_drift"), ("requires_all_of", "bad_profile")):
                if not texts(profile.get(key)):
                    yield Finding(code, f"{where}/{key}")
    full = profiles.get("full")
    if not isinstance(full, dict):
        yield Finding("bad_profile", "profiles/full")
        return
    yield from keys("bad_profile", "profiles/full", full, OF_A_PROFILE["full"], ("default",))
    if full.get("tools") != "*":
        yield Finding("full_not_star", "profiles/full/tools")
    for key, wanted in (("default", False), ("opt_in_only", True)):
        if full.get(key, wanted) is not wanted:
            yield Finding("wrong_default", f"profiles/full/{key}")


def keys(
    code: str, where: str, held: dict[str, Any], needed: tuple[str, ...], may: tuple[str, ...] = ()
) -> Iterator[Finding]:
    for key in sorted({*needed, *held}):
        if (key in needed) != (key in held) and key not in may:
            yield Finding(code, f"{where}/{key}".lstrip("/"))


def texts(value: Any) -> list[str] | None:
    """The value if it is a list of texts with none twice, else None."""
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    return value if len(set(value)) == len(value) else None
