"""What the race is about: a root ``ws``, what lies outside of it, and an attacker that moves the border."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from campaign.paths import attack

INSIDE, OUTSIDE = b"inside", b"OUTSIDE!"
"""Contents, of different lengths; the second stands in each file and in the name of one file that nobody may reach."""


class Scene(NamedTuple):
    """One attack, and the paths below ``ws`` that it is about. ``folder`` is where new files go.

    ``held`` is the beginning of these paths that the naive way opens before it goes on.
    """

    attack: str
    file: str
    folder: str
    write_folder: str = ""
    held: str = ""

    @property
    def target(self) -> str:
        """The folder of what is written."""
        return self.write_folder or self.folder


SCENES = (
    Scene("folder_and_link", "place/file", "place"),
    Scene("file_and_link", "place/file", "place"),
    Scene("protected", "place/file", "place", "settings"),
    Scene("link_retargeted", "hop/file", "hop"),
    Scene("parent_moved", "deep/mid/sub/../../x/file", "deep/mid/sub/../../x", held="deep/mid/sub"),
    Scene("parent_replaced", "up/in/file", "up/in"),
    Scene("hard_link", "place/file", "place"),
)


def build(world: Path) -> Path:
    """The world of every scene, and its root."""
    root = world / "ws"
    for folder in ("place", "settings", "deep/mid/sub", "deep/x", "up/in", "steady/sub"):
        _file(root / folder / "file", INSIDE)
    for folder in ("outside", "outside/x", "outside/in", "ws/.licet", "ws/.git"):
        _file(world / folder / "file", OUTSIDE)
        _file(world / folder / "OUTSIDE", OUTSIDE)
    for name, target in (
        ("link", "../outside"),
        ("place/pointer", "../../outside/file"),
        ("to_state", ".licet"),
        ("to_git", ".git"),
        ("hop", "place"),
    ):
        (root / name).symlink_to(target)
    (world / "swaps").write_bytes(bytes(8))
    return root


def guarded(world: Path) -> dict[str, bytes]:
    """What may never change: each file outside and each protected one, with its content. ``mid`` comes and goes."""
    found: dict[str, bytes] = {}
    folders = [str(world / folder) for folder in ("outside", "ws/.licet", "ws/.git")]
    while folders:
        for entry in os.scandir(folders.pop()):
            if entry.name == "mid":
                continue
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
                found[entry.path] = b""
            else:
                found[entry.path] = Path(entry.path).read_bytes()
    return found


def swaps(world: Path) -> int:
    """How often the attacker has moved something so far, at least."""
    return int.from_bytes((world / "swaps").read_bytes(), "little")


@contextmanager
def attacked(world: Path, name: str, seed: int) -> Iterator[None]:
    """While this is open, another process attacks. Raises RuntimeError: it stopped by itself."""
    command = [sys.executable, "-I", "-S", attack.__file__, name, str(world), str(seed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                raise RuntimeError(f"the attacker {name} did not start")
            yield
            if process.poll() is not None:
                raise RuntimeError(f"the attacker {name} stopped by itself")
        finally:
            process.kill()


def _file(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
