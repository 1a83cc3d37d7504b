"""The port and the token of ``licet serve --http``."""

import argparse
import os
import re
from typing import TYPE_CHECKING

from ..errors import ConfigurationError

if TYPE_CHECKING:
    import socket

TOKEN = "LICET_TOKEN"

_TOKEN = re.compile(r"[\x21-\x7e]{16,512}", re.ASCII)


def opened_port(arguments: argparse.Namespace) -> "tuple[socket.socket | None, str | None]":
    """The socket and its token, None where none is asked for; both None over standard input and output.

    Raises ConfigurationError: it is no port, it is in use, or the token is none.
    """
    if arguments.http is None:
        return None, None
    if not 0 <= arguments.http <= 65535:
        raise ConfigurationError(f"{arguments.http} is no port; use 0 to 65535")
    import secrets

    from ..gateway.http import address, listen
    from . import output

    given = os.environ.pop(TOKEN, None)
    if given is not None and _TOKEN.fullmatch(given) is None:
        raise ConfigurationError(f"{TOKEN} has 16 to 512 visible ASCII characters; or drop it, and one is made")
    listening = listen(arguments.http)
    token = None if arguments.no_token else given or secrets.token_urlsafe(32)
    output.say(f"licet: listening on {address(listening)}")
    if token is None:
        output.say("licet: without a token: every process of this machine may call")
    elif given is None:
        output.say(f"licet: its token, which is shown only now: {token}")
    return listening, token


__all__ = ["TOKEN", "opened_port"]
