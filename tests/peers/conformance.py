"""The official conformance suite as a process, and what it found."""

import json
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from peers.installed import NODE, OURS
from peers.servers import LEGACY, MODERN

SUITE = str(OURS / "conformance" / "dist" / "index.js")
PATIENCE_S = 120.0

BOTH_ERAS = frozenset(
    """
    dns-rebinding-protection json-schema-2020-12 server-sse-multiple-streams tools-list
    tools-call-simple-text tools-call-image tools-call-audio tools-call-embedded-resource tools-call-mixed-content
    tools-call-error tools-call-with-progress
    """.split()
)
MUST_PASS = {
    LEGACY: BOTH_ERAS | {"ping", "server-initialize", "server-session-lifecycle", "server-sse-polling"},
    MODERN: BOTH_ERAS | {"http-header-validation", "server-stateless"},
}


class Run(NamedTuple):
    """What one run of the suite found. ``bad`` holds the failures and warnings of each scenario that has some."""

    code: int
    output: str
    scenarios: frozenset[str]
    bad: dict[str, list[str]]


def run(url: str, era: str, results: Path, *options: "str | Path") -> Run:
    """Every scenario of an era against a server."""
    done = subprocess.run(
        [NODE, SUITE, "server", "--url", url, "--suite", "all", "--spec-version", era, "-o", results, *options],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    found: dict[str, list[str]] = {}
    for file in results.glob("*/checks.json"):
        scenario = re.fullmatch(r"server-(.+?)-\d{4}-\d\d-\d\dT.*", file.parent.name)
        assert scenario, file
        found[scenario[1]] = [
            f"{check['status']} {check['id']}: {check.get('errorMessage', '')}"
            for check in json.loads(file.read_text())
            if check["status"] in ("FAILURE", "WARNING")
        ]
    assert found, done.stdout + done.stderr
    bad = {name: checks for name, checks in found.items() if checks}
    return Run(done.returncode, done.stdout + done.stderr, frozenset(found), bad)
