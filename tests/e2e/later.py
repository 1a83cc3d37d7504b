"""One command of licet, so many days from now. ``later.py DAYS WORD ...``"""

import sys
import time

_shift_ns = int(sys.argv[1]) * 24 * 3600 * 10**9
_now_ns = time.time_ns
time.time_ns = lambda: _now_ns() + _shift_ns

from licet.cli import main  # noqa: E402 - the clock comes first

sys.exit(main(sys.argv[2:]))
