"""Where webhooks may go, as the operator wrote it."""

from typing import NamedTuple

LOOPBACK = "127.0.0.1"


class WebhookTerms(NamedTuple):
    """``hosts`` are pairs of a name in lower case and a port. ``loopback`` is the one port of 127.0.0.1 that plain HTTP
    may go to; None: none. ``timeout_s`` bounds a whole delivery. ``secret`` signs bodies.
    """

    hosts: frozenset[tuple[str, int]] = frozenset()
    loopback: int | None = None
    timeout_s: float = 10.0
    secret: bytes = b""

    def __repr__(self) -> str:
        return f"WebhookTerms({sorted(self.hosts)}, {self.loopback}, {self.timeout_s})"


__all__ = ["LOOPBACK", "WebhookTerms"]
