"""A strict wire has a model write null for what it leaves out: exactly those nulls are taken out, over any schema."""

from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from licet.dialects.lower import lowered
from licet.dialects.lower.forms import EVERY as FORMS
from licet.dialects.lower.forms import GEMINI_PARAMETERS, OPENAI_STRICT
from licet.dialects.lower.restore import restored
from licet.model.json_object import JsonObject
from licet.model.tool import ModelTool
from licet.schema.validate import compile

NAMES = ("a", "b", "c", "d e", "nul")


class Sample(NamedTuple):
    """A schema, a value that fits it, and the same value as a model writes it that was held to the strict wire."""

    schema: Any
    value: Any
    written: Any


class Member(NamedTuple):
    name: str
    sample: Sample
    required: bool
    there: bool


def _takes_null(schema: Any) -> bool:
    return compile(JsonObject({"allOf": [schema]}), where="a sample", tool_input=False).is_valid(None)


def scalars() -> st.SearchStrategy[Sample]:
    def one(schema: dict[str, Any], values: st.SearchStrategy[Any]) -> st.SearchStrategy[Sample]:
        return values.map(lambda value: Sample(schema, value, value))

    return st.one_of(
        one({"type": "string"}, st.text(max_size=3)),
        one({"type": "integer", "minimum": -9}, st.integers(-9, 9)),
        one({"type": "boolean"}, st.booleans()),
        one({"type": ["integer", "null"]}, st.none() | st.integers(-9, 9)),
        one({"enum": ["x", "y"]}, st.sampled_from(["x", "y"])),
        one({"enum": ["x", 1, None]}, st.sampled_from(["x", 1, None])),
        one({"type": "string", "const": "k", "description": "Always."}, st.just("k")),
        one({"anyOf": [{"type": "string"}, {"type": "null"}]}, st.none() | st.text(max_size=2)),
        one({"oneOf": [{"type": "string"}, {"type": "integer"}]}, st.integers(0, 3)),
        one({"type": "null"}, st.none()),
    )


def _object(members: list[Member], closed: bool, kind: str | None = None) -> Sample:
    schema: dict[str, Any] = {"type": "object", "properties": {one.name: one.sample.schema for one in members}}
    value = {one.name: one.sample.value for one in members if one.there}
    written = {one.name: one.sample.written if one.there else None for one in members}
    required = [one.name for one in members if one.required]
    if kind is not None:
        schema["properties"]["kind"] = {"const": kind}
        value["kind"] = written["kind"] = kind
        required.append("kind")
    if required:
        schema["required"] = required
    if closed:
        schema["additionalProperties"] = False
    return Sample(schema, value, written)


@st.composite
def objects(draw: st.DrawFn, inner: st.SearchStrategy[Sample], kind: str | None = None) -> Sample:
    """Optional properties too. One that takes null by itself is there: a model cannot say that it is absent."""
    members = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=4)):
        sample = draw(inner)
        required = draw(st.booleans())
        there = required or _takes_null(sample.schema) or draw(st.booleans())
        members.append(Member(name, sample, required, there))
    return _object(members, draw(st.booleans()), kind)


@st.composite
def arrays(draw: st.DrawFn, inner: st.SearchStrategy[Sample]) -> Sample:
    sample = draw(inner)
    often = draw(st.integers(0, 2))
    return Sample({"type": "array", "items": sample.schema}, [sample.value] * often, [sample.written] * often)


@st.composite
def unions(draw: st.DrawFn, inner: st.SearchStrategy[Sample]) -> Sample:
    """Of objects that a constant tells apart, and sometimes of null: the branch that is meant can be seen."""
    branches = [draw(objects(inner, kind)) for kind in ("one", "two", "three")]
    chosen = draw(st.sampled_from(branches))
    schemas = [one.schema for one in branches] + ([{"type": "null"}] if draw(st.booleans()) else [])
    return Sample({draw(st.sampled_from(["anyOf", "oneOf"])): schemas}, chosen.value, chosen.written)


