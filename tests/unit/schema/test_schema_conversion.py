"""Plain JSON that fits becomes what the annotations say."""

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Literal, TypedDict

import pydantic
import pytest
from schema_samples import (
    Box,
    Chain,
    Colour,
    Level,
    Line,
    Mixed,
    Model,
    Options,
    Point,
    Tree,
    UserId,
    converted,
    fits,
    function_of,
    schema_of,
    whole_of,
)

from licet.errors import InvalidArgumentsError
from licet.schema.derive import derive


@pytest.mark.parametrize(
    ("annotation", "value", "expected"),
    [
        (Colour, "red", Colour.RED),
        (Level, 2, Level.HIGH),
        (Mixed, None, Mixed.NOTHING),
        (Mixed, 0.5, Mixed.HALF),
        (Point, {"x": 1}, Point(1, 0)),
        (Line, {"start": {"x": 1}, "end": {"x": 2, "y": 3}, "colour": "blue"},
         Line(start=Point(1), end=Point(2, 3), colour=Colour.BLUE)),
        (Tree, {"value": 1, "left": {"value": 2, "right": {"value": 3}}}, Tree(1, Tree(2, None, Tree(3)))),
        (tuple, [1, "a"], (1, "a")),
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[int, Colour], [1, "red"], (1, Colour.RED)),
        (tuple[Colour, ...], ["red"], (Colour.RED,)),
        (list[Colour], ["red", "blue"], [Colour.RED, Colour.BLUE]),
        (dict[str, Point], {"a": {"x": 1}}, {"a": Point(1)}),
        (Options, {"deep": True, "colours": ["red"]}, {"deep": True, "colours": [Colour.RED]}),
        (Chain, {"value": 1, "next": {"value": 2}}, {"value": 1, "next": {"value": 2}}),
        (Point | None, None, None),
        (Point | None, {"x": 1}, Point(1)),
        (Point | Colour | int, {"x": 1}, Point(1)),
        (Point | Colour | int, "blue", Colour.BLUE),
        (Point | Colour | int, 7, 7),
        (list[Point] | Point | None, [{"x": 1}], [Point(1)]),
        (list[Tree | Point], [{"x": 1}, {"value": 1}], [Point(1), Tree(1)]),
        (Annotated[Colour, "which"], "red", Colour.RED),
        (Box[int], {"item": 5}, Box(5)),
    ],
    ids=str,
)  # fmt: skip
def test_plain_json_becomes_what_the_annotation_says(annotation: Any, value: Any, expected: Any) -> None:
    found = converted(annotation, value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    "annotation",
    [
        str,
        int,
        float,
        bool,
        Any,
        list[str],
        dict[str, int],
        int | None,
        Literal["a"],
        Sequence[int],
        UserId,
        Annotated[int, "n"],
    ],
    ids=str,
)
def test_plain_annotations_need_no_conversion(annotation: Any) -> None:
    assert derive(function_of(annotation)).convert is None


def test_a_typed_dict_of_plain_members_needs_no_conversion() -> None:
    class Plain(TypedDict):
        a: int
        b: list[str]

    assert derive(function_of(Plain)).convert is None


def test_conversion_leaves_the_arguments_and_what_it_does_not_know_alone() -> None:
    def function(point: Point, n: int = 0, **rest: Colour) -> None: ...

    arguments = {"point": {"x": 1}, "n": 3, "other": "red"}
    derived = derive(function)
    assert derived.convert is not None
    assert derived.convert(arguments) == {"point": Point(1), "n": 3, "other": Colour.RED}
    assert arguments == {"point": {"x": 1}, "n": 3, "other": "red"}
    assert derived.convert({"point": {"x": 1}}) == {"point": Point(1)}


def test_a_type_that_refuses_a_fitting_value_makes_the_arguments_invalid() -> None:
    @dataclasses.dataclass
    class Even:
        value: int

        def __post_init__(self) -> None:
            if self.value % 2:
                raise ValueError("s3cr3t: odd")

    derived = derive(function_of(Even))
    assert derived.convert is not None
    with pytest.raises(InvalidArgumentsError, match="the value of a was refused") as caught:
        derived.convert({"a": {"value": 3}})
    assert "s3cr3t" not in str(caught.value)
    assert isinstance(caught.value.__cause__, ValueError)


def test_pydantic_models_are_used_where_a_parameter_is_one() -> None:
    whole = whole_of(list[Model] | None)
    assert all(name.startswith("Model") for name in whole["$defs"])
    assert fits(Model, {"x": 1, "inner": [{"x": 2}]})
    assert not fits(Model, {"x": 1, "inner": [{"x": 0}]})
    assert converted(list[Model], [{"x": 1, "inner": [{"x": 2}]}]) == [Model(x=1, inner=[Model(x=2)])]
    assert converted(Model | Point, {"x": 1}) == Model(x=1)


def test_a_field_of_pydantic_in_annotated_keeps_its_constraints() -> None:
    annotation = Annotated[int, pydantic.Field(ge=3, description="at least three")]
    assert schema_of(annotation) == {"type": "integer", "minimum": 3, "description": "at least three"}
    assert converted(annotation, 3) == 3
