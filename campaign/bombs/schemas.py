"""Schemas that multiply, recurse, backtrack, or want something from elsewhere; and instances that make them do it."""

from collections.abc import Callable, Mapping
from typing import Any

from campaign.bombs.bomb import DONE, REFUSED, Bomb, Lay
from campaign.bombs.door import schema

EITHER = (DONE, REFUSED)


def _of(make: Callable[[], dict[str, Any]], *instances: Any, output: bool = False) -> Lay:
    return lambda place: schema(make(), *[each() if callable(each) else each for each in instances], output=output)


def _object(**keywords: Any) -> dict[str, Any]:
    return {"type": "object", **keywords}


def _about(name: str, inner: Any, **keywords: Any) -> Callable[[], dict[str, Any]]:
    """A schema whose member ``name`` has this schema."""
    return lambda: _object(properties={name: inner() if callable(inner) else inner}, **keywords)


def _fan(levels: int, keyword: str = "allOf", ways: int = 2) -> dict[str, Any]:
    """References that multiply by ``ways`` on each level."""
    definitions: dict[str, Any] = {
        f"d{level}": {keyword: [{"$ref": f"#/$defs/d{level + 1}"}] * ways} for level in range(levels)
    }
    definitions[f"d{levels}"] = {"type": "string"}
    return {"$defs": definitions, "$ref": "#/$defs/d0"}


def _fan_of_members(levels: int) -> dict[str, Any]:
    definitions: dict[str, Any] = {
        f"d{level}": {"allOf": [{"properties": {"a": {"$ref": f"#/$defs/d{level + 1}"}}}] * 2}
        for level in range(levels)
    }
    definitions[f"d{levels}"] = {"$ref": "#/$defs/d0"}
    return {"$defs": definitions, "$ref": "#/$defs/d0"}


def _nested(levels: int, wrap: Callable[[Any], Any], inmost: Any) -> Any:
    for _ in range(levels):
        inmost = wrap(inmost)
    return inmost


def _expression() -> dict[str, Any]:
    """Three kinds of branches, each of which may hold all three."""
    branch = {"type": "object", "properties": {"args": {"type": "array", "items": {"$ref": "#/$defs/e"}}}}
    return {"$defs": {"e": {"anyOf": [branch, branch, branch, {"type": "string"}]}}, "$ref": "#/$defs/e"}


def _chain(length: int, last: Any) -> dict[str, Any]:
    definitions = {f"d{at}": {"$ref": f"#/$defs/d{at + 1}"} for at in range(length)}
    return {"$defs": {**definitions, f"d{length}": last}, "$ref": "#/$defs/d0"}


def _under(inner: Mapping[str, Any]) -> dict[str, Any]:
    """A document with definitions, below a member ``a``, its references still right."""
    definitions = inner.get("$defs", {})
    return _object(**{"$defs": definitions, "properties": {"a": {k: v for k, v in inner.items() if k != "$defs"}}})


NODE = _object(
    **{
        "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}, "required": ["v"]}},
        "$ref": "#/$defs/n",
    }
)

