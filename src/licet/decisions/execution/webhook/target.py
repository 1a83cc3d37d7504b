"""Where a webhook's URL leads: to a host that the operator allows, at addresses that were all looked at."""

import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from ...error import DecisionError
from .address import public
from .terms import LOOPBACK, WebhookTerms

_URL = re.compile(
    r"(?P<scheme>https?)://(?P<host>[A-Za-z0-9.-]{1,253})(?::(?P<port>[0-9]{1,5}))?"
    r"(?P<path>/[A-Za-z0-9._~!$&'()*+,;=:@%/-]*)?(?P<query>\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?",
    re.ASCII,
)
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"(?:{_LABEL}\.)*{_LABEL}", re.ASCII)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
MOST_URL = 2048
_MOST_ADDRESSES = 4
HTTPS = 443

Resolve = Callable[[str, int], Collection[str]]
"""The numeric addresses of a name. Raises OSError: it has none now."""


class Target(NamedTuple):
    """``addresses`` were looked at; only they are connected to. ``path`` holds the query too. ``tls`` is false on the
    one loopback port only. Without addresses the name has none now, and a delivery fails.
    """

    host: str
    port: int
    path: str
    tls: bool
    addresses: tuple[str, ...]


def host_name(text: str) -> bool:
    """Whether it is a name in lower case, and nothing that a resolver reads as a number (WHATWG URL, 3.5)."""
    return _NAME.fullmatch(text) is not None and _NUMBER.fullmatch(text.rpartition(".")[2]) is None


def target_of(url: str, terms: WebhookTerms, resolve: Resolve, own_ports: Collection[int] = ()) -> Target:
    """Raises DecisionError ``webhook_not_allowed`` (422); nothing was connected to. It says nothing of addresses."""
    parts = _URL.fullmatch(url) if len(url) <= MOST_URL else None
    if parts is None:
        raise _refused("it is no plain URL: https://HOST/PATH, in ASCII, without a login or a fragment")
    host, path = parts["host"].lower(), (parts["path"] or "/") + (parts["query"] or "")
    if parts["scheme"] == "http":
        port = int(parts["port"] or 80)
        if parts["host"] != LOOPBACK or port != terms.loopback or port in own_ports:
            raise _refused("plain HTTP goes to the one loopback port that the operator named; use https")
        return Target(host, port, path, False, (LOOPBACK,))
    port = int(parts["port"] or HTTPS)
    if not host_name(host) or (host, port) not in terms.hosts:
        raise _refused("its host and port are not among those that the operator allows")
    try:
        addresses = tuple(dict.fromkeys(resolve(host, port)))
    except (OSError, UnicodeError):
        addresses = ()
    if not all(map(public, addresses)):
        raise _refused("its name leads to an address that is not on the public net")
    return Target(host, port, path, True, addresses[:_MOST_ADDRESSES])


def _refused(why: str) -> DecisionError:
    return DecisionError("webhook_not_allowed", f"the webhook is not called: {why}", status=422)


__all__ = ["HTTPS", "Resolve", "Target", "host_name", "target_of"]
