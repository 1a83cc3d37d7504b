"""Where scripts/peers puts things, and the fixture that runs it: a module of tests imports ``peers``."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = ROOT / "tests" / "peers"
PEERS = ROOT / ".peers"
NODE = str(PEERS / "node" / "bin" / "node")
MODULES = PEERS / "node" / "node_modules"
OURS = MODULES / "@modelcontextprotocol"
MCP2 = PEERS / "mcp2" / "bin"
MCP1 = PEERS / "mcp1" / "bin"
PYTHON = sys.executable


@pytest.fixture(scope="session", autouse=True)
def peers() -> None:
    """Installs what is not there. A peer that cannot be had fails the tests; none is skipped."""
    done = subprocess.run([ROOT / "scripts" / "peers"], text=True, capture_output=True, timeout=600)
    assert done.returncode == 0, done.stderr