_RAW: list[tuple[str, tuple[str, ...], Lay]] = [
    # references
    ("references that multiply to 2^26", (REFUSED,), _of(lambda: _under(_fan(26)), {"a": 5})),
    ("references that multiply to 2^2000", (REFUSED,), _of(lambda: _under(_fan(2000)), {"a": 5})),
    ("unions that multiply to 3^20", (REFUSED,), _of(lambda: _under(_fan(20, "anyOf", 3)), {"a": 5})),
    ("oneOf that multiplies to 2^20", (REFUSED,), _of(lambda: _under(_fan(20, "oneOf")), {"a": 5})),
    ("references that multiply to 2^12", EITHER, _of(lambda: _under(_fan(12)), {"a": "x"}, {"a": 5})),
    ("members that multiply with each level", EITHER, _of(lambda: _under(_fan_of_members(26)), {"a": {"a": {"a": 1}}})),
    ("a reference to itself", EITHER, _of(lambda: _object(**{"$ref": "#"}), {"a": 1})),
    ("two references in a circle", EITHER, _of(lambda: _under(_chain(1, {"$ref": "#/$defs/d0"})), {"a": 1})),
    ("a chain of 2,400 references", EITHER, _of(lambda: _under(_chain(2400, {"type": "string"})), {"a": 1})),
    ("a circle of 2,400 references", EITHER, _of(lambda: _under(_chain(2400, {"$ref": "#/$defs/d0"})), {"a": 1})),
    ("recursion into 60 levels", (REFUSED,), _of(lambda: NODE, _nested(60, lambda n: {"v": 1, "next": n}, {"w": 1}))),
    ("a recursive union, wrong at the bottom", (REFUSED,),
        _of(lambda: _under(_expression()), {"a": _nested(25, lambda n: {"args": [n]}, 5)})),
    ("a recursive union, wide and wrong", (REFUSED,),
        _of(lambda: _under(_expression()), {"a": {"args": ["x"] * 50_000 + [5]}})),
    ("5,000 references", (REFUSED,), _of(lambda: _under(_chain(5000, {"type": "string"})), {"a": 1})),
    ("2,000 references to 1,000 properties", EITHER, _of(
        lambda: _object(**{"allOf": [{"$ref": "#/$defs/a"}] * 2000, "$defs": {
            "a": {"properties": {f"p{n}": {"type": "string"} for n in range(1000)}}}}), {"p1": 1})),
    ("a dynamic reference that recurses", EITHER, _of(
        lambda: _object(**{"$dynamicAnchor": "n", "properties": {"next": {"$dynamicRef": "#n"}}}),
        _nested(60, lambda n: {"next": n}, {"next": 5}))),
    # what is elsewhere
    ("a reference to a web server", (REFUSED,), lambda p: schema(_object(properties={"x": {"$ref": f"{p.url}/x"}}))),
    ("a reference to a file", (REFUSED,), lambda p: schema(_object(properties={"x": {"$ref": f"file://{p.pipe}"}}))),
    ("a relative reference below a web server's $id", (REFUSED,),
        lambda p: schema(_object(**{"$id": f"{p.url}/base/", "properties": {"x": {"$ref": "other.json"}}}))),
    ("a dynamic reference to a web server", (REFUSED,),
        lambda p: schema(_object(properties={"x": {"$dynamicRef": f"{p.url}/x#a"}}))),
    ("a draft that a web server defines", (REFUSED,), lambda p: schema(_object(**{"$schema": f"{p.url}/draft"}))),
    ("a reference that nothing uses, to a web server", (REFUSED,),
        lambda p: schema(_object(**{"$defs": {"x": {"$ref": f"{p.url}/x"}}}))),
    ("a reference in an output schema to a web server", (REFUSED,),
        lambda p: schema(_object(properties={"x": {"$ref": f"{p.url}/x"}}), output=True)),
    # depth and width
    ("allOf, 25 deep", (REFUSED,),
        _of(_about("a", lambda: _nested(25, lambda s: {"allOf": [s]}, {"type": "string"})), {"a": 5})),
    ("allOf, 10,000 wide", (REFUSED,), _of(_about("a", lambda: {"allOf": [{"type": "string"}] * 10_000}), {"a": 5})),
    ("anyOf, 8,000 wide and wrong", (REFUSED,),
        _of(_about("a", lambda: {"anyOf": [{"const": n} for n in range(8000)]}), {"a": "x"})),
    ("oneOf, 8,000 wide and twice right", (REFUSED,),
        _of(_about("a", lambda: {"oneOf": [{"type": "string"}] * 8000}), {"a": "x"})),
    ("schemas 100 deep", (REFUSED,), _of(_about("a", lambda: _nested(100, lambda s: {"items": s}, {})))),
    ("not, 55 deep", EITHER, _of(_about("a", lambda: _nested(55, lambda s: {"not": s}, {"type": "string"})), {"a": 5})),
    ("if in then in else, 7 deep", EITHER, _of(
        _about("a", lambda: _nested(7, lambda s: {"if": s, "then": s, "else": s}, {"type": "string"})), {"a": 5})),
    ("unevaluatedProperties, 30 deep", (REFUSED,), _of(lambda: _object(**_nested(
        30, lambda s: {"unevaluatedProperties": False, "allOf": [s]}, {"properties": {"a": True}})), {"b": 1})),
    ("unevaluatedItems, 30 deep", (REFUSED,), _of(_about("a", lambda: _nested(
        30, lambda s: {"unevaluatedItems": False, "allOf": [s]}, {"prefixItems": [True]})), {"a": [1, 2]})),
    ("dependentSchemas, each needs the next", EITHER, _of(lambda: _object(
        dependentSchemas={f"k{n}": {"required": [f"k{n + 1}"]} for n in range(3000)}),
        lambda: {f"k{n}": n for n in range(3000)})),
    ("dependentSchemas that refer to the whole", EITHER, _of(lambda: _object(
        dependentSchemas={f"k{n}": {"allOf": [{"$ref": "#/dependentSchemas/k0"}] * 3} for n in range(1, 9)}
        | {"k0": {"$ref": "#/dependentSchemas/k1"}}), {"k0": 1, "k1": 1})),
    ("300 KiB of schema", (REFUSED,), _of(lambda: _object(description="x" * 300_000))),
    ("20,000 names in an enum", (REFUSED,),
        _of(_about("a", lambda: {"enum": [f"n{n}" for n in range(20_000)]}), {"a": 1})),
    ("an enum of large objects", (REFUSED,), _of(
        _about("a", lambda: {"enum": [{str(n): [n] * 60} for n in range(500)]}), lambda: {"a": {"499": [499] * 59}})),
    ("a const of a number of 4,000 digits", EITHER, _of(_about("a", lambda: {"const": 10**4000}), {"a": 1})),
    ("multipleOf 1e-300", EITHER, _of(_about("a", {"multipleOf": 1e-300}), {"a": 1e300})),
    ("multipleOf 0.1 of the largest numbers", EITHER,
        _of(_about("a", {"multipleOf": 0.1}), {"a": 2**64 - 1}, {"a": 1e308})),
    ("minLength of a number of 300 digits", EITHER, _of(_about("a", lambda: {"minLength": 10**300}), {"a": "x"})),
    # instances
    ("uniqueItems over 4,000 objects", (DONE,), _of(
        _about("a", {"uniqueItems": True}), lambda: {"a": [{"a": n, "b": [n]} for n in range(4000)]})),
    ("uniqueItems over 90,000 numbers", (DONE,),
        _of(_about("a", {"uniqueItems": True}), lambda: {"a": list(range(90_000))})),
    ("uniqueItems over 12,000 alike objects", (DONE,), _of(
        _about("a", {"uniqueItems": True}), lambda: {"a": [{"same": "x" * 20, "n": n} for n in range(12_000)]})),
    ("contains among 90,000 items", (REFUSED,), _of(
        _about("a", {"contains": {"const": -1}, "minContains": 5}), lambda: {"a": list(range(90_000))})),
    ("90,000 wrong items", (REFUSED,), _of(_about("a", {"items": {"type": "string"}}), lambda: {"a": [1] * 90_000})),
    ("90,000 items wrong in each branch", (REFUSED,), _of(
        _about("a", {"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}),
        lambda: {"a": [1] * 90_000})),
    ("10,000 prefixItems", (REFUSED,), _of(
        _about("a", lambda: {"prefixItems": [{"type": "integer"}] * 10_000}), lambda: {"a": ["x"] * 10_000})),
    ("40,000 names that do not belong", (REFUSED,), _of(
        lambda: _object(additionalProperties=False), lambda: {f"k{n}": n for n in range(40_000)})),
    ("patternProperties, 150 patterns and 5,000 names", (DONE,), _of(
        lambda: _object(patternProperties={f"^x{n}": {"type": "integer"} for n in range(150)}),
        lambda: {f"x{n}y": n for n in range(5000)})),
    ("5,000 patterns", (REFUSED,), _of(lambda: _object(
        properties={f"p{n}": {"pattern": f"(?!x)\\w+{n}"} for n in range(5000)}))),
    ("120 patterns of 2,000 characters", (REFUSED,), _of(lambda: _object(
        properties={f"p{n}": {"pattern": "a?" * 1000 + str(n)} for n in range(120)}))),
    ("propertyNames with a pattern, 30,000 names", EITHER, _of(
        lambda: _object(propertyNames={"pattern": "^(a+)+$"}), lambda: {"a" * 20 + f"!{n}": n for n in range(20_000)})),
    # patterns
    ("a pattern that backtracks, on 1 MB", (REFUSED,), _of(
        _about("a", {"type": "string", "pattern": "^(a+)+$"}), lambda: {"a": "a" * 1_000_000 + "!"})),
    ("a pattern that looks ahead and backtracks", (REFUSED,), _of(
        _about("a", {"pattern": "^(?=(a+)+$)x"}), lambda: {"a": "a" * 4000 + "!"}, lambda: {"a": "a" * 5000})),
    ("a pattern that looks behind, on 1 MB", EITHER,
        _of(_about("a", {"pattern": "(?<!a)b+$"}), lambda: {"a": "b" * 1_000_000})),
    ("a pattern with a back-reference", EITHER,
        _of(_about("a", {"pattern": "^(.+)\\1$"}), lambda: {"a": "ab" * 2000 + "c"})),
    ("a pattern of a million repetitions", EITHER, _of(_about("a", {"pattern": "(a{1,1000}){1,1000}"}), {"a": "a"})),
    ("a pattern of 200 KB", (REFUSED,), _of(_about("a", lambda: {"pattern": "a?" * 100_000}), {"a": "a"})),
    ("a costly pattern for names", (REFUSED,), _of(lambda: _object(patternProperties={"^(?!x)(a+)+$": True}), {})),
    ("100 costly patterns at once", (REFUSED,), _of(
        lambda: _object(properties={f"p{n}": {"pattern": "^(?=(a+)+$)x"} for n in range(100)}),
        lambda: {f"p{n}": "a" * 4000 + "!" for n in range(100)})),
    # output schemas
    ("an output schema that multiplies", (REFUSED,), _of(lambda: _under(_fan(26)), {"a": 1}, output=True)),
    ("90,000 wrong items in an output", (REFUSED,), _of(
        _about("a", {"items": {"type": "string"}}), lambda: {"a": [1] * 90_000}, output=True)),
]  # fmt: skip

BOMBS = [Bomb("schema", name, lay, expects) for name, expects, lay in _RAW]
