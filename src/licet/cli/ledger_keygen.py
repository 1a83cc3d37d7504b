"""``licet ledger keygen``."""

import argparse

from ..errors import ConfigurationError
from .exits import DONE


def run(arguments: argparse.Namespace) -> int:
    from ..ledger.keys import new_pair
    from . import output
    from .configured import ledger_here
    from .key_file import make_pair, refuse_beside, refuse_within_reach

    private, public = arguments.key, arguments.public_key
    ledger = ledger_here(arguments.ledger)
    for path, option in ((private, "--key"), (public, "--public-key")):
        if not path or "\0" in path:
            raise ConfigurationError(f"{option} {path!r} names no file")
        refuse_beside(ledger, path, option)
    refuse_within_reach(private, "--key", arguments.root)
    data, public_data = new_pair()
    make_pair((private, data), (public, public_data))
    output.line(f"private key {private}: keep it to yourself, away from the ledger and from every root")
    output.line(f"public key {public}: give it to whoever verifies")
    return DONE


__all__ = ["run"]