@st.composite
def merged(draw: st.DrawFn, inner: st.SearchStrategy[Sample]) -> Sample:
    sample = draw(objects(inner))
    return Sample({"allOf": [sample.schema], "description": "One."}, sample.value, sample.written)


def deeper(inner: st.SearchStrategy[Sample]) -> st.SearchStrategy[Sample]:
    return st.one_of(objects(inner), arrays(inner), unions(inner), merged(inner))


roots = objects(st.recursive(scalars(), deeper, max_leaves=8))


@st.composite
def tools(draw: st.DrawFn) -> Sample:
    """A tool's schema; some of its properties stand in ``$defs``, and one of those twice."""
    root = draw(roots)
    schema = {**root.schema, "properties": dict(root.schema["properties"])}
    definitions = {}
    for number, name in enumerate(list(schema["properties"])):
        if draw(st.booleans()):
            definitions[f"D{number}"] = schema["properties"][name]
            schema["properties"][name] = {"$ref": f"#/$defs/D{number}"}
    if definitions:
        schema["$defs"] = definitions
    return Sample(schema, root.value, root.written)


@settings(max_examples=150, deadline=None)
@given(tools())
def test_arguments_written_for_a_strict_wire_are_those_that_were_meant(sample: Sample) -> None:
    registered = JsonObject(sample.schema)
    low = lowered(ModelTool("local/t", "", registered, True), OPENAI_STRICT)
    assert low.strict, low.losses
    assert compile(registered, where="a sample").is_valid(sample.value)
    assert compile(JsonObject(low.json), where="the wire").errors(sample.written) == []
    assert restored(sample.written, registered.json, low) == sample.value


@settings(max_examples=100, deadline=None)
@given(tools())
def test_what_was_written_by_the_registered_schema_stays_as_it_is(sample: Sample) -> None:
    registered = JsonObject(sample.schema)
    low = lowered(ModelTool("local/t", "", registered, True), OPENAI_STRICT)
    assert restored(sample.value, registered.json, low) == sample.value


@settings(max_examples=60, deadline=None)
@given(tools())
def test_no_wire_refuses_what_the_registered_schema_takes(sample: Sample) -> None:
    registered = JsonObject(sample.schema)
    for form in FORMS:
        if form.uppercase or form.requires_all:
            continue  # another language; and the test above
        low = lowered(ModelTool("local/t", "", registered, form.strict), form)
        if not low.renamed:
            assert compile(JsonObject(low.json), where="the wire").errors(sample.value) == [], form.name


@settings(max_examples=100, deadline=None)
@given(tools())
def test_properties_under_other_names_come_back_under_their_own(sample: Sample) -> None:
    registered = JsonObject(sample.schema)
    low = lowered(ModelTool("local/t", "", registered), GEMINI_PARAMETERS)
    assert restored(_renamed(sample.value), registered.json, low) == sample.value


def _renamed(value: Any) -> Any:
    """As a model writes it that was shown another name for ``d e``."""
    if isinstance(value, dict):
        return {"d_e_b9a78a73" if name == "d e" else name: _renamed(inner) for name, inner in value.items()}
    return [_renamed(inner) for inner in value] if isinstance(value, list) else value


def test_the_samples_would_tell_a_way_back_that_takes_too_few_or_too_many() -> None:
    """Control: neither leaving all nulls nor taking all of them out gives what was meant."""
    told = {"left": False, "taken": False}

    @settings(max_examples=300, deadline=None, derandomize=True, database=None)
    @given(tools())
    def look(sample: Sample) -> None:
        told["left"] |= sample.written != sample.value
        told["taken"] |= _without_nulls(sample.written) != sample.value

    look()
    assert told == {"left": True, "taken": True}


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without_nulls(inner) for name, inner in value.items() if inner is not None}
    return [_without_nulls(inner) for inner in value] if isinstance(value, list) else value
