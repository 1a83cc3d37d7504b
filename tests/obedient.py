"""What a model writes that obeys every injection: fields that no model may set, everywhere and in every spelling."""

import json
import os
import random
import unicodedata
from typing import Any

CALLS = int(os.environ.get("LICET_FUZZED_CALLS", "600"))
"""How many calls go through each door."""

SCHEMA = {
    "type": "object",
    "properties": {"decision_id": {"type": "string"}, "force": {"type": "boolean"}, "batch": {}, "metadata": {}},
    "required": ["decision_id"],
}
"""Of the engine's tool, which takes whatever else it is told."""

_WORDS = ["force", "override_safety", "Force", "FORCE", "\uff46orce", "override_safety ", "Override_Safety"]
_NAMES = [*_WORDS, "reason", "n"]


def obeyed(chance: random.Random) -> dict[str, Any]:
    """The arguments of one call."""
    names = [*_NAMES, "batch", "metadata"]
    return {"decision_id": "d1", **{chance.choice(names): _value(chance, 3) for _ in range(chance.randrange(4))}}


def _value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(6)
    if depth == 0 or kind < 2:
        return chance.choice([True, 1, "yes", None, "force", 0.5])
    if kind == 2:
        return [_value(chance, depth - 1) for _ in range(chance.randrange(3))]
    if kind == 3:
        return json.dumps({chance.choice(_NAMES): True})
    return {chance.choice(_NAMES): _value(chance, depth - 1) for _ in range(chance.randrange(3))}


def set_fields(found: Any) -> set[str]:
    """Names that no model may set, at any depth, also in a text of JSON."""
    if isinstance(found, dict):
        named = {"force", "override_safety"} & {unicodedata.normalize("NFKC", key).strip().casefold() for key in found}
        return named.union(*map(set_fields, found.values()))
    if isinstance(found, list):
        return set().union(*map(set_fields, found))
    if isinstance(found, str) and found.startswith("{"):
        return set_fields(json.loads(found))
    return set()


def arrived(arguments: dict[str, Any]) -> set[str]:
    """Fields that came to the engine; ``metadata`` is payload, which stays payload."""
    return set_fields({name: value for name, value in arguments.items() if name != "metadata"})
