"""A trusted, locked project whose surface ``licet serve`` offers, over standard input and output or over HTTP."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from peers.installed import PYTHON
from peers.servers import PATIENCE_S, Told, free_port, listening


class Project(NamedTuple):
    """A folder with licet.yaml and licet.lock; ``command`` is what its clients are given to start."""

    folder: Path
    environment: Mapping[str, str]
    command: tuple[str, ...]

    def licet(self, *words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [PYTHON, "-m", "licet", *words],
            cwd=self.folder,
            env=dict(self.environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )

    @contextmanager
    def over_http(self) -> Iterator[tuple[str, Told]]:
        """The URL of ``licet serve --http``, and what it tells standard error so far."""
        port = free_port()
        command = (*self.command, "--http", str(port), "--no-token")
        kept = {"cwd": self.folder, "env": dict(self.environment), "stdout": subprocess.DEVNULL}
        with listening(command, port, **kept) as told:
            yield f"http://127.0.0.1:{port}/mcp", told


def made(
    folder: Path,
    servers: Mapping[str, Mapping[str, Any]],
    tools: Sequence[str],
    names: Mapping[str, str] | None = None,
) -> Project:
    """A project whose agent ``coder`` may call exactly these tools, written by hand, trusted and locked."""
    folder.mkdir()
    agent = {"mode": "workspace_write", "tools": list(tools), **({"names": dict(names)} if names else {})}
    return laid_down(folder, servers, agent)


def laid_down(
    folder: Path,
    servers: Mapping[str, Mapping[str, Any]],
    agent: Mapping[str, Any],
    environ: Mapping[str, str] | None = None,
) -> Project:
    """A project in a folder that is there, trusted and locked, with these servers and this agent ``coder``."""
    (folder / "licet.yaml").write_text(json.dumps({"mcpServers": servers, "agents": {"coder": agent}}, indent=2))
    # what a client hands on
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "LANG": "C.UTF-8", **(environ or {})}
    command = (PYTHON, "-m", "licet", "serve", "--agent", "coder", "--config", str(folder / "licet.yaml"))
    project = Project(folder, environment, command)
    for words in (("trust", "--yes"), ("lock",)):
        done = project.licet(*words)
        assert done.returncode == 0, done.stdout + done.stderr
    return project
