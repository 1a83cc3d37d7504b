"""Types to annotate with, and functions that are annotated with them."""

import dataclasses
import enum
from typing import Annotated, Any, Generic, NewType, NotRequired, Optional, Required, TypedDict, TypeVar

import pydantic

from licet.model.json_object import JsonObject
from licet.schema.derive import derive
from licet.schema.validate import compile

T = TypeVar("T")
Bounded = TypeVar("Bounded", bound=str)
UserId = NewType("UserId", int)


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mixed(enum.Enum):
    NOTHING = None
    ONE = 1
    HALF = 0.5
    WORD = "word"


@dataclasses.dataclass
class Point:
    x: int
    y: Annotated[int, "how far up"] = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Line:
    start: Point
    end: Point
    colour: Colour = Colour.RED
    tags: list[str] = dataclasses.field(default_factory=list)
    length: float = dataclasses.field(init=False, default=1.0)


@dataclasses.dataclass
class Tree:
    value: int
    left: "Tree | None" = None
    right: Optional["Tree"] = None


class Options(TypedDict, total=False):
    deep: Required[bool]
    limit: Annotated[int, "how many"]
    colours: NotRequired[list[Colour]]


class Chain(TypedDict):
    value: int
    next: "NotRequired[Chain]"


class Model(pydantic.BaseModel):
    x: int = pydantic.Field(ge=1)
    inner: list["Model"] = []


@dataclasses.dataclass
class Box(Generic[T]):
    item: T


def schema_of(annotation: Any, default: Any = ...) -> dict[str, Any]:
    """The schema of one parameter."""
    return whole_of(annotation, default)["properties"]["a"]


def function_of(annotation: Any, default: Any = ...) -> Any:
    if default is ...:

        def function(a: Any) -> Any:
            return a
    else:

        def function(a: Any = default) -> Any:
            return a

    function.__annotations__ = {"a": annotation}
    return function


def whole_of(annotation: Any, default: Any = ...) -> dict[str, Any]:
    schema = derive(function_of(annotation, default)).schema
    compile(JsonObject(schema), where="derived")
    return schema


def fits(annotation: Any, value: Any) -> bool:
    return compile(JsonObject(whole_of(annotation)), where="derived").is_valid({"a": value})


def converted(annotation: Any, value: Any) -> Any:
    """What the function gets for a value that fits."""
    assert fits(annotation, value)
    convert = derive(function_of(annotation)).convert
    return value if convert is None else convert({"a": value})["a"]
