"""Whatever a server may list keeps its pin through the file."""

import random
import string
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from lock_samples import SCHEMA, definition, lock_of, server

from licet.dialects.mcp import Definition
from licet.model.json_object import JsonObject
from licet.model.tool import Annotations
from licet.project.drift import server_drift
from licet.project.lock import text
from licet.project.lock_reader import parse

claims = st.none() | st.booleans()
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
objects = st.dictionaries(texts, values, max_size=6).map(JsonObject)
names = st.text(string.ascii_letters + string.digits, min_size=1, max_size=20)
definitions = st.builds(
    Definition,
    name=names,
    title=st.none() | texts,
    description=texts,
    input_schema=objects,
    output_schema=st.none() | objects,
    annotations=st.builds(Annotations, read_only=claims, destructive=claims, open_world=claims, idempotent=claims),
)


@given(definitions)
def test_any_definition_that_is_written_and_read_has_the_same_pin(given: Definition) -> None:
    lock = lock_of(given)
    written = text(lock)
    again = parse(written.encode(), "licet.lock")
    assert again == lock
    assert text(again) == written


def reserialised(value: Any, chance: random.Random) -> Any:
    """Equal to whoever reads it: members in another order, and whole numbers with a point or without."""
    if isinstance(value, dict):
        return {key: reserialised(value[key], chance) for key in chance.sample([*value], len(value))}
    if isinstance(value, list):
        return [reserialised(item, chance) for item in value]
    if isinstance(value, int) and not isinstance(value, bool) and chance.random() < 0.5:
        return float(value)
    return value


def test_a_thousand_equal_serialisations_are_no_drift() -> None:
    import json

    schema = {**SCHEMA, "minProperties": 1, "properties": {**SCHEMA["properties"], "n": {"maximum": 9, "enum": [1, 2]}}}
    then = server(definition(input_schema=schema, output_schema=schema))
    chance = random.Random(20)
    for _ in range(1000):
        other = reserialised(schema, chance)
        for member in ("default", "$comment", "title"):
            if chance.random() < 0.5:
                other[member] = None
        spaced = json.dumps(other, indent=chance.choice([None, 1, 4]))
        now = server(definition(input_schema=json.loads(spaced), output_schema=json.loads(spaced)))
        assert server_drift("mcp/git", then, now) == []


def test_a_lock_in_other_white_space_and_another_order_is_the_same_lock(tmp_path: Path) -> None:
    import json

    lock = lock_of(definition(), definition("git_show"))
    value = json.loads(text(lock))
    chance = random.Random(3)

    def shuffled(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: shuffled(value[key]) for key in chance.sample([*value], len(value))}
        return value

    assert parse(json.dumps(shuffled(value)).encode(), "licet.lock") == lock
