"""Arguments for one tool of which it is certain, by how they are made, whether they have to be let in."""

import json
import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...model.tool import ToolSpec
from .fitting import Fitting
from .shape import Schemas, Unsure
from .spoil import spoilt

ROUNDS = 12
"""Values left to chance, after the smallest and the fullest."""

LIMIT_INPUTS = 600
"""Of one tool and one kind of certainty; a larger harvest is drawn from by lot."""

_SHOWN = 160
_LARGEST = 2**53
_OVERSIZED = (1 << 20) + 1
_TOO_DEEP = 100

NEVER = (
    ("not JSON", '{"a": '),
    ("not JSON", "{'a': 1}"),
    ("not JSON", '{"a": NaN}'),
    ("not JSON", '{"a": 1e999}'),
    ("not an object", "null"),
    ("not an object", "[]"),
    ("not an object", '"{}"'),
    ("not an object", "7"),
    ("a key twice", '{"a": 1, "a": 1}'),
    ("huge number", '{"a": 123456789012345678901234567890}'),
    ("half a character", '{"a": "\\ud800"}'),
    ("too deep", f'{{"a": {"[" * _TOO_DEEP}{"]" * _TOO_DEEP}}}'),
    ("too large", json.dumps({"a": "x" * _OVERSIZED})),
)
"""What no schema lets in: it is no object of strict JSON, or passes a limit."""


AWAY = ("../outside.txt", "a/../../outside.txt", "/etc/hostname", "a\0b")
GUARDED = ("licet.yaml", ".git/config", ".mcp.json")


class Input(NamedTuple):
    """``arguments`` is an object or JSON text; ``fits`` is what is certain of it."""

    kind: str
    pointer: str
    arguments: dict[str, Any] | str
    fits: bool

    def __str__(self) -> str:
        text = self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)
        shown = text if len(text) <= _SHOWN else f"{text[:_SHOWN]}... ({len(text)} characters)"
        return f"{self.kind} at {self.pointer}: {shown}"


def inputs(spec: ToolSpec, seed: int) -> list[Input]:
    """The same for the same contract and seed. Without one that fits, the schema says more than is understood here."""
    schema: Mapping[str, Any] = json.loads(json.dumps(dict(spec.input_schema)))
    lot = random.Random(f"{seed} {spec.name}")
    schemas = Schemas(schema)
    fitting = list(_distinct(_fitting(schemas, schema, lot, spec)))
    bases = [*(found.arguments for found in fitting), schemas.guessed(schema)]  # a guess may be wrong already
    spoiling = (
        Input(
            wrong.kind, wrong.pointer, wrong.value if isinstance(wrong.value, dict) else json.dumps(wrong.value), False
        )
        for base in bases
        for wrong in spoilt(schemas, schema, base)
    )
    never = [Input(kind, "/", text, False) for kind, text in NEVER]
    twice = [Input("a key twice", f"/{name}", text, False) for base in bases[-2:] for name, text in _twice(base)]
    away = [found for base in bases[-2:] for found in _away(spec, base)]
    return [
        *_drawn(fitting, lot),
        *_drawn(list(_distinct(spoiling)), lot),
        *_distinct(iter(twice)),
        *_distinct(iter(away)),
        *never,
    ]


def _fitting(schemas: Schemas, schema: Mapping[str, Any], lot: random.Random, spec: ToolSpec) -> Iterator[Input]:
    for full in (False, True, *(None for _ in range(ROUNDS))):
        try:
            value = Fitting(schemas, lot, full).value(schema)
        except Unsure:
            continue
        if not isinstance(value, dict) or not _ordinary(value, paths=bool(spec.path_arguments)):
            continue
        kind = {False: "smallest", True: "fullest", None: "by chance"}[full]
        yield Input(kind, "/", value, True)
        if "additionalProperties" not in schema or schema["additionalProperties"] is True:
            yield Input("one more property", "/", {**value, "licet_probe_extra": True}, True)


def _twice(base: Any) -> Iterator[tuple[str, str]]:
    """Texts in which a key of the value stands once more."""
    if isinstance(base, dict):
        for name, value in list(base.items())[:3]:
            again = f"{json.dumps(name)}: {json.dumps(value)}"
            yield name, f"{json.dumps(base)[:-1]}, {again}}}"


def _away(spec: ToolSpec, base: Any) -> Iterator[Input]:
    """Paths that no project root lets in, at the arguments that are declared to hold paths."""
    guarded = () if spec.capabilities.read_only else GUARDED
    for pointer in spec.path_arguments:
        name = pointer[1:]
        if isinstance(base, dict) and "/" not in name and "~" not in name:
            for path in (*AWAY, *guarded):
                yield Input("path", pointer, {**base, name: path}, False)


def _ordinary(value: Any, *, paths: bool) -> bool:
    """Whether nothing but the schema could refuse this: no number that is too large, no path that leads away."""
    if isinstance(value, dict):
        return all(_ordinary(inside, paths=paths) for inside in value.values())
    if isinstance(value, list):
        return all(_ordinary(inside, paths=paths) for inside in value)
    if isinstance(value, str):
        return value.isprintable() and not (paths and ("/" in value or value.startswith(".")))
    return not isinstance(value, int | float) or abs(value) <= _LARGEST


def _distinct(found: Iterator[Input]) -> Iterator[Input]:
    known = set()
    for one in found:
        text = json.dumps(one.arguments, sort_keys=True)
        if text not in known:
            known.add(text)
            yield one


def _drawn(found: list[Input], lot: random.Random) -> list[Input]:
    return found if len(found) <= LIMIT_INPUTS else lot.sample(found, LIMIT_INPUTS)
