"""``licet ledger verify``."""

import argparse
from typing import TYPE_CHECKING

from .exits import DONE, FOUND

if TYPE_CHECKING:
    from pathlib import Path

    from ..ledger.verify import Verification


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.verify import verify_file
    from .records import exists
    from .state import ledger_file

    path = ledger_file(arguments.file)
    exists(path)
    found = verify_file(path)
    _told(path, found, as_json=arguments.json)
    return DONE if found.ok else FOUND


def _told(path: "Path", found: "Verification", *, as_json: bool) -> None:
    from ..ledger.verify import NOT_EXCLUDED
    from . import output

    if as_json:
        output.document(
            {
                "ledger": str(path),
                "ok": found.ok,
                "entries": found.count,
                "head": found.head.hex(),
                "problem": found.problem,
                "seq": found.seq,
                "unknown": list(found.unknown),
                "not_excluded": NOT_EXCLUDED,
            }
        )
        return
    if found.ok:
        output.styled_line(output.Styled("sound", "bold green"), f"  {_entries(found.count)} of {path}")
    else:
        output.styled_line(output.Styled("broken", "bold red"), f"  at entry {found.seq} of {path}: {found.problem}")
        output.line(f"before it {_entries(found.count)} are sound")
    output.line(f"head {found.head.hex()}")
    for call_id in found.unknown:
        output.styled_line(
            output.Styled("unknown", "bold magenta"),
            f"  the call {call_id} has no end: it is under way, or nobody knows what it did",
        )
    if found.unknown:
        output.line("look what they did, then: licet ledger settle CALL done|failed --note TEXT")
    output.line(NOT_EXCLUDED)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


__all__ = ["run"]
