"""What classes mean: Enum, TypedDict, dataclass, and the models of pydantic where they are used."""

import dataclasses
import typing
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from .meaning import Convert, Inexpressible, Meaning, choice, closed_object, convert_members, name_of, with_default

Members = Callable[[Mapping[str, Any]], tuple[dict[str, dict[str, Any]], dict[str, Convert]]]
"""Reads named annotations: their schemas, and the conversions of those that need one."""

Definitions = dict[str, dict[str, Any]]


def enum_meaning(kind: type[Enum]) -> Meaning:
    """The values of the members; converts to the member."""
    return Meaning(choice([member.value for member in kind], f"{name_of(kind)} has the value"), kind)


def typed_dict_meaning(kind: Any, members: Members) -> Meaning:
    """A closed object; converts only what its members convert."""
    hints = type_hints(kind)
    properties, converts = members(hints)
    required = [name for name, hint in hints.items() if _is_required(name, hint, kind)]
    schema = closed_object(properties, required)
    return Meaning(schema, (lambda given: convert_members(given, converts)) if converts else None)


def dataclass_meaning(kind: Any, members: Members) -> Meaning:
    """A closed object of the fields that ``__init__`` takes; converts to an instance."""
    hints = type_hints(kind)
    if any(isinstance(hint, dataclasses.InitVar) for hint in hints.values()):
        raise Inexpressible(f"{name_of(kind)} has an InitVar; use ordinary fields")
    fields = [field for field in dataclasses.fields(kind) if field.init]
    properties, converts = members({field.name: hints[field.name] for field in fields})
    required = []
    for field in fields:
        if field.default is not dataclasses.MISSING:
            properties[field.name] = with_default(properties[field.name], field.default)
        elif field.default_factory is dataclasses.MISSING:
            required.append(field.name)
    return Meaning(closed_object(properties, required), lambda given: kind(**convert_members(given, converts)))


def pydantic_meaning(annotation: Any, name: str, definitions: Definitions) -> Meaning:
    """What pydantic says of a model, or of an annotation that holds its fields; converts as pydantic does.

    Definitions of its own go to ``definitions``, each with ``name`` and a dot before its name.
    """
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        adapter = TypeAdapter(annotation)
        schema = adapter.json_schema(ref_template=f"#/$defs/{name}.{{model}}")
    except (PydanticUserError, NameError) as exc:
        raise Inexpressible(f"pydantic has no schema for {name_of(annotation)} ({exc}); use another type") from None
    for inner, definition in schema.pop("$defs", {}).items():
        definitions[f"{name}.{inner}"] = definition
    return Meaning(schema, adapter.validate_python)


def type_hints(kind: Any) -> dict[str, Any]:
    """The resolved annotations of a class. Raises Inexpressible: one of them names what is not there."""
    try:
        return typing.get_type_hints(kind, localns={kind.__name__: kind}, include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as exc:
        raise Inexpressible(
            f"an annotation in {name_of(kind)} cannot be resolved ({exc}); define what it names at module level, "
            "and import it outside of TYPE_CHECKING"
        ) from None


def qualifier(hint: Any) -> str:
    """``Required``, ``NotRequired``, ``ReadOnly`` or ``Final``, whichever module it is from; else empty."""
    name = getattr(typing.get_origin(hint), "_name", None)
    return name if name in ("Required", "NotRequired", "ReadOnly", "Final") else ""


def _is_required(name: str, hint: Any, kind: Any) -> bool:
    while typing.get_origin(hint) is typing.Annotated or qualifier(hint):
        if qualifier(hint) in ("Required", "NotRequired"):
            return qualifier(hint) == "Required"
        hint = typing.get_args(hint)[0]
    return name in kind.__required_keys__
