"""The story of examples/decisions runs, ends in one receipt and one named gate, and says what its page shows."""

import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "decisions"
OF_ONE_RUN = re.compile(r"[0-9a-f]{32,}|127\.0\.0\.1:\d+|\d{4}-\d\d-\d\dT[\d:.]+Z|\d+ bytes")
"""Ids, digests, ports, moments and sizes."""


def run(*words: str) -> str:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_the_story_ends_in_a_receipt_and_a_gate_as_its_page_shows(tmp_path: Path) -> None:
    told = run(str(EXAMPLE / "story.py"), str(tmp_path))
    page = (EXAMPLE / "README.md").read_text()
    shown = page.partition("```text\n")[2].partition("```")[0]
    assert OF_ONE_RUN.sub("...", told) == OF_ONE_RUN.sub("...", shown)
    receipt = json.loads(told[told.index("{\n") : told.index("\n}\n") + 2])
    assert receipt["execution_status"] == "delivered"
    assert receipt["safety_overridden"] is False
    assert "a second time: 409 execution_blocked_idempotency" in told
    assert "the price list heard 1 signed message\n" in told
    assert (tmp_path / "outcome.png").read_bytes().startswith(b"\x89PNG")
    assert "</svg>" in (tmp_path / "outcome.svg").read_text()
    assert "outcome.svg" in (tmp_path / "report.md").read_text()


def test_the_orders_are_the_same_bytes_each_time_with_every_fault_in_them(tmp_path: Path) -> None:
    digests = set()
    for name in ("first.csv", "second.csv"):
        run(str(EXAMPLE / "orders.py"), str(tmp_path / name))
        digests.add(hashlib.sha256((tmp_path / name).read_bytes()).hexdigest())
    assert len(digests) == 1
    header, *rows = ((tmp_path / "first.csv").read_text()).splitlines()
    assert header == "order_id,day,region,customer,product,units,unit_price,unit_cost,status"
    assert len(rows) - len(set(rows)) > 20
    parted = [row.split(",") for row in rows]
    assert {row[8] for row in parted} == {"sold", "returned", "test"}
    assert all((int(row[5]) < 0) == (row[8] == "returned") for row in parted)
    assert 50 < sum(not row[2] for row in parted) < 300
    days = {row[1] for row in parted}
    assert not days & {"2024-11-08", "2024-11-09", "2024-11-10"}
    assert len(days) == 1_096 - 3
    winter, summer = (sum(row[1][5:7] in months for row in parted) for months in (("12", "01"), ("06", "07")))
    assert winter > 1.3 * summer
