"""The machine's clocks."""

import time


class SystemClock:
    """Wall time and monotonic time, both in nanoseconds."""

    time_ns = staticmethod(time.time_ns)
    monotonic_ns = staticmethod(time.perf_counter_ns)
