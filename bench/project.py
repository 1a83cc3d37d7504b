"""A project's two files, as its people make them: ``licet.yaml`` is written, trusted, and its servers are locked."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench.measure import ROOT

TOOLS = 8
"""Of each plain server."""


class Project:
    """A folder with a project, and the state folder of somebody who trusts it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.state = folder / "state"
        self.marks = folder / "marks"
        for one in (self.folder, self.state, self.marks):
            one.mkdir(mode=0o700)
        self.file = self.folder / "licet.yaml"
        self.environ = {"LICET_HOME": str(self.state)}
        self.whole_environ = {**os.environ, **self.environ}

    def plain(self, number: int) -> dict[str, Any]:
        """A server that leaves a mark when it is started."""
        words = [str(ROOT / "bench" / "plain.py"), f"s{number}", str(TOOLS), str(self.marks)]
        return {"command": sys.executable, "args": words}

    def write(self, servers: dict[str, Any], words: dict[str, Any]) -> None:
        """JSON, which is YAML. Every tool with a word is granted.

        Raises:
            SystemExit: a command of licet's refused it; with what it said.
        """
        agent = {"mode": "workspace_write", "tools": list(words)}
        self.file.write_text(json.dumps({"mcpServers": servers, "tools": words, "agents": {"bench": agent}}, indent=1))
        self._licet("trust", "--yes")
        self._licet("lock")
        self._licet("trust", "--yes")
        for mark in self.marks.iterdir():
            mark.unlink()

    def tools(self) -> int:
        """How many tools stand in the lock."""
        lock = json.loads((self.folder / "licet.lock").read_text())
        return sum(len(server["tools"]) for server in lock["servers"].values())

    def started(self) -> list[str]:
        """The plain servers that somebody started since the project was locked."""
        return sorted(mark.name for mark in self.marks.iterdir())

    def serve(self, *words: str) -> list[str]:
        return ["-m", "licet", "serve", "--config", str(self.file), "--agent", "bench", *words]

    def _licet(self, command: str, *words: str) -> None:
        said = [sys.executable, "-m", "licet", command, "--config", str(self.file), *words]
        done = subprocess.run(said, cwd=ROOT, env=self.whole_environ, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"licet {command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
