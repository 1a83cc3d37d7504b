"""The time as it is written down."""

from datetime import UTC, datetime


def written(at_s: float) -> str:
    """Seconds since 1970 in UTC, to the microsecond (RFC 3339): ``2026-01-01T00:00:00.000000Z``."""
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


__all__ = ["written"]
