"""Another process that renames and links for ever what somebody is opening. Run by its path: it imports no licet.

usage: attack.py NAME WORLD SEED

``swaps`` in the world counts what was done, as a number in its first eight bytes.
"""

import ctypes
import itertools
import mmap
import os
import random
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

EXCHANGE = 2
HERE = -100  # AT_FDCWD

Swap = Callable[[], None]


def exchanging(one: Path, other: Path) -> Swap:
    """The two change places in one step, as a rename in each direction would never do."""
    renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    first, second = bytes(one), bytes(other)

    def swap() -> None:
        if renameat2(HERE, first, HERE, second, EXCHANGE):
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), str(one))

    return swap


def folder_and_link(world: Path) -> Swap:
    """A folder one moment, a link to the outside the next."""
    return exchanging(world / "ws" / "place", world / "ws" / "link")


def file_and_link(world: Path) -> Swap:
    """A file one moment, a link to a file outside the next."""
    file, link = world / "ws" / "place" / "file", world / "ws" / "place" / "pointer"
    exchange = exchanging(file, link)

    def swap() -> None:
        exchange()
        if not (os.path.islink(file) or os.path.islink(link)):  # a new file took the place of the link
            os.unlink(link)
            os.symlink("../../outside/file", link)

    return swap


def protected(world: Path) -> Swap:
    """A folder that is a link to licet's own state, or to the repository's settings, every other moment."""
    swaps = (
        exchanging(world / "ws" / "place", world / "ws" / "to_state"),
        exchanging(world / "ws" / "settings", world / "ws" / "to_git"),
    )
    turn = 0

    def swap() -> None:
        nonlocal turn
        swaps[turn % 2]()
        turn += 1

    return swap


def link_retargeted(world: Path) -> Swap:
    """One link that leads inside, outside, and outside by an absolute path."""
    link, fresh = world / "ws" / "hop", world / "ws" / "hop.next"
    targets = ("place", "../outside", "./place", str(world / "outside"))
    turn = 0

    def swap() -> None:
        nonlocal turn
        turn += 1
        os.symlink(targets[turn % 4], fresh)
        os.rename(fresh, link)

    return swap


def parent_moved(world: Path) -> Swap:
    """A folder on the way is taken out of the root and brought back: its ``..`` is the outside meanwhile."""
    inside, outside = world / "ws" / "deep" / "mid", world / "outside" / "mid"

    def swap() -> None:
        os.rename(inside, outside)
        os.rename(outside, inside)

    return swap


def parent_replaced(world: Path) -> Swap:
    """A folder on the way is renamed inside the root, and a link to the outside takes its name."""
    name, away = world / "ws" / "up", world / "ws" / "away"
    numbers = itertools.count()

    def taking(step: Callable[[], None]) -> None:
        """Whoever makes folders may take the free name first, and fill what is being dropped."""
        while True:
            try:
                return step()
            except OSError:
                dropped = world / "ws" / f"dropped{next(numbers)}"
                with suppress(OSError):
                    os.rename(name, dropped)
                shutil.rmtree(dropped, ignore_errors=True)

    def swap() -> None:
        os.rename(name, away)
        taking(lambda: os.symlink("../outside", name))
        os.unlink(name)
        taking(lambda: os.rename(away, name))

    return swap


def hard_link(world: Path) -> Swap:
    """A file of the outside gets a second name inside, and loses it again to a file that belongs there."""
    name, fresh, secret = world / "ws" / "place" / "file", world / "ws" / "fresh", world / "outside" / "file"

    def swap() -> None:
        os.link(secret, fresh)
        os.rename(fresh, name)
        fresh.write_bytes(b"inside")
        os.rename(fresh, name)
        os.unlink(name)
        with suppress(FileExistsError):  # whoever writes there may be faster
            os.link(secret, name)
        os.unlink(name)
        fresh.write_bytes(b"inside")
        os.rename(fresh, name)

    return swap


ATTACKS: dict[str, Callable[[Path], Swap]] = {
    attack.__name__: attack
    for attack in (
        folder_and_link,
        file_and_link,
        protected,
        link_retargeted,
        parent_moved,
        parent_replaced,
        hard_link,
    )
}


def main() -> None:
    name, world, seed = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    swap = ATTACKS[name](world)
    pauses = [random.Random(seed).randrange(400) for _ in range(256)]
    counter = mmap.mmap(os.open(world / "swaps", os.O_RDWR), 8)
    print("ready", flush=True)
    parent = os.getppid()
    done = 0
    while os.getppid() == parent:
        for pause in pauses:
            swap()
            for _ in range(pause):
                pass
        done += len(pauses)
        counter[:8] = done.to_bytes(8, "little")


if __name__ == "__main__":
    main()
