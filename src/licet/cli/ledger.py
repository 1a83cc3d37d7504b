"""``licet ledger``: show, verify and compare entries, settle a call whose effect is unknown, sign where it stands."""

import argparse
from importlib import import_module

from . import configured
from .quantity import count

ACTIONS = {
    "show": "the entries, oldest first",
    "verify": "check every entry and the chain; exit code 1 if something is wrong",
    "diff": "compare the events of two runs or ledgers; exit code 1 on the first difference",
    "settle": "close a call that has a beginning and no end, in your name; look first what it did",
    "checkpoint": "verify, then sign where the ledger stands; keep the checkpoint on another machine",
    "keygen": "make the pair of keys for checkpoints; nothing else ever makes one",
}


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    for action, summary in ACTIONS.items():
        child = actions.add_parser(
            action, help=summary, description=f"{summary[0].upper()}{summary[1:]}.", allow_abbrev=False
        )
        child.formatter_class = parser.formatter_class
        _CONFIGURE[action](child)


def run(arguments: argparse.Namespace) -> int:
    code: int = import_module(f".ledger_{arguments.action}", __package__).run(arguments)
    return code


def _show(parser: argparse.ArgumentParser) -> None:
    _file(parser)
    parser.add_argument("--run", metavar="RUN", help="of one run: its id, the beginning of it, or last")
    parser.add_argument("--kind", metavar="KIND", help="of one kind: tool.refused, or refused for short")
    parser.add_argument("--unknown", action="store_true", help="only beginnings of calls that have no end")
    parser.add_argument("--limit", metavar="N", type=count, help="at most the newest N")
    parser.add_argument("--json", action="store_true", help="one JSON document, bodies and traces as objects")


def _verify(parser: argparse.ArgumentParser) -> None:
    _file(parser)
    parser.add_argument("--checkpoint", metavar="FILE", help="a checkpoint of it that was kept elsewhere")
    parser.add_argument("--public-key", metavar="FILE", help="the key that the checkpoint must be signed with")
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _diff(parser: argparse.ArgumentParser) -> None:
    for side in ("a", "b"):
        help = "a ledger's FILE, FILE:RUN, or a RUN of your own ledger: its id, the beginning of it, or last"
        parser.add_argument(side, metavar=side.upper(), help=help)
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _settle(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("call", metavar="CALL", help="the call's whole id, as ledger verify names it")
    parser.add_argument("outcome", choices=("done", "failed"), help="what you found out")
    parser.add_argument("--note", metavar="TEXT", required=True, help="how you know; it stands on the ledger")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger")
    configured.add_options(parser)
    parser.add_argument("--json", action="store_true", help="one JSON document")


def _checkpoint(parser: argparse.ArgumentParser) -> None:
    _file(parser)
    parser.add_argument("--key", metavar="FILE", required=True, help="your private key, outside the ledger's folder")
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="where to write it, instead of standard output; an earlier checkpoint there must still hold",
    )


def _keygen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--key", metavar="FILE", required=True, help="the private key, a new file that only you read")
    parser.add_argument("--public-key", metavar="FILE", required=True, help="the public key, a new file")
    parser.add_argument("--ledger", metavar="FILE", help="the ledger, in whose folder the keys may not lie")
    parser.add_argument(
        "--root",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder of your runs, in which they may not lie either; may be repeated",
    )


_CONFIGURE = {
    "show": _show,
    "verify": _verify,
    "diff": _diff,
    "settle": _settle,
    "checkpoint": _checkpoint,
    "keygen": _keygen,
}


def _file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="the ledger's file")
    configured.add_options(parser)


__all__ = ["configure", "run"]
