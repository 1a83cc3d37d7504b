"""A fresh environment that holds ``licet[mcp]`` and nothing else: how many packages, and how large.

Counted is everything below its ``site-packages``, compiled files included, but for pip. Needs a package index.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.measure import ROOT, Gate

MODULE = "bench.install"
PACKAGES = ("licet",)
UNIT = "packages; MB"
GROUPS = ((),)
MOST, MOST_MB = 45, 90
GATES = (
    Gate("packages that licet[mcp] brings / 45", "packages", "45 packages", (MOST - 1) / MOST),
    Gate("size of them / 90 MB", "MB", "90 MB", 1),
    Gate("packages that licet alone brings / 45", "packages, without mcp", "45 packages"),
    Gate("size of them, without mcp / 90 MB", "MB, without mcp", "90 MB"),
)
PIP = ("pip", "setuptools", "pip-", "setuptools-", "_distutils_hack", "distutils-precedence.pth")


def installed(folder: Path, what: str) -> tuple[int, float]:
    """Packages and megabytes."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    pip = [str(folder / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([*pip, "install", what], check=True, stdout=sys.stderr)
    (site,) = folder.glob("lib/python*/site-packages")
    names = [info.name for info in site.glob("*.dist-info") if not info.name.startswith(PIP[2:4])]
    parts = [part for part in site.iterdir() if part.name not in PIP and not part.name.startswith(PIP[2:4])]
    files = [file for part in parts for file in (part.rglob("*") if part.is_dir() else (part,))]
    return len(names), sum(file.stat().st_size for file in files if file.is_file() and not file.is_symlink()) / 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        packages, size = installed(Path(folder, "whole"), f"{ROOT}[mcp]")
        few, small = installed(Path(folder, "alone"), str(ROOT))
    figures = {"packages": packages, "MB": size, "packages, without mcp": few, "MB, without mcp": small}
    limits = {"45 packages": MOST, "90 MB": MOST_MB}
    print(json.dumps({name: [float(value)] for name, value in {**figures, **limits}.items()}))


if __name__ == "__main__":
    main()
