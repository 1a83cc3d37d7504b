"""A fuzzer in a process of its own, and what it came back with."""

import base64
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_LOADING_S = 120


class Hunt(NamedTuple):
    """``found`` is what was wrong, with the input in base64, or empty. ``edges`` are branches of the code reached.

    ``grown`` are inputs that reached something new.
    """

    target: str
    executions: int
    edges: int
    found: str
    grown: tuple[bytes, ...] = ()


class NoFuzzerError(RuntimeError):
    """There is no atheris here."""


def hunt(target: str, *, seconds: int, seed: int, planted: bool = False) -> Hunt:
    """Run one fuzzer until its time is up or it found something.

    Raises:
        NoFuzzerError: atheris is not installed.
        RuntimeError: it ended otherwise.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "campaign.fuzz.target", target, "--seconds", str(seconds), "--seed", str(seed)]
        command += ["--work", folder, *(["--planted"] if planted else [])]
        ran = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": folder},
            capture_output=True,
            text=True,
            errors="replace",
            timeout=seconds + _LOADING_S,
            check=False,
        )
        inputs = sorted(Path(folder, "found").glob("*"))
        told = ran.stdout + ran.stderr
        if "No module named 'atheris'" in told:
            raise NoFuzzerError(
                f"atheris is not installed for Python {sys.version_info[0]}.{sys.version_info[1]}: it has wheels for "
                "Linux and 3.11 to 3.13; scripts/env campaign installs it there"
            )
        found = f"{_problem(told)}, input {base64.b64encode(inputs[0].read_bytes()).decode()}" if inputs else ""
        if not found and ran.returncode:
            raise RuntimeError(f"the fuzzer of {target} ended with {ran.returncode}: {told[-2000:]}")
        grown = tuple(file.read_bytes() for file in sorted(Path(folder, "grown").glob("*")))
        executions, edges = (_number(word, told) for word in (r"number_of_executed_units: (\d+)", r"cov: (\d+)"))
        return Hunt(target, executions, edges, found, grown)


def _problem(told: str) -> str:
    """The exception's line, or what libFuzzer calls it."""
    raised = re.findall(r"^(?:\w+\.)*(\w+(?:Error|Exception|Interrupt)): ?(.*)$", told, re.MULTILINE)
    if raised:
        return ": ".join(raised[-1])[:500]
    summary = re.search(r"^SUMMARY: (.*)$", told, re.MULTILINE)
    return summary[1] if summary else "it ended"


def _number(pattern: str, told: str) -> int:
    return int(found[-1]) if (found := re.findall(pattern, told)) else 0
