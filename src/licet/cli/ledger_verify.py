"""``licet ledger verify``."""

import argparse
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from pathlib import Path

    from ..ledger.checkpoint import Comparison
    from ..ledger.verify import Verification


def run(arguments: argparse.Namespace) -> int:
    from .configured import ledger_to_read
    from .records import exists

    if (arguments.checkpoint is None) != (arguments.public_key is None):
        raise ConfigurationError("--checkpoint and --public-key go together: a checkpoint's own key proves nothing")
    path = ledger_to_read(arguments, arguments.file)
    exists(path)
    if arguments.checkpoint is None:
        from ..ledger.verify import verify_file

        found, compared = verify_file(path), None
    else:
        compared = _compared(path, arguments.checkpoint, arguments.public_key)
        found = compared.found
    ok = found.ok and (compared is None or compared.ok)
    if arguments.json:
        _document(path, found, compared, ok=ok)
    else:
        _lines(path, found, compared)
    return DONE if ok else FOUND


def _compared(path: "Path", checkpoint: str, public: str) -> "Comparison":
    from ..ledger.checkpoint import MAX_BYTES, Checkpoint, verify_against
    from ..ledger.keys import MAX_PEM_BYTES, public_key
    from .key_file import read_file

    key = read_file(public, "--public-key", MAX_PEM_BYTES, public_key)
    return verify_against(path, read_file(checkpoint, "--checkpoint", MAX_BYTES, Checkpoint.parse), key)


def _document(path: "Path", found: "Verification", compared: "Comparison | None", *, ok: bool) -> None:
    from ..ledger.verify import NOT_EXCLUDED
    from . import output

    told = None
    if compared is not None:
        told = {
            "ok": compared.failure is None,
            "entries": compared.checkpoint.size,
            "at_us": compared.checkpoint.at_us,
            "failure": compared.failure,
            "problem": compared.problem,
        }
    output.document(
        {
            "ledger": str(path),
            "ok": ok,
            "entries": found.count,
            "head": found.head.hex(),
            "problem": found.problem,
            "seq": found.seq,
            "unknown": list(found.unknown),
            "checkpoint": told,
            "not_excluded": NOT_EXCLUDED if compared is None else compared.excluded,
        }
    )


def _lines(path: "Path", found: "Verification", compared: "Comparison | None") -> None:
    from ..ledger.verify import NOT_EXCLUDED
    from . import output
    from .moment import moment

    if found.ok:
        output.styled_line(output.Styled("sound", "bold green"), f"  {_entries(found.count)} of {path}")
    else:
        output.styled_line(output.Styled("broken", "bold red"), f"  at entry {found.seq} of {path}: {found.problem}")
        output.line(f"before it {_entries(found.count)} are sound")
    output.line(f"head {found.head.hex()}")
    if compared is not None and compared.failure is None:
        when = moment(compared.checkpoint.at_us)
        output.styled_line(
            output.Styled("as signed", "bold green"), f"  up to entry {compared.checkpoint.size}, on {when}"
        )
    elif compared is not None:
        output.styled_line(output.Styled("not as signed", "bold red"), f"  {compared.failure}: {compared.problem}")
    for call_id in found.unknown:
        output.styled_line(
            output.Styled("unknown", "bold magenta"),
            f"  the call {call_id} has no end: it is under way, or nobody knows what it did",
        )
    if found.unknown:
        output.line("look what they did, then: licet ledger settle CALL done|failed --note TEXT")
    output.line(NOT_EXCLUDED if compared is None else compared.excluded)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count} entries"


__all__ = ["run"]
