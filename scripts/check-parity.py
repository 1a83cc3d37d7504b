#!/usr/bin/env python3
"""usage: scripts/check-parity.py [--root DIR]

Whether every embedded copy of the profile contract says what contracts/integration-tool-contract.json says. A copy is
a file called contract.py or contract.ts: one assignment that holds strict JSON between BEGIN CONTRACT and END CONTRACT.

One line for the contract and one for each copy. Exit 0: all are alike. 1: the contract is wrong, a copy drifted, one
computes what it holds, or a package that exposes tools has none. 2: usage, no contract, or no copy at all. Its twin is
packages/licet-contract/src/check-parity.ts: the same lines for the same tree. Needs the standard library only.
"""

import json
import os
import re
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

CONTRACT = "contracts/integration-tool-contract.json"
MODULES = ("contract.py", "contract.ts")
ADAPTERS, PACKAGES = "src/licet/adapters", "packages"
PASSED_OVER = frozenset(("node_modules", "__pycache__", "dist", "build", "site", "venv"))
MOST_BYTES, MOST_DEPTH = 1 << 20, 64

TOP = ("conformance", "contract_version", "external_tool_name_convention", "mcp_tool_reference", "profiles")
OF_A_TOOL, MAY_HAVE = ("category", "description", "read_only"), ("aliases", "safety_critical")
OF_A_PROFILE = {
    "execute": ("adds_tools", "extends", "never_model_facing_fields", "requires_all_of"),
    "full": ("opt_in_only", "tools"),
    "govern": ("adds_tools", "extends"),
    "observe": ("default", "tools"),
}

# What may stand in a module beside the region: nothing that could change what is in it.
BEFORE = {
    "py": re.compile(
        r"|#[ -~]*|\"\"\"[ !#-\[\]-~]*\"\"\"|import json|from __future__ import annotations"
        r"|from typing import (?:Any|Final)(?:, (?:Any|Final))*"
    ),
    "ts": re.compile(r"|//[ -~]*|/\*(?:(?!\*/)[ -~])*\*/"),
}
AFTER = {"py": re.compile(r"|#[ -~]*"), "ts": re.compile(r"|//[ -~]*")}
CODING = re.compile(r"coding[:=]")  # of a comment that would change how Python reads the file
MARKS = {"py": "# {} CONTRACT", "ts": "// {} CONTRACT"}
REGION = {
    "py": re.compile(
        r"[A-Z_]+(?:: Final(?:\[dict\[str, Any\]\])?|: dict\[str, Any\])? = json\.loads\(r'''(?P<json>.*)'''\)\n",
        re.DOTALL,
    ),
    "ts": re.compile(r"export const [A-Z_]+ = (?P<json>\{.*\})(?: as const)?;\n", re.DOTALL),
}


class Finding(NamedTuple):
    """``code`` is stable, ``where`` a path of keys or what stands at its end."""

    code: str
    where: str = ""


class Number(NamedTuple):
    """A number as it is written: the contract holds none, and languages disagree about them."""

    written: str


class NotStrictError(Exception):
    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


# --- reading ---


def parsed(text: str) -> Any:
    """The value of strict JSON. Raises NotStrictError: ``not_json`` or ``duplicate_key``."""
    twice = False

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal twice
        held = dict(pairs)
        twice = twice or len(held) != len(pairs) or "__proto__" in held
        return held

    def constant(name: str) -> Any:
        raise ValueError(name)

    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_int=Number, parse_float=Number, parse_constant=constant
        )
        deep = depth(value) > MOST_DEPTH
    except (ValueError, RecursionError):
        raise NotStrictError("not_json") from None
    if deep:
        raise NotStrictError("not_json")
    if twice:
        raise NotStrictError("duplicate_key")
    return value


def depth(value: Any) -> int:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if below is None else 1 + max(map(depth, below), default=0)


def text_of(path: Path) -> str | None:
    """What a file holds, or None: it is no plain file of text, or too large."""
    try:
        held = path.lstat()
        if not stat.S_ISREG(held.st_mode) or held.st_size > MOST_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def embedded(text: str, kind: str) -> Any:
    """What a module holds. Raises NotStrictError: it is no strict JSON (``computed``), or has a ``duplicate_key``."""
    text = text.replace("\r\n", "\n")
    if "\r" in text:  # a line break for Python, and none here
        raise NotStrictError("computed")
    lines = text.split("\n")
    begin, end = (MARKS[kind].format(word) for word in ("BEGIN", "END"))
    if lines.count(begin) != 1 or lines.count(end) != 1 or lines.index(begin) > lines.index(end):
        raise NotStrictError("computed")
    before, after = lines[: lines.index(begin)], lines[lines.index(end) + 1 :]
    inside = "".join(f"{line}\n" for line in lines[lines.index(begin) + 1 : lines.index(end)])
    plain = all(map(BEFORE[kind].fullmatch, before)) and all(map(AFTER[kind].fullmatch, after))
    region = REGION[kind].fullmatch(inside)
    if not plain or region is None or any(map(CODING.search, before)):
        raise NotStrictError("computed")
    if kind == "py" and (before.count("import json") != 1 or "'''" in region["json"]):
        raise NotStrictError("computed")
    try:
        return parsed(region["json"])
    except NotStrictError as exc:
        raise NotStrictError("computed" if exc.code == "not_json" else exc.code) from None


