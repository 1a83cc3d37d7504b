"""A client that never reads what a server says on standard error gets its answers all the same."""

import json
import subprocess
from pathlib import Path

from peers.serving import made

ASKED = 2_000


def test_refusals_that_nobody_reads_hold_up_no_answer(tmp_path: Path) -> None:
    project = made(tmp_path / "project", {}, ("read",))
    process = subprocess.Popen(
        project.command,
        env=dict(project.environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,  # 64 KiB of it, and then it is full
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    hello = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about}
    process.stdin.write(json.dumps(hello) + "\n" + '{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    process.stdin.flush()
    process.stdout.readline()
    for number in range(1, ASKED + 1):
        call = {"name": f"nothing_{number}", "arguments": {}}
        message = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call}
        process.stdin.write(json.dumps(message) + "\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert answer["error"]["code"] == -32602
    _, said = process.communicate(timeout=20)
    assert 0 < len(said) <= 1 << 16
    assert process.returncode == 0
