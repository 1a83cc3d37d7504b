"""``licet ledger checkpoint``."""

import argparse
import os
from typing import TYPE_CHECKING

from ..errors import ConfigurationError
from .exits import DONE, FOUND

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from ..ledger.verify import Verification


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.checkpoint import sign
    from ..ledger.keys import MAX_PEM_BYTES, private_key
    from . import output
    from .configured import ledger_to_read
    from .key_file import read_file, refuse_beside
    from .records import exists
    from .report_file import ReportFile

    path = ledger_to_read(arguments, arguments.file)
    exists(path)
    refuse_beside(path, arguments.key, "--key")
    key = read_file(arguments.key, "--key", MAX_PEM_BYTES, private_key)
    out = None if arguments.out is None else ReportFile(arguments.out, "--out")
    found, problem = _verified(path, key, arguments.out)
    if problem is not None:
        output.styled_line(output.Styled("not signed", "bold red"), f"  {problem}")
        return FOUND
    told = output.json_text(sign(found, key).document(), indent=2) + "\n"
    if out is None:
        output.write(told)
    else:
        out.write(told)
        output.line(f"signed up to entry {found.count} of {path}: {arguments.out}")
        if os.path.dirname(os.path.realpath(arguments.out)) == os.path.dirname(os.path.realpath(path)):
            output.say("licet: kept beside the ledger it can be put back together with it; keep a copy elsewhere")
    return DONE


def _verified(path: "Path", key: "Ed25519PrivateKey", out: str | None) -> "tuple[Verification, str | None]":
    """What is to be signed, and why it is not: an earlier checkpoint under that name has to hold still.

    Raises:
        ConfigurationError: under that name stands something that is no checkpoint.
    """
    from ..ledger.checkpoint import MAX_BYTES, Checkpoint, verify_against
    from ..ledger.verify import verify_file
    from .key_file import read_file

    if out is None or not os.path.exists(out):
        found = verify_file(path)
        return found, None if found.ok else f"entry {found.seq} of {path} is broken: {found.problem}"
    try:
        earlier = read_file(out, "--out", MAX_BYTES, Checkpoint.parse)
    except ConfigurationError as exc:
        raise ConfigurationError(f"{exc}; it is not overwritten, so name another file") from exc
    compared = verify_against(path, earlier, key.public_key())
    found = compared.found
    if not found.ok:
        return found, f"entry {found.seq} of {path} is broken: {found.problem}"
    if compared.failure is not None:
        return found, f"the checkpoint in {out} does not hold ({compared.failure}): {compared.problem}"
    return found, None


__all__ = ["run"]
