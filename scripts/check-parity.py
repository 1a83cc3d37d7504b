#!/usr/bin/env python3
"""usage: scripts/check-parity.py [--root DIR]

Whether every embedded copy of the profile contract says what contracts/integration-tool-contract.json says. A copy is
a file called contract.py or contract.ts: one assignment that holds strict JSON between BEGIN CONTRACT and END CONTRACT.

One line for the contract and one for each copy. Exit 0: all are alike. 1: the contract is wrong, a copy drifted, one
computes what it holds, or a package that exposes tools has none. 2: usage, no contract, or no copy at all. Its twin is
packages/licet-contract/src/check-parity.ts: the same lines for the same tree. Needs the standard library only.
"""

import sys
from pathlib import Path
from typing import Any

from parity.drift import drift
from parity.finding import Finding, line
from parity.module import embedded
from parity.strict_json import NotStrictError, parsed
from parity.tree import modules, text_of, without
from parity.wrong import wrong_with

CONTRACT = "contracts/integration-tool-contract.json"


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


def verdict(path: Path, contract: Any) -> list[Finding]:
    text = text_of(path)
    if text is None:
        return [Finding("unreadable")]
    try:
        return list(drift(contract, embedded(text, path.suffix[1:])))
    except NotStrictError as exc:
        return [Finding(exc.code)]


def main(arguments: list[str]) -> int:
    if not arguments:
        return check(Path(__file__).resolve().parent.parent)
    if len(arguments) == 2 and arguments[0] == "--root" and Path(arguments[1]).is_dir():
        return check(Path(arguments[1]))
    print((__doc__ or "").partition("\n")[0], file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
