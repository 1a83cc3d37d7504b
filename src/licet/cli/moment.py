"""Times as a person reads them."""

from datetime import UTC, datetime


def moment(at_us: int | None) -> str:
    """Local time of microseconds since 1970, to the second; ``-`` where there is none, or none that can be."""
    if at_us is None:
        return "-"
    try:
        return datetime.fromtimestamp(at_us / 1e6, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, OSError, ValueError):
        return "-"


def duration(us: int | None) -> str:
    """Microseconds in the unit that suits them."""
    if us is None or us < 0:
        return "-"
    if us < 1000:
        return f"{us} us"
    if us < 1_000_000:
        return f"{us / 1000:.3g} ms" if us < 100_000 else f"{us // 1000} ms"
    if us < 120_000_000:
        return f"{us / 1e6:.3g} s" if us < 100_000_000 else f"{us // 1_000_000} s"
    minutes = us // 60_000_000
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"


__all__ = ["duration", "moment"]
