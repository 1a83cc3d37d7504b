"""Embedded copies in a tree, and those that ought to be there. Paths are relative to the root, with slashes."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

MODULES = ("contract.py", "contract.ts")
ADAPTERS, PACKAGES = "src/licet/adapters", "packages"
PASSED_OVER = frozenset(("node_modules", "__pycache__", "dist", "build", "site", "venv"))
MOST_BYTES = 1 << 20


def modules(root: Path) -> Iterator[str]:
    """Paths of all copies, relative to the root; folders of tools and builds, and hidden ones, are passed over."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in PASSED_OVER]
        for name in files:
            if name in MODULES:
                yield (Path(folder) / name).relative_to(root).as_posix()


def without(root: Path, found: list[str]) -> Iterator[str]:
    """Copies that ought to be there: one in each adapter and each package."""
    for folder in below(root / ADAPTERS):
        path = f"{ADAPTERS}/{folder.name}/contract.py"
        if path not in found and any(file.name.endswith(".py") for file in folder.iterdir()):
            yield path
    for folder in below(root / PACKAGES):
        inside = f"{PACKAGES}/{folder.name}/"
        if (folder / "package.json").exists() and not any(path.startswith(inside) for path in found):
            yield f"{inside}src/contract.ts"


def below(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [one for one in folder.iterdir() if one.is_dir() and not one.is_symlink() and one.name not in PASSED_OVER]


def text_of(path: Path) -> str | None:
    """What a file holds, or None: it is no plain file of text, or too large."""
    try:
        held = path.lstat()
        if not stat.S_ISREG(held.st_mode) or held.st_size > MOST_BYTES:
            return None
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
