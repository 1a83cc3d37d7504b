"""Over generated signatures: arguments of the annotated types fit the derived schema, others do not, and come back."""

import dataclasses
import enum
import json
from typing import Any, Literal, NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from licet.model.json_object import JsonObject
from licet.schema.derive import Derived, derive
from licet.schema.validate import compile


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: float = 0.0


@dataclasses.dataclass(frozen=True)
class Tree:
    point: Point
    inside: "Tree | None" = None


class Case(NamedTuple):
    """An annotation, values of its type, and JSON that is none of it. ``kinds`` are the JSON types of its values."""

    annotation: Any
    values: st.SearchStrategy[Any]
    kinds: frozenset[str]


WRONG: dict[str, list[Any]] = {
    "null": [None],
    "boolean": [True, False],
    "number": [7, -1, 2.5],
    "string": ["", "neither"],
    "array": [[], [[]], [None, {}]],
    "object": [{}, {"x": "y"}, {"unknown": 1}],
}
points = st.builds(Point, st.integers(-9, 9), st.floats(-9, 9))
plain = [
    Case(str, st.text(st.characters(exclude_categories=["Cs"]), max_size=5), frozenset(["string"])),
    Case(int, st.integers(-(2**63), 2**63), frozenset(["number"])),
    Case(bool, st.booleans(), frozenset(["boolean"])),
    Case(type(None), st.none(), frozenset(["null"])),
    Case(Literal["a", 1, None], st.sampled_from(["a", 1, None]), frozenset(["string", "number", "null"])),
    Case(Colour, st.sampled_from(Colour), frozenset(["string"])),
    Case(Point, points, frozenset(["object"])),
    Case(
        Tree,
        st.recursive(st.builds(Tree, points), lambda inside: st.builds(Tree, points, inside)),
        frozenset(["object"]),
    ),
]


def union_of(members: list[Case]) -> Case:
    annotation = members[0].annotation
    for member in members[1:]:
        annotation = annotation | member.annotation
    kinds = frozenset().union(*(member.kinds for member in members))
    return Case(annotation, st.one_of(*(member.values for member in members)), kinds)


def containers(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    def listed(item: Case) -> Case:
        return Case(list[item.annotation], st.lists(item.values, max_size=3), frozenset(["array"]))  # type: ignore[name-defined]

    def varied(item: Case) -> Case:
        values = st.lists(item.values, max_size=3).map(tuple)
        return Case(tuple[item.annotation, ...], values, frozenset(["array"]))  # type: ignore[name-defined]

    def paired(items: tuple[Case, Case]) -> Case:
        one, two = items
        annotation = tuple[one.annotation, two.annotation]  # type: ignore[name-defined]
        return Case(annotation, st.tuples(one.values, two.values), frozenset(["array"]))

    def mapped(item: Case) -> Case:
        values = st.dictionaries(st.sampled_from("abc"), item.values, max_size=3)
        return Case(dict[str, item.annotation], values, frozenset(["object"]))  # type: ignore[name-defined]

    return inner.map(listed) | inner.map(varied) | st.tuples(inner, inner).map(paired) | inner.map(mapped)


types = st.recursive(st.sampled_from(plain), containers, max_leaves=4)
distinct = {"string": plain[0], "number": plain[1], "boolean": plain[2], "null": plain[3], "object": plain[6]}
unions = st.lists(st.sampled_from(sorted(distinct)), min_size=2, unique=True).map(
    lambda names: union_of([distinct[name] for name in names])
)
parameters = st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), types | unions, max_size=4)


def derived_from(cases: dict[str, Case], optional: set[str]) -> Derived:
    """Of a function with these parameters; the optional ones have a default."""
    signature = ", ".join(f"{name}=None" if name in optional else name for name in sorted(cases))
    namespace: dict[str, Any] = {}
    exec(f"def function(*, {signature}): ..." if signature else "def function(): ...", namespace)  # noqa: S102
    function = namespace["function"]
    function.__annotations__ = {name: case.annotation for name, case in cases.items()}
    return derive(function)


def as_json(value: Any) -> Any:
    """What a model would send for a value."""

    def foreign(value: Any) -> Any:
        return value.value if isinstance(value, enum.Enum) else vars(value)

    return json.loads(json.dumps(value, default=foreign))


@given(parameters, st.sets(st.sampled_from("abcd")), st.data())
def test_arguments_of_the_annotated_types_fit_and_come_back_as_they_were(
    cases: dict[str, Case], optional: set[str], data: st.DataObject
) -> None:
    derived = derived_from(cases, optional)
    tool = compile(JsonObject(derived.schema), where="derived")
    left_out = data.draw(st.sets(st.sampled_from("abcd"))) & optional
    arguments = {name: data.draw(case.values) for name, case in cases.items() if name not in left_out}
    sent = as_json(arguments)
    assert tool.errors(sent) == []
    assert tool.is_valid(sent)
    received = sent if derived.convert is None else derived.convert(sent)
    assert received == arguments
    assert [type(value) for value in received.values()] == [type(value) for value in arguments.values()]


@given(parameters.filter(bool), st.data())
def test_an_argument_that_is_missing_unknown_or_of_another_type_does_not_fit(
    cases: dict[str, Case], data: st.DataObject
) -> None:
    tool = compile(JsonObject(derived_from(cases, set()).schema), where="derived")
    sent = as_json({name: data.draw(case.values) for name, case in cases.items()})
    name = data.draw(st.sampled_from(sorted(cases)))
    missing = {key: value for key, value in sent.items() if key != name}
    assert not tool.is_valid(missing)
    assert not tool.is_valid({**sent, "unknown": 1})
    kind = data.draw(st.sampled_from(sorted(WRONG.keys() - cases[name].kinds)))
    for wrong in WRONG[kind]:
        assert not tool.is_valid({**sent, name: wrong})
        assert tool.errors({**sent, name: wrong})[0].pointer.startswith(f"/{name}")


@given(parameters)
def test_the_same_signature_gives_the_same_schema(cases: dict[str, Case]) -> None:
    assert JsonObject(derived_from(cases, set()).schema) == JsonObject(derived_from(cases, set()).schema)
