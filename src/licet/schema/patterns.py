"""Patterns that cost more than their text is long: told apart, and kept to short texts.

Most patterns run on an engine whose time is linear in the text. One that looks around or back, or whose program is
large, does not, and a stranger's pattern on a stranger's text may take minutes. Such a pattern is only ever tried on
a text of at most ``MOST_CHARACTERS``; a longer text does not fit the schema.
"""

from typing import TYPE_CHECKING, Any

from .pointer import legible, pointer
from .references import BadSchema, References

if TYPE_CHECKING:
    from jsonschema_rs import FancyRegexOptions, RegexOptions

MOST_CHARACTERS = 4096
"""Characters of a text that a costly pattern is tried on."""

MOST_PATTERNS = 150
"""In one schema, each as often as it stands there: to compile one may take half a millisecond."""

MOST_PATTERN_CHARACTERS = 1000
"""Of one pattern: compiling takes up to the square of it."""

MOST_CHARACTERS_OF_ALL = 15_000

_PROGRAM_BYTES = 64 * 1024
_LARGE_PROGRAM_BYTES = 256 * 1024
_CACHE_BYTES = 1024 * 1024
_BACKTRACKS = 10_000


def linear() -> "RegexOptions":
    """The engine without backtracking: it refuses what it cannot run in linear time."""
    from jsonschema_rs import RegexOptions

    return RegexOptions(_PROGRAM_BYTES, _CACHE_BYTES)


def backtracking() -> "FancyRegexOptions":
    """The engine that tries and goes back; after a bounded number of steps the text does not match."""
    from jsonschema_rs import FancyRegexOptions

    return FancyRegexOptions(_BACKTRACKS, _LARGE_PROGRAM_BYTES, _CACHE_BYTES)


def refuse_many(schema: dict[str, Any]) -> None:
    """Raises BadSchema: its patterns would take long to compile. What only looks like a pattern counts as one."""
    found: list[str] = []
    rest: list[Any] = [schema]
    while rest:
        part = rest.pop()
        if isinstance(part, list):
            rest += part
        elif isinstance(part, dict):
            rest += part.values()
            if isinstance(part.get("pattern"), str):
                found.append(part["pattern"])
            if isinstance(part.get("patternProperties"), dict):
                found += part["patternProperties"]
    if len(found) > MOST_PATTERNS:
        raise BadSchema("", f"{len(found)} patterns; use at most {MOST_PATTERNS}")
    longest = max(map(len, found), default=0)
    if longest > MOST_PATTERN_CHARACTERS:
        raise BadSchema("", f"a pattern of {longest} characters; use at most {MOST_PATTERN_CHARACTERS}")
    if sum(map(len, found)) > MOST_CHARACTERS_OF_ALL:
        raise BadSchema("", f"{sum(map(len, found))} characters of patterns; use at most {MOST_CHARACTERS_OF_ALL}")


def keep_to_short_texts(references: References) -> None:
    """Change the schemas of a document in place, so that each costly pattern is tried on short texts only.

    Raises:
        BadSchema: what should be a pattern is none, or is costly where a text's length cannot be bounded.
    """
    for place in references.places:
        names = place.schema.get("patternProperties")
        for name in names if isinstance(names, dict) else ():
            if not _runs(name, linear()):
                raise BadSchema(
                    pointer((*place.path, "patternProperties", name)),
                    f"{legible(repr(name))} is no pattern for names, or a costly one; use one without look-around",
                )
        pattern = place.schema.get("pattern")
        if isinstance(pattern, str) and not _runs(pattern, linear()):
            at = pointer((*place.path, "pattern"))
            if not _runs(pattern, backtracking()):
                raise BadSchema(at, f"{legible(repr(pattern))} is no pattern, or a very large one; use ECMA 262 syntax")
            if not references.knows_if:
                raise BadSchema(at, f"{legible(repr(pattern))} looks around or back; use draft 7 or later for it")
            _bound(place.schema, pattern)


def _bound(schema: dict[str, Any], pattern: str) -> None:
    short = {"maxLength": MOST_CHARACTERS}
    others = schema.get("allOf", [])
    if isinstance(others, list):
        del schema["pattern"]
        schema["allOf"] = [*others, {"if": short, "then": {"pattern": pattern}, "else": short}]


def _runs(pattern: str, engine: "RegexOptions | FancyRegexOptions") -> bool:
    from jsonschema_rs import Draft202012Validator

    try:
        Draft202012Validator({"pattern": pattern}, pattern_options=engine, offline=True)
    except ValueError:
        return False
    return True
