"""Which words of a command line or a URL are secrets, by their names and by their looks.

A net, not a proof: it takes a word too many rather than one too few, for a variable is easily set.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote

from .secret import names_secret

_SECRET_NAME = re.compile(
    r"api[-_]?key|access[-_]?key|private[-_]?key|secret|passw|passphrase|pwd$|token|credential|auth(?!or)|bearer|cookie"
    r"|^key$|[-_]key$|(^|[-_])pat$|(^|[-_])jwt$|signature|^sig$|connection[-_]?string|dsn$",
    re.IGNORECASE,
)
_NO_SECRET_NAME = re.compile(r"(file|path|dir|folder|url|uri|endpoint|type|name|header|host|port)$", re.IGNORECASE)

_SHAPE = re.compile(
    r"\b(?:sk|rk|pk)[-_](?:live_|test_|proj-|ant-)?[A-Za-z0-9_-]{12,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}|\bglpat-[A-Za-z0-9_-]{12,}"
    r"|\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}|\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[A-Za-z0-9_-]{20,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?|\bya29\.[A-Za-z0-9_-]{12,}"
    r"|\b(?:hf|npm|figd|ntn|secret|shpat|shpss|dop_v1|lin_api|tvly|fc|pplx|r8|gsk|xai)[-_][A-Za-z0-9_-]{12,}"
    r"|\bpypi-[A-Za-z0-9_-]{16,}|\bSG\.[A-Za-z0-9_-]{16,}(?:\.[A-Za-z0-9_-]+)?"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*",
    re.ASCII | re.DOTALL,
)
_RANDOM = re.compile(r"[A-Za-z0-9]{24,}", re.ASCII)
_REFERENCE = re.compile(r"\$\{[^}]*\}")
_OPTION = re.compile(r"(?P<name>--?[A-Za-z][\w.-]*|[A-Za-z_][\w.-]*)=(?P<value>.*)", re.ASCII | re.DOTALL)
_HEADER = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z0-9-]*):\s*(?:(?:Bearer|Basic|Token)\s+)?(?P<value>\S.*)", re.ASCII | re.DOTALL
)
_SCHEME = re.compile(r"(?:Bearer|Basic|Token|ApiKey)\s+(?=\S)", re.IGNORECASE)
_PASSWORD = re.compile(
    r"(?P<scheme>[a-z][a-z0-9+.-]*)://(?P<user>[^/?#@:\s]*)(?::(?P<password>[^/?#@\s]*))?@", re.ASCII | re.IGNORECASE
)
_INSIDE = (
    re.compile(r"(?:^|[?&#;,\s])(?P<name>[^=&#;,\s?]+)=(?P<value>[^&#;\s]*)"),
    re.compile(r"(?:^|\s)--?(?P<name>[A-Za-z][\w-]*)\s+(?P<value>[^\s-]\S*)", re.ASCII),
    re.compile(r"[\"'](?P<name>[^\"']{1,80})[\"']\s*:\s*[\"'](?P<value>[^\"']*)[\"']"),
)
"""A name with its value in a query, a shell's line or a piece of JSON."""
_BEARER = re.compile(r"\b(?:Bearer|Basic)\s+(?P<value>[A-Za-z0-9._~+/=-]{6,})", re.ASCII | re.IGNORECASE)


class Secret(NamedTuple):
    """Where a secret stands in a text, and a word to name its variable after."""

    start: int
    end: int
    word: str


def secret_name(name: str) -> bool:
    """Whether a value of this name is a secret; ``--key-file`` only says where one is."""
    return names_secret(name) or (_SECRET_NAME.search(name) is not None and _NO_SECRET_NAME.search(name) is None)


def secrets_in(text: str, before: str = "") -> list[Secret]:
    """The secrets in one argument or URL, in their order. ``before`` is the argument in front of it.

    What a variable stands for already is none.
    """
    found: list[Secret] = []
    for secret in sorted(_found(text, before), key=lambda one: (one.start, -one.end)):
        if secret.start < secret.end and (not found or secret.start >= found[-1].end):
            found.append(secret)
    return [secret for secret in found if _REFERENCE.sub("", text[secret.start : secret.end])]


def scheme_of(header: str) -> str:
    """``Bearer `` and the like at the beginning of a header's value, which is no secret."""
    found = _SCHEME.match(header)
    return found[0] if found else ""


def _found(text: str, before: str) -> Iterator[Secret]:
    if before.startswith("-") and secret_name(before.lstrip("-")) and not text.startswith("-"):
        yield Secret(0, len(text), before.lstrip("-"))
    option = _OPTION.fullmatch(text)
    if option is not None and secret_name(option["name"].lstrip("-")):
        yield Secret(option.start("value"), len(text), option["name"].lstrip("-"))
    header = _HEADER.fullmatch(text)
    if header is not None and (secret_name(header["name"]) or before in ("-H", "--header")):
        yield Secret(header.start("value"), len(text), header["name"])
    for url in _PASSWORD.finditer(text):
        if url["password"] is not None:
            yield Secret(url.start("password"), url.end("password"), "password")
        elif url["scheme"].lower() in ("http", "https"):
            yield Secret(url.start("user"), url.end("user"), "token")
    for pattern in _INSIDE:
        for pair in pattern.finditer(text):
            if secret_name(unquote(pair["name"])):
                yield Secret(pair.start("value"), pair.end("value"), unquote(pair["name"]).lstrip("-"))
    for bearer in _BEARER.finditer(text):
        yield Secret(bearer.start("value"), bearer.end("value"), "token")
    for shape in _SHAPE.finditer(text):
        yield Secret(shape.start(), shape.end(), "token")
    for run in _RANDOM.finditer(text):
        if sum(char.isdigit() for char in run[0]) >= 3 and any(char.isalpha() for char in run[0]):
            yield Secret(run.start(), run.end(), "token")


__all__ = ["Secret", "scheme_of", "secret_name", "secrets_in"]