# --- the contract itself ---


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


# --- a copy against the contract ---


def drift(wanted: Any, held: Any, path: tuple[str, ...] = ()) -> Iterator[Finding]:
    """Everything in which a copy differs."""
    if isinstance(wanted, dict) and isinstance(held, dict):
        for key in {*wanted, *held}:
            here = (*path, key)
            if key not in held:
                yield named(here, "missing_tool")
            elif key not in wanted:
                yield named(here, "invented_tool")
            else:
                yield from drift(wanted[key], held[key], here)
        return
    if alike(wanted, held):
        return
    is_list_of_tools = path[:1] == ("profiles",) and path[-1] in ("tools", "adds_tools")
    if is_list_of_tools and texts(wanted) is not None and texts(held) is not None:
        for tool in wanted:
            if tool not in held:
                yield Finding("missing_tool", "/".join((*path, tool)))
        for tool in held:
            if tool not in wanted:
                yield Finding("invented_tool", "/".join((*path, tool)))
        if set(wanted) == set(held):
            yield Finding("drift", "/".join(path))
        return
    yield named(path)


def named(path: tuple[str, ...], of_a_tool: str = "") -> Finding:
    """A difference by where it is. ``of_a_tool`` is its code if it is a whole tool that is missing or invented."""
    where = "/".join(path)
    if path[:1] == ("mcp_tool_reference",) and len(path) == 2 and of_a_tool:
        return Finding(of_a_tool, where)
    if path[:1] != ("profiles",):
        return Finding("drift", where)
    if path[-1] in ("default", "opt_in_only"):
        return Finding("wrong_default", where)
    if path == ("profiles", "full", "tools"):
        return Finding("full_not_star", where)
    return Finding("never_field_drift" if path[-1] == "never_model_facing_fields" else "bad_profile", where)


def alike(one: Any, other: Any) -> bool:
    """Equal, and of one type: for Python 1 equals true."""
    if type(one) is not type(other):
        return False
    if isinstance(one, list):
        return len(one) == len(other) and all(map(alike, one, other))
    return bool(one == other)


# --- the tree ---


def modules(root: Path) -> Iterator[str]:
    """Paths of all copies, relative to the root; folders of tools and builds, and hidden ones, are passed over."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
        for name in files:
            if name in MODULES:
                yield (Path(folder) / name).relative_to(root).as_posix()


def without(root: Path, found: list[str]) -> Iterator[str]:
    """Copies that ought to be there: one in each adapter and each package."""
    for folder in below(root / ADAPTERS):
        path = f"{ADAPTERS}/{folder.name}/contract.py"
        if path not in found and any(file.name.endswith(".py") for file in folder.iterdir()):
            yield path
    for folder in below(root / PACKAGES):
        inside = f"{PACKAGES}/{folder.name}/"
        if (folder / "package.json").exists() and not any(path.startswith(inside) for path in found):
            yield f"{inside}src/contract.ts"


def below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [one for one in folder.iterdir() if one.is_dir() and not one.is_symlink() and one.name not in PASSED_OVER]


def verdict(path: Path, contract: Any) -> list[Finding]:
    text = text_of(path)
    if text is None:
        return [Finding("unreadable")]
    try:
        return list(drift(contract, embedded(text, path.suffix[1:])))
    except NotStrictError as exc:
        return [Finding(exc.code)]


def line(path: str, findings: list[Finding]) -> str:
    told = sorted({shown(f"{finding.code} {finding.where}".strip()) for finding in findings})
    return f"{shown(path)}: {'; '.join(told) or 'ok'}"


def shown(text: str) -> str:
    """The text with nothing in it that acts on a terminal, cut where it is long."""
    return json.dumps(text)[1:-1].replace('\\"', '"').replace("\x7f", "\\u007f")[:200]


def check(root: Path) -> int:
    source = root / CONTRACT
    if not source.exists():
        print(f"check-parity: there is no {CONTRACT}; --root names the folder that holds it", file=sys.stderr)
        return 2
    found = sorted(modules(root))
    if not found:
        print("check-parity: no module found; an embedded copy is called contract.py or contract.ts", file=sys.stderr)
        return 2
    text = text_of(source)
    try:
        contract = parsed("" if text is None else text)
    except NotStrictError as exc:
        print(line(CONTRACT, [Finding("unreadable" if text is None else exc.code)]))
        return 1
    told = {CONTRACT: list(wrong_with(contract))}
    told |= {path: verdict(root / path, contract) for path in found}
    told |= {path: [Finding("missing_module")] for path in without(root, found)}
    for path in (CONTRACT, *sorted(set(told) - {CONTRACT})):
        print(line(path, told[path]))
    return int(any(told.values()))


def main(arguments: list[str]) -> int:
    if not arguments:
        return check(Path(__file__).resolve().parent.parent)
    if len(arguments) == 2 and arguments[0] == "--root" and Path(arguments[1]).is_dir():
        return check(Path(arguments[1]))
    print((__doc__ or "").partition("\n")[0], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
