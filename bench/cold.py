"""Starting up, against a bare interpreter: whole processes, in turn."""

import json
import subprocess
import sys
import time

from bench.measure import Gate

MODULE = "bench.cold"
PACKAGES = ("licet",)
UNIT = "ms a process"
GATES = (
    Gate("import licet / bare interpreter", "import licet", "bare interpreter", 3, 2),
    Gate("from licet import Runtime, Principal, tool / bare interpreter", "first names", "bare interpreter", 8, 6),
    Gate("licet --help / bare interpreter", "licet --help", "bare interpreter", 4, 3),
)
COMMANDS = {
    "bare interpreter": ["-c", "pass"],
    "import licet": ["-c", "import licet"],
    "first names": ["-c", "from licet import Runtime, Principal, tool"],
    "licet --help": ["-m", "licet", "--help"],
}


def main(rounds: int) -> None:
    measured: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds * 4 + 1):
        for name, arguments in COMMANDS.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, *arguments], stdout=subprocess.DEVNULL, check=True)
            measured[name].append((time.perf_counter() - started) * 1e3)
    print(json.dumps({name: times[1:] for name, times in measured.items()}))  # the first round warms the file cache


if __name__ == "__main__":
    main(int(sys.argv[1]))
