"""How a server is written in one line of text: a command with its arguments, or a URL."""

import shlex
from collections.abc import Iterator

from ...errors import ConfigurationError
from ...model.server import ServerSpec

SEPARATOR = "::"


def command_lines(text: str) -> list[str]:
    """The lines that stand in a text between ``::``, which counts outside quotes only; blank ones are left out."""
    return [line for line in map(str.strip, _between(text)) if line]


def _between(text: str) -> Iterator[str]:
    """Reads quotes and backslashes as ``shlex`` does."""
    start = place = 0
    quote = ""
    while place < len(text):
        sign = text[place]
        if sign == "\\" and quote != "'":
            place += 1  # whatever comes next is itself
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif text.startswith(SEPARATOR, place):
            yield text[start:place]
            start = place = place + len(SEPARATOR)
            continue
        place += 1
    yield text[start:]


def server_of(line: str, id: str) -> ServerSpec:
    """A server reached by a command over standard input and output, or by a URL over streamable HTTP.

    The command is never given to a shell, and its process gets the default variables of the environment and no others.

    Raises:
        ConfigurationError: the line is empty, a quote in it stays open, or its URL is none. What it says is not
            repeated: arguments may be secrets.
    """
    try:
        words = shlex.split(line)
    except ValueError as exc:
        raise ConfigurationError(f"{id}: its command line ends inside a quote or after a backslash; close it") from exc
    if not words or not words[0]:
        raise ConfigurationError(f"{id}: its command line is empty; write COMMAND ARGUMENT ..., or a URL")
    if words[0].lower().startswith(("http://", "https://")):
        if len(words) > 1:
            raise ConfigurationError(f"{id}: a URL takes no arguments; separate two servers with {SEPARATOR!r}")
        return ServerSpec(id=id, url=words[0])
    return ServerSpec(id=id, command=words[0], args=tuple(words[1:]))
