"""The comparison on the page of agent frameworks is what the suite finds."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "adapters.md"


def rows(text: str) -> list[list[str]]:
    """The table of the comparison: the cells of its head and of each topic."""
    table = re.findall(
        r"^\| (?:the core suite on|[a-z]+) \|.*", text[text.index("| the core suite on") :], re.MULTILINE
    )
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table]


def test_the_table_is_what_its_command_prints_with_the_frameworks_that_are_installed() -> None:
    """With other versions of them their own columns may differ; those over licet may not."""
    made = subprocess.run([sys.executable, "scripts/compare-frameworks"], cwd=ROOT, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    now, told = rows(made.stdout), rows(PAGE.read_text("utf-8"))
    same = [place for place, head in enumerate(told[0]) if head == now[0][place] or place % 2 == 0]
    assert {2, 4, 6} <= set(same)
    for line_now, line_told in zip(now[1:], told[1:], strict=True):
        for place in same:
            assert line_told[place] == line_now[place], (line_told[0], told[0][place])
        assert all(len(set(line_told[place].split(" of "))) == 1 for place in (2, 4, 6)), "over licet none is red"
