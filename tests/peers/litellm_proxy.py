"""LiteLLM's proxy as a peer: in an environment of its own, on this machine alone, with a configuration of licet's."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

from peers.installed import HERE, ROOT
from peers.servers import free_port, until_open

TOKEN = "token-between-licet-and-litellm"
KEY = "sk-key-of-the-client"
HEADERS = {"x-litellm-api-key": f"Bearer {KEY}"}
"""What a client of the proxy sends."""


class Proxy(NamedTuple):
    """One that runs. ``log`` is what it tells."""

    url: str
    process: int
    log: Path


class Proxies:
    """Starts proxies of LiteLLM's ``version``, each in a process of its own; threads may share it.

    LiteLLM is imported once for all of them.
    """

    def __init__(self, home: Path) -> None:
        made = subprocess.run([ROOT / "scripts" / "env", "litellm"], text=True, capture_output=True, timeout=900)
        assert made.returncode == 0, made.stderr
        self._lock = Lock()
        self._log = home / "litellm-starts.log"
        with self._log.open("w") as told:
            self._process = subprocess.Popen(
                [made.stdout.strip(), str(HERE / "litellm_starts.py")],
                env=environment(home),
                cwd=home,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=told,
                text=True,
            )
        self.version = str(self._answer()["version"])

    def start(self, configuration: Path) -> Proxy:
        """A proxy with this configuration; it answers at its URL."""
        port, log = free_port(), configuration.with_suffix(".log")
        words = ["--config", str(configuration), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        process = self._asked({"words": words, "log": str(log)})["process"]
        until_open(self._process, port, lambda: log.read_text() if log.exists() else "it told nothing")
        return Proxy(f"http://127.0.0.1:{port}/mcp/", process, log)

    def end(self, proxy: Proxy) -> None:
        self._asked({"end": proxy.process})

    def close(self) -> None:
        self._process.communicate(timeout=30)

    def _asked(self, question: dict[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        with self._lock:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, self._log.read_text()
        return dict(json.loads(line))


def environment(home: Path) -> dict[str, str]:
    """What LiteLLM finds: its names are flat names, and it fetches nothing when it is imported."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "MCP_TOOL_PREFIX_SEPARATOR": "_",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_DONT_SHOW_FEEDBACK_BOX": "True",
        "LITELLM_MASTER_KEY": KEY,
        "LICET_TOKEN": TOKEN,
    }


@contextmanager
def litellm(home: Path) -> Iterator[Proxies]:
    """In the environment that ``scripts/env litellm`` makes, which is made now if it is not there."""
    made = Proxies(home)
    try:
        yield made
    finally:
        made.close()
