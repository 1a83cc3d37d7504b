"""What the arguments of a task's calls may be: named in the prompt, or exactly those of its solution."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from licet.policy.argument_rule import Rule

RUN_WORDS = 8
"""How many words of a prompt in a row may name something."""

_EDGES = " \t\n.,;:!?\"'`()[]{}<>"
_UNITS = "$€£%+-"
_NUMBER = re.compile(r"\d[\d,]{,14}(?:\.\d+)?")

Schemas = Mapping[str, Mapping[str, Any]]
"""The input schema of each tool of a suite."""


@cache
def written() -> dict[str, Any]:
    """The rules of the operator, by suite."""
    return tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))


def named_in(prompt: str) -> list[Any]:
    """Every run of at most eight words, without the punctuation at its ends, and every word that is a number.

    A run is as the prompt has it, upper and lower case included; "Alice's" also names "Alice", "$50" also 50.
    """
    words = prompt.split()
    runs: dict[str, None] = {}
    for first in range(len(words)):
        for last in range(first + 1, min(first + RUN_WORDS, len(words)) + 1):
            run = " ".join(words[first:last]).strip(_EDGES)
            runs[run] = runs[run.removesuffix("'s")] = None
    runs.pop("", None)
    bare = (word.strip(_EDGES + _UNITS) for word in words)
    numbers = dict.fromkeys(float(word.replace(",", "")) for word in bare if _NUMBER.fullmatch(word))
    return [*runs, *(int(number) if number.is_integer() else number for number in numbers)]


def from_prompt(suite: str, schemas: Schemas, prompt: str, records: Any = None) -> dict[str, list[Rule]]:
    """The operator's rules for one prompt. ``records`` is the user's data as JSON; None: the prompt alone counts."""
    mine = written()[suite]
    named = named_in(prompt)
    rules: dict[str, list[Rule]] = {}
    for tool, targets in mine["tools"].items():
        for pointer, kind in targets.items():
            known = [] if records is None or not kind else list(_held(records, mine["records"][kind]))
            argument = pointer.split("/")[1]
            schema = schemas[tool]
            nothing = [None] if _takes_null(schema["properties"][argument]) else []
            optional = argument not in schema.get("required", ())
            allowed = _distinct([*named, *known, *nothing])
            rules.setdefault(tool, []).append(Rule(pointer, one_of=allowed, optional=optional))
    return rules


def exact(schemas: Schemas, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> dict[str, list[Rule]]:
    """Every argument of a called tool is one that the solution has there, or is left out where it leaves it out."""
    by_tool: dict[str, list[Mapping[str, Any]]] = {}
    for tool, arguments in calls:
        by_tool.setdefault(tool, []).append(arguments)
    rules: dict[str, list[Rule]] = {}
    for tool, given in by_tool.items():
        for name, schema in schemas[tool].get("properties", {}).items():
            values = _distinct(arguments[name] for arguments in given if name in arguments)
            left_out = any(name not in arguments for arguments in given)
            if left_out and "default" in schema:
                values = _distinct([*values, schema["default"]])
            pointer = "/" + name.replace("~", "~0").replace("/", "~1")
            rules.setdefault(tool, []).append(Rule(pointer, one_of=values, optional=left_out))
    return rules


def _held(records: Any, pointers: Iterable[str]) -> Iterator[Any]:
    for pointer in pointers:
        yield from _at(records, pointer.split("/")[1:])


def _at(value: Any, steps: Sequence[str]) -> Iterator[Any]:
    """The whole values that a pointer leads to; ``*`` is every element."""
    if not steps:
        yield value
    elif steps[0] == "*":
        for inside in value.values() if isinstance(value, dict) else value:
            yield from _at(inside, steps[1:])
    else:
        yield from _at(value[steps[0]], steps[1:])


def _takes_null(schema: Mapping[str, Any]) -> bool:
    return any(way.get("type") == "null" for way in schema.get("anyOf", ()))


def _distinct(values: Iterable[Any]) -> list[Any]:
    return list({json.dumps(value, sort_keys=True): value for value in values}.values())
