"""One POST to one target: to an address that was looked at, once, within a time, whatever the other side does."""

import contextlib
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from threading import Timer
from typing import NamedTuple

from ...memory.facts import Outcome
from .target import Target

_MOST_READ = 64 * 1024
"""Bytes of an answer's body: it is read so that the other side may end, and thrown away."""

Dial = Callable[[str, int, float], socket.socket]
"""A connection to a numeric address and a port, within so many seconds. Raises OSError."""


class Delivery(NamedTuple):
    """``delivered``: an answer of 2xx. ``failed``: another answer, or nothing was sent. ``unknown``: something was
    sent and no answer came. ``response_code`` is the answer's, None without one.
    """

    state: Outcome
    response_code: int | None


def dial(address: str, port: int, timeout_s: float) -> socket.socket:
    """No name is looked up here, and no proxy of the environment is asked."""
    family = socket.AF_INET if ip_address(address).version == 4 else socket.AF_INET6
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.settimeout(timeout_s)
        made.connect((address, port))
    except BaseException:
        made.close()
        raise
    return made


def deliver(
    target: Target,
    body: bytes,
    headers: Mapping[str, str],
    timeout_s: float,
    *,
    dial: Dial = dial,
    tls: ssl.SSLContext | None = None,
) -> Delivery:
    """Raises nothing that the other side can cause. Redirects are answers like any other, and not followed."""
    ends_at = time.monotonic() + timeout_s
    try:
        connected = _connect(target, ends_at, dial)
    except OSError:
        return Delivery("failed", None)
    with _bounded(connected, target, ends_at, tls) as ready:
        return Delivery("failed", None) if ready is None else _post(target, ready, body, headers)


def _connect(target: Target, ends_at: float, dial: Dial) -> socket.socket:
    last = OSError("the name has no address")
    for address in target.addresses:
        left_s = ends_at - time.monotonic()
        if left_s <= 0:
            break
        try:
            return dial(address, target.port, left_s)
        except OSError as exc:
            last = exc
    raise last


@contextlib.contextmanager
def _bounded(
    connected: socket.socket, target: Target, ends_at: float, tls: ssl.SSLContext | None
) -> Iterator[socket.socket | None]:
    """The connection, with TLS for the target's own name; shut from outside when the time is over, so that nobody who
    sends a byte now and then can hold it. None: there is no TLS with who is there, and nothing was sent but its start.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(lambda: held.close())
        held = connected
        left_s = max(ends_at - time.monotonic(), 0.001)
        held.settimeout(left_s)
        if target.tls:
            context = tls or ssl.create_default_context()
            held = context.wrap_socket(connected, server_hostname=target.host, do_handshake_on_connect=False)
        watch = Timer(left_s, _shut, (held,))
        watch.daemon = True
        watch.start()
        stack.callback(watch.cancel)
        yield _shaken(held)


def _shaken(held: socket.socket) -> socket.socket | None:
    if isinstance(held, ssl.SSLSocket):
        try:
            held.do_handshake()
        except (OSError, ValueError):  # ssl errors are OSErrors; a name that does not fit its certificate is one
            return None
    return held


def _shut(held: socket.socket) -> None:
    with contextlib.suppress(OSError):
        held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closing resets: nobody waits
        socket.socket.shutdown(held, socket.SHUT_RDWR)  # not TLS's own, which would wait for the other side


def _post(target: Target, ready: socket.socket, body: bytes, headers: Mapping[str, str]) -> Delivery:
    connection = HTTPConnection(target.host, target.port)
    connection.auto_open = 0
    connection.default_port = 443 if target.tls else 80
    connection.sock = ready
    try:
        connection.request("POST", target.path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
    except (OSError, HTTPException, ValueError):
        return Delivery("unknown", None)
    with contextlib.suppress(OSError, HTTPException, ValueError):
        answer.read(_MOST_READ)
    answer.close()
    return Delivery("delivered" if 200 <= answer.status < 300 else "failed", answer.status)


__all__ = ["Delivery", "Dial", "deliver", "dial"]
