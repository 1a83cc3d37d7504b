"""Addresses of ``licet serve``, compared exactly: who points elsewhere points past the boundary."""

from urllib.parse import urlsplit

from ...errors import ConfigurationError

_PORTS = {"http": 80, "https": 443}


def endpoint(url: object) -> str:
    """The URL in one spelling, so that two that mean one endpoint are equal.

    Raises:
        ConfigurationError: it is no http or https URL, or names a user, a query or a fragment.
    """
    problem = "is no endpoint; write one such as http://127.0.0.1:8765/mcp"
    if not isinstance(url, str) or not url.isascii() or not url.isprintable() or " " in url:
        raise ConfigurationError(f"{ascii(url)[:200]} {problem}")
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        raise ConfigurationError(f"{url[:200]!r} {problem}") from None
    if not parts.hostname or parts.query or parts.fragment or parts.username is not None or "@" in parts.netloc:
        raise ConfigurationError(f"{url[:200]!r} {problem}")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}:{port}{parts.path or '/'}"


__all__ = ["endpoint"]
