"""Values that stand in a file in clear and look like secrets: by the name beside them, or by their own form.

A net, not a proof: it looks at names and known forms, never at how random a text is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .place import Place
from .variables import expand

_NAMES = frozenset(
    "apikey auth authorization bearer cookie credential credentials jwt key pass passphrase passwd password pat pwd "
    "secret token".split()
)
_OTHER_ENDS = frozenset("dir file host id limit mode name path port type url user username".split())
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_FORM = re.compile(
    r"gh[opsur]_[A-Za-z0-9]{16,}|github_pat_\w{16,}|glpat-[\w-]{12,}|xox[abeprs]-[\w-]{10,}|\bsk-[\w-]{16,}"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|\bya29\.[\w-]{16,}|\beyJ[\w-]{8,}\.[\w-]{8,}|npm_\w{30,}"
    r"|pypi-[\w-]{30,}|\bhf_\w{20,}|SG\.[\w-]{16,}|\b(?:whsec|lin_api|gsk|ntn|figd|dop_v1)_[\w-]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY",
    re.ASCII,
)
_LOGIN = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/\s:@]*:[^/\s@]+@", re.ASCII)
_QUERY = re.compile(r"[?&]([^=&#\s]+)=([^&#\s]*)")
_SCHEME = re.compile(r"(?:bearer|basic|token)\s+", re.IGNORECASE)
_HEADER_ARGUMENT = re.compile(r"([A-Za-z-]+):\s*(.+)")
_HARMLESS = re.compile(r"|[\w.-]{1,40}=|true|false|none|null|yes|no|on|off|[0-9.]{1,9}", re.IGNORECASE)


class _Empty(dict[str, str]):
    """Every variable has an empty value, so that only what stands in the file is left of a text."""

    def get(self, key: object, default: object = None) -> Any:
        return ""


def names_secret(name: str) -> bool:
    """Whether a variable, header, option or parameter of this name would hold a secret."""
    parts = [part.lower() for part in _PART.findall(name)]
    return bool(parts) and parts[-1] not in _OTHER_ENDS and not _NAMES.isdisjoint(parts)


def looks_secret(name: str, value: str) -> bool:
    """Whether a value, written in clear under this name, looks like a secret. Variables in it do not count."""
    written = expand(value, _Empty(), "")
    if _FORM.search(written) or _LOGIN.search(written):
        return True
    if any(looks_secret(key, text) for key, text in _QUERY.findall(written) if key != name):
        return True
    return names_secret(name) and not _HARMLESS.fullmatch(_SCHEME.sub("", written, count=1).strip())


def secret_places(args: Sequence[str], env: Mapping[str, str], url: str, headers: Mapping[str, str]) -> Iterator[Place]:
    """Where in a server's entry such values stand."""
    for at, argument in enumerate(args):
        before = args[at - 1] if at else ""
        if _argument(before, argument):
            yield ("args", at)
    for key, held in (("env", env), ("headers", headers)):
        for name, value in held.items():
            if looks_secret(name, value):
                yield (key, name)
    if looks_secret("", url):
        yield ("url",)


def _argument(before: str, argument: str) -> bool:
    name, equals, value = argument.lstrip("-").partition("=")
    if equals and looks_secret(name, value):
        return True
    header = _HEADER_ARGUMENT.fullmatch(argument)
    if header is not None and "://" not in argument and looks_secret(header[1], header[2]):
        return True
    option = before.lstrip("-") if before.startswith("-") and "=" not in before else ""
    return not argument.startswith("-") and looks_secret(option, argument)


__all__ = ["looks_secret", "names_secret", "secret_places"]
