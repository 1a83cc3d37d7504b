"""A signature becomes the schema of its arguments."""

import asyncio
import dataclasses
import enum
import functools
import subprocess
import sys
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal, Optional, Union

import pytest
from schema_samples import (
    Bounded,
    Colour,
    Level,
    Line,
    Mixed,
    Options,
    Point,
    T,
    UserId,
    function_of,
    schema_of,
    whole_of,
)
from typing_extensions import TypeAliasType

from licet.errors import ConfigurationError
from licet.model.context import CallContext
from licet.model.json_object import JsonObject
from licet.schema.derive import derive
from licet.schema.validate import compile

# --- the schema ---


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (object, {}),
        (list, {"type": "array"}),
        (dict, {"type": "object"}),
        (tuple, {"type": "array"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (typing.List[int], {"type": "array", "items": {"type": "integer"}}),  # noqa: UP006
        (Sequence[str], {"type": "array", "items": {"type": "string"}}),
        (Iterable[Any], {"type": "array"}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (Mapping[str, Any], {"type": "object"}),
        (tuple[int, ...], {"type": "array", "items": {"type": "integer"}}),
        (
            tuple[int, str],
            {"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [{"type": "integer"}, {"type": "string"}]},
        ),
        (tuple[()], {"type": "array", "minItems": 0, "maxItems": 0}),
        (int | None, {"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        (Optional[str], {"anyOf": [{"type": "string"}, {"type": "null"}]}),  # noqa: UP045
        (Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal[1, "a", None, True], {"enum": [1, "a", None, True]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Level, {"type": "integer", "enum": [1, 2]}),
        (Mixed, {"enum": [None, 1, 0.5, "word"]}),
        (UserId, {"type": "integer"}),
        (Bounded, {"type": "string"}),
        (T, {}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Annotated[int, {"minimum": 1}, "n"], {"type": "integer", "minimum": 1, "description": "n"}),
        (Annotated[str, 5, object()], {"type": "string"}),
        (list[Annotated[str, {"minLength": 1}]], {"type": "array", "items": {"type": "string", "minLength": 1}}),
    ],
    ids=str,
)  # fmt: skip
def test_an_annotation_says_what_values_fit(annotation: Any, schema: dict[str, Any]) -> None:
    assert schema_of(annotation) == schema


def test_a_function_becomes_a_closed_object() -> None:
    def find(path: str, pattern: str = "*", *, limit: int = 10, anything, deep=False) -> list[str]: ...  # type: ignore[no-untyped-def]

    assert derive(find) == (
        {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "pattern": {"type": "string", "default": "*"},
                "limit": {"type": "integer", "default": 10},
                "anything": {},
                "deep": {"default": False},
            },
            "additionalProperties": False,
            "required": ["path", "anything"],
        },
        None,
        None,
    )
    assert derive(lambda: None).schema == {"type": "object", "properties": {}, "additionalProperties": False}


def test_keyword_arguments_open_the_object() -> None:
    def anything(a: int, **_: Any) -> None: ...
    def unannotated(a: int, **_) -> None: ...  # type: ignore[no-untyped-def]
    def numbers(a: str, **rest: int) -> None: ...

    assert derive(anything).schema["additionalProperties"] is True
    assert derive(unannotated).schema["additionalProperties"] is True
    assert derive(numbers).schema["additionalProperties"] == {"type": "integer"}
    assert list(derive(numbers).schema["properties"]) == ["a"]


def test_the_context_is_injected_and_absent_from_the_schema() -> None:
    def plain(context: CallContext, path: str) -> None: ...
    def optional(path: str, *, where: CallContext | None = None) -> None: ...
    def noted(path: str, ctx: Annotated[CallContext, "who calls"]) -> None: ...
    def quoted(path: str, ctx: "CallContext") -> None: ...

    for function, name in ((plain, "context"), (optional, "where"), (noted, "ctx"), (quoted, "ctx")):
        derived = derive(function)
        assert derived.context_parameter == name
        assert list(derived.schema["properties"]) == ["path"]
        assert derived.schema["required"] == ["path"]

    def twice(one: CallContext, two: CallContext) -> None: ...

    with pytest.raises(ConfigurationError, match="one and two both"):
        derive(twice)


def test_dataclasses_and_typed_dicts_are_closed_definitions() -> None:
    whole = whole_of(Line)
    assert whole["properties"]["a"] == {"$ref": "#/$defs/Line"}
    assert whole["$defs"]["Line"] == {
        "type": "object",
        "properties": {
            "start": {"$ref": "#/$defs/Point"},
            "end": {"$ref": "#/$defs/Point"},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "additionalProperties": False,
        "required": ["start", "end"],
    }
    assert whole["$defs"]["Point"]["properties"]["y"] == {"type": "integer", "description": "how far up", "default": 0}
    options = whole_of(Options)["$defs"]["Options"]
    assert options["required"] == ["deep"]
    assert list(options["properties"]) == ["deep", "limit", "colours"]
    assert options["additionalProperties"] is False


def test_two_types_of_one_name_stay_apart() -> None:
    def make(kind: type) -> type:
        @dataclasses.dataclass
        class Same:
            value: kind  # type: ignore[valid-type]

        return Same

    one, two = make(int), make(str)

    def function(a, b) -> None: ...  # type: ignore[no-untyped-def]

    function.__annotations__ = {"a": one, "b": two}
    derived = derive(function)
    tool = compile(JsonObject(derived.schema), where="derived")
    assert tool.is_valid({"a": {"value": 1}, "b": {"value": "x"}})
    assert not tool.is_valid({"a": {"value": "x"}, "b": {"value": "x"}})
    assert derived.convert is not None
    assert type(derived.convert({"a": {"value": 1}, "b": {"value": "x"}})["b"]) is two


def test_a_definition_is_read_once_however_often_it_is_used() -> None:
    assert list(whole_of(list[Point] | dict[str, Point] | Point)["$defs"]) == ["Point"]


@pytest.mark.parametrize(
    ("annotation", "default", "shown"),
    [
        (int, 5, 5),
        (Colour, Colour.BLUE, "blue"),
        (tuple[int, ...], (1, 2), [1, 2]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (int | None, None, None),
        (Any, None, None),
        (Literal["a", None], None, None),
    ],
    ids=str,
)
def test_a_default_that_is_json_is_shown(annotation: Any, default: Any, shown: Any) -> None:
    schema = schema_of(annotation, default)
    assert schema["default"] == shown
    assert "required" not in whole_of(annotation, default)


@pytest.mark.parametrize(
    ("annotation", "default"), [(str, None), (Point, Point(1)), (float, float("nan")), (Any, object())]
)
def test_a_default_that_is_no_json_or_does_not_fit_is_left_out(annotation: Any, default: Any) -> None:
    assert "default" not in schema_of(annotation, default)
    assert "required" not in whole_of(annotation, default)


def test_a_docstring_describes_the_parameters() -> None:
    def find(path: str, limit: int = 5, other: Annotated[int, "mine"] = 0, plain: int = 1, *, note: str = "") -> None:
        """Find files.

        Args:
            path (str): where to look,
                from the root
            limit: at most so many: no more
            other: not this
            **note: a note

        Returns:
            plain: not a parameter
        """

    properties = derive(find).schema["properties"]
    assert properties["path"]["description"] == "where to look, from the root"
    assert properties["limit"]["description"] == "at most so many: no more"
    assert properties["other"]["description"] == "mine"
    assert properties["note"]["description"] == "a note"
    assert "description" not in properties["plain"]


def test_a_named_alias_is_a_definition() -> None:
    ids = TypeAliasType("Ids", list[UserId])
    assert whole_of(dict[str, ids])["$defs"] == {"Ids": {"type": "array", "items": {"type": "integer"}}}


def test_every_kind_of_callable_is_read() -> None:
    class Tool:
        def method(self, a: int) -> None: ...

        @classmethod
        def of_class(cls, a: int) -> None: ...

        @staticmethod
        def static(a: int) -> None: ...

        def __call__(self, a: int) -> None: ...

    async def coroutine(a: int) -> None:
        await asyncio.sleep(0)

    @functools.wraps(coroutine)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return coroutine(*args, **kwargs)

    def two(b: str, a: int) -> None: ...

    class Made:
        def __init__(self, a: "int") -> None: ...

    for function in (
        Tool().method,
        Tool.of_class,
        Tool.static,
        Tool(),
        coroutine,
        wrapped,
        functools.partial(two, "b"),
        Made,
    ):
        assert derive(function).schema["properties"] == {"a": {"type": "integer"}}


FUTURE = """
from __future__ import annotations
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict
from licet.model.context import CallContext
from licet.schema.derive import derive
if TYPE_CHECKING:
    from nowhere import Absent

@dataclass
class Node:
    value: int
    next: Node | None = None

class Options(TypedDict):
    a: int
    b: NotRequired[list[Node]]

def tool(ctx: CallContext, node: Node, options: Options, n: Annotated[int, "how many"] = 3) -> Absent: ...
def bad(ok: int, wrong: list[Absent]) -> None: ...

derived = derive(tool)
assert derived.context_parameter == "ctx"
assert derived.schema["required"] == ["node", "options"]
assert derived.schema["properties"]["n"] == {"type": "integer", "description": "how many", "default": 3}
assert derived.schema["$defs"]["Options"]["required"] == ["a"]
node = derived.convert({"node": {"value": 1, "next": {"value": 2}}, "options": {"a": 1, "b": [{"value": 3}]}})
assert node == {"node": Node(1, Node(2)), "options": {"a": 1, "b": [Node(3)]}}
try:
    derive(bad)
except Exception as exc:
    print(type(exc).__name__, exc)
import sys
print("pydantic" in sys.modules, "jsonschema_rs" in sys.modules)
"""


def test_annotations_as_text_are_resolved_and_neither_pydantic_nor_the_validator_is_imported() -> None:
    done = subprocess.run([sys.executable, "-c", FUTURE], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    refused, imported = done.stdout.strip().splitlines()
    assert refused.startswith("ConfigurationError bad: the annotation of parameter wrong cannot be resolved")
    assert imported == "False False"


# --- what cannot be said ---


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (set[str], "use list"),
        (frozenset, "use list"),
        (bytes, "bytes cannot be said"),
        (complex, "complex cannot be said"),
        (type(asyncio), "cannot be said"),
        (typing.Callable[[], int], "cannot be said"),
        (dict[int, str], r"use dict\[str"),
        (dict[Colour, str], r"use dict\[str"),
        (Literal[b"a"], "b'a'; use text, numbers"),
        (enum.Enum("Odd", {"A": object()}), "use text, numbers"),
        (list[bytes], "bytes cannot be said"),
        (Annotated[int, {"minimum": object()}], "keywords of Annotated"),
        ("Absent", "cannot be resolved"),
        ("list[", "cannot be resolved"),
    ],
    ids=str,
)
def test_an_annotation_that_cannot_be_said_names_function_and_parameter(annotation: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said) as caught:
        derive(function_of(annotation))
    message = str(caught.value)
    assert "function" in message
    assert "parameter a" in message


def test_what_cannot_be_said_inside_a_class_is_found_with_its_field() -> None:
    @dataclasses.dataclass
    class Holder:
        inside: set[int]

    @dataclasses.dataclass
    class Once:
        value: dataclasses.InitVar[int]

    @dataclasses.dataclass
    class Lost:
        value: "Absent"  # type: ignore[name-defined]  # noqa: F821

    for kind, said in ((Holder, "inside: set"), (Once, "InitVar"), (Lost, "cannot be resolved")):
        with pytest.raises(ConfigurationError, match=said):
            derive(function_of(kind))


def test_a_parameter_without_a_name_to_pass_it_by_is_refused() -> None:
    def starred(a: int, *rest: int) -> None: ...
    def positional(a: int, /, b: int) -> None: ...

    for function, said in (
        (starred, r"\*rest"),
        (positional, "parameter a is positional-only"),
        (dict.get, "positional-only"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            derive(function)
    with pytest.raises(ConfigurationError, match="has no signature"):
        derive(5)  # type: ignore[arg-type]
