"""The same without the guards: bombs that the same watch has to catch."""

import json
import re
import urllib.request
from contextlib import suppress
from typing import Any

import jsonschema_rs
import orjson

from campaign.bombs.bomb import Bomb, Fuse, Place
from campaign.bombs.schemas import _fan


def _waiting(act: Any) -> Fuse:
    async def call() -> None:
        act()

    return Fuse(call=call)


def _backtracking(place: Place) -> Fuse:
    return _waiting(lambda: re.match("^(a+)+$", "a" * 26 + "!"))


def _depth(place: Place) -> Fuse:
    text = "[" * 100_000 + "]" * 100_000
    return _waiting(lambda: json.loads(text))


def _unfolding(place: Place) -> Fuse:
    value: Any = "leaf"
    for _ in range(24):
        value = [value, value]
    return _waiting(lambda: orjson.dumps(value))


def _multiplying(place: Place) -> Fuse:
    validator = jsonschema_rs.validator_for(_fan(25))
    return _waiting(lambda: validator.is_valid("x"))


def _fetching(place: Place) -> Fuse:
    def act() -> None:
        with suppress(ValueError):
            jsonschema_rs.validator_for({"$ref": f"{place.url}/x"})

    return _waiting(act)


def _reading(place: Place) -> Fuse:
    return _waiting(lambda: jsonschema_rs.validator_for({"$ref": f"file://{place.pipe}"}))


def _asking(place: Place) -> Fuse:
    def act() -> None:
        with suppress(OSError):
            urllib.request.urlopen(f"{place.url}/x", timeout=0.01)

    return _waiting(act)


CONTROLS = [
    Bomb("control", "Python's own expressions", _backtracking),
    Bomb("control", "json.loads of 100,000 levels", _depth),
    Bomb("control", "orjson of a value that unfolds", _unfolding),
    Bomb("control", "a validator without a count of references", _multiplying),
    Bomb("control", "a validator that may fetch, and a web server", _fetching),
    Bomb("control", "a validator that may fetch, and a file", _reading),
    Bomb("control", "a fetch by Python", _asking),
]
