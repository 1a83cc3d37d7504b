"""One command of licet that dies at a point of its own, as by kill -9.

``dying.py before|after MODULE:NAME.OF.FUNCTION NUMBER WORD ...``: at the NUMBERth call of the function, counted from 1.
"""

import importlib
import os
import signal
import sys
from typing import Any

from licet.cli import main


def die(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(when: str, where: str, number: int) -> None:
    module, _, path = where.partition(":")
    holder: Any = importlib.import_module(module)
    *owners, name = path.split(".")
    for owner in owners:
        holder = getattr(holder, owner)
    function, calls = getattr(holder, name), iter(range(1, sys.maxsize))

    def watched(*arguments: Any, **options: Any) -> Any:
        last = next(calls) == number
        if last and when == "before":
            die()
        found = function(*arguments, **options)
        if last:
            die()
        return found

    setattr(holder, name, watched)


arm(sys.argv[1], sys.argv[2], int(sys.argv[3]))
sys.exit(main(sys.argv[4:]))
