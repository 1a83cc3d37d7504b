"""Runs tests against a copy of the project, in a process that is killed when it takes too long.

This module imports nothing of licet: each trial imports it afresh, from the copy.
"""

import os
import shutil
import signal
import sys
import time
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Literal, NamedTuple

from campaign.mutants.sites import Mutant

HEAVY = ["pytest", "hypothesis", "orjson", "jsonschema_rs", "re2", "sqlite3", "asyncio", "rfc8785"]
"""What every test imports, imported once for all trials."""

PARTS = ("src", "tests", "docs", "scripts", "pyproject.toml", "README.md", "CHANGELOG.md")

HANGS_S = 60.0
"""A single test that takes longer hangs; all that are tried take a few seconds, and some more on a busy machine."""
SAID = "said.txt"
"""What pytest said last, in the folder of the copy."""

Outcome = Literal["survived", "killed", "timed out"]


class Tried(NamedTuple):
    """``said`` is pytest's last line but one that is not empty: which test it was."""

    mutant: Mutant
    outcome: Outcome
    seconds: float
    said: str = ""


class Copy:
    """The project in a folder of its own, in which one mutant at a time stands."""

    def __init__(self, project: Path, folder: Path) -> None:
        self.folder = folder
        for part in PARTS:
            source = project / part
            if source.is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
            elif source.exists():
                shutil.copy2(source, folder / part)
        (folder / "tmp").mkdir()
        self._context = get_context("forkserver")
        self._context.set_forkserver_preload(HEAVY)

    def passes(self, targets: tuple[str, ...], limit_s: float) -> Outcome:
        """Whether these tests pass as the copy is now."""
        trial = self._context.Process(target=_tests, args=(str(self.folder), targets))
        trial.start()
        trial.join(limit_s)
        hung = trial.is_alive()
        with suppress(ProcessLookupError):
            os.killpg(trial.pid or 0, signal.SIGKILL)  # with all that it started
        trial.join()
        code = trial.exitcode
        trial.close()
        if hung:
            return "timed out"
        return "survived" if code == 0 else "killed"

    def tried(self, mutant: Mutant, targets: tuple[str, ...], limit_s: float) -> Tried:
        started = time.monotonic()
        path = self.folder / mutant.file
        original = path.read_bytes()
        try:
            path.write_bytes(mutant.applied(original))
            outcome = self.passes(targets, limit_s)
        finally:
            path.write_bytes(original)
        seconds = time.monotonic() - started
        failed = [line for line in (self.folder / SAID).read_text("utf-8", "replace").splitlines() if "FAILED" in line]
        return Tried(mutant, outcome, seconds, "".join(failed[-1:]))


def _tests(folder: str, targets: tuple[str, ...]) -> None:
    os.setsid()
    silence, said = os.open(os.devnull, os.O_RDONLY), os.open(f"{folder}/{SAID}", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for here, descriptor in ((silence, 0), (said, 1), (said, 2)):
        os.dup2(here, descriptor)
    for name in [name for name in sys.modules if name.partition(".")[0] == "licet"]:
        del sys.modules[name]  # somebody's main module brought it along
    os.chdir(folder)
    os.environ.update(PYTHONPATH=f"{folder}/src", PYTHONDONTWRITEBYTECODE="1", TMPDIR=f"{folder}/tmp")
    sys.dont_write_bytecode = True
    sys.path[:0] = [f"{folder}/src", folder]
    import pytest

    patience = ("-o", f"faulthandler_timeout={HANGS_S:g}", "-o", "faulthandler_exit_on_timeout=true")
    options = ("-x", "-q", "--no-header", "--tb=no", "-rf", "-W", "ignore::pytest.PytestAssertRewriteWarning")
    os._exit(int(pytest.main([*options, *patience, *targets])))
