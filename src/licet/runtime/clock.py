"""The machine's clocks."""

import time


class SystemClock:
    """Wall time in microseconds, monotonic time in nanoseconds."""

    monotonic_ns = staticmethod(time.perf_counter_ns)

    @staticmethod
    def now_us() -> int:
        return time.time_ns() // 1000
