"""What tests of ``licet explore`` share."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


Explore = Callable[..., Said]


def document(said: Said) -> dict[str, Any]:
    assert said.code == 0, said.err
    value: dict[str, Any] = json.loads(said.out)
    return value


BOUND = """
import ctypes, os, sys

class Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]

class Data(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable")]

libc = ctypes.CDLL(None)
header, data = Header(0x20080522, 0), (Data * 2)()
assert libc.capget(ctypes.byref(header), data) == 0
for name in ("effective", "permitted", "inheritable"):
    setattr(data[0], name, getattr(data[0], name) & ~0b110)  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
assert libc.capset(ctypes.byref(header), data) == 0

from licet.cli import main
sys.exit(main(sys.argv[1:]))
"""


def bound_by_permissions(home: Path, *words: "str | Path") -> Said:
    """The command in a process whom permissions bind, also where the tests run as root."""
    done = subprocess.run(
        [sys.executable, "-c", BOUND, "explore", *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "LICET_HOME": str(home)},
    )
    assert "Traceback" not in done.stderr
    return Said(done.returncode, done.stdout, done.stderr)
