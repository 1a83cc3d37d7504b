"""What a type annotation means: the JSON Schema of its values, and how plain JSON becomes one of them."""

import dataclasses
import typing
from collections import abc
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, NewType, TypeVar, Union

from ..model.json_object import JsonObject
from .meaning import Convert, Inexpressible, Meaning, choice, name_of, plain_json, unchanged
from .named_type import Definitions, dataclass_meaning, enum_meaning, pydantic_meaning, qualifier, typed_dict_meaning

_SCALARS: dict[Any, str] = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_ARRAYS = (list, abc.Sequence, abc.MutableSequence, abc.Collection, abc.Iterable)
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_OBJECTS = (dict, abc.Mapping, abc.MutableMapping)
_INSTEAD = "use str, int, float, bool, None, list, dict, tuple, Literal, an Enum, a TypedDict or a dataclass"


class AnnotationReader:
    """Reads the annotations of one signature. ``definitions`` are the named types met so far, for ``$defs``."""

    def __init__(self) -> None:
        self.definitions: Definitions = {}
        self._named: dict[Any, tuple[str, list[Convert | None]]] = {}

    def read(self, annotation: Any) -> Meaning:
        """Raises Inexpressible."""
        if type(annotation) is type and annotation in _SCALARS:  # what most parameters are
            return Meaning({"type": _SCALARS[annotation]})
        origin = typing.get_origin(annotation)
        if origin is None:
            return self._bare(annotation)
        arguments = typing.get_args(annotation)
        if origin is Annotated:
            return self._annotated(annotation)
        if origin is Union or origin is UnionType:
            return self._union(arguments)
        if origin is Literal:
            return Meaning(choice(arguments, f"{name_of(annotation)} holds"))
        if qualifier(annotation):
            return self.read(arguments[0])
        if origin in _ARRAYS:
            return self._array(arguments[0])
        if origin is tuple:
            return self._tuple(arguments)
        if origin in _OBJECTS:
            return self._object(*arguments)
        return self._bare(origin)

    def members(self, annotations: Mapping[str, Any]) -> tuple[dict[str, dict[str, Any]], dict[str, Convert]]:
        """The schemas of named annotations, and the conversions of those that need one. Raises Inexpressible."""
        schemas: dict[str, dict[str, Any]] = {}
        converts: dict[str, Convert] = {}
        for name, annotation in annotations.items():
            try:
                schemas[name], convert = self.read(annotation)
            except Inexpressible as exc:
                raise Inexpressible(f"{name}: {exc}") from None
            if convert is not None:
                converts[name] = convert
        return schemas, converts

    def _bare(self, annotation: Any) -> Meaning:
        if annotation is Any or annotation is object:
            return Meaning({})
        if annotation is None:
            return Meaning({"type": "null"})
        if isinstance(annotation, type):
            return self._class(annotation)
        if isinstance(annotation, NewType):
            return self.read(annotation.__supertype__)
        if isinstance(annotation, TypeVar):
            return self.read(Any if annotation.__bound__ is None else annotation.__bound__)
        if type(annotation).__name__ == "TypeAliasType":
            return self._definition(annotation, lambda alias, _: self.read(alias.__value__))
        raise Inexpressible(f"{name_of(annotation)} cannot be said in JSON Schema; {_INSTEAD}")

    def _class(self, kind: type) -> Meaning:
        if kind in _SCALARS:
            return Meaning({"type": _SCALARS[kind]})
        if kind in _ARRAYS:
            return Meaning({"type": "array"})
        if kind is tuple:
            return Meaning({"type": "array"}, tuple)
        if kind in _OBJECTS:
            return Meaning({"type": "object"})
        if issubclass(kind, Enum):
            return enum_meaning(kind)
        if hasattr(kind, "__required_keys__"):
            return self._definition(kind, lambda kind, _: typed_dict_meaning(kind, self.members))
        if hasattr(kind, "model_json_schema"):
            return self._definition(kind, lambda kind, name: pydantic_meaning(kind, name, self.definitions))
        if dataclasses.is_dataclass(kind):
            return self._definition(kind, lambda kind, _: dataclass_meaning(kind, self.members))
        instead = "use list" if kind in _SETS else _INSTEAD
        raise Inexpressible(f"{name_of(kind)} cannot be said in JSON Schema; {instead}")

    def _annotated(self, annotation: Any) -> Meaning:
        """Text is a description, a mapping holds keywords; what else stands there is for somebody else."""
        notes = annotation.__metadata__
        if any(type(note).__module__.partition(".")[0] in ("pydantic", "annotated_types") for note in notes):
            return pydantic_meaning(annotation, f"Field{len(self.definitions)}", self.definitions)
        schema, convert = self.read(typing.get_args(annotation)[0])
        for note in notes:
            if isinstance(note, str):
                schema = {**schema, "description": note}
            elif isinstance(note, Mapping):
                schema = {**schema, **plain_json(dict(note), "the keywords of Annotated")}
        return Meaning(schema, convert)

    def _union(self, members: tuple[Any, ...]) -> Meaning:
        meanings = [self.read(member) for member in members]
        schema = {"anyOf": [meaning.schema for meaning in meanings]}
        converting = [meaning.convert for meaning in meanings if meaning.convert is not None]
        if not converting:
            return Meaning(schema)
        if len(members) == 2 and type(None) in members:
            convert = converting[0]
            return Meaning(schema, lambda given: None if given is None else convert(given))
        return Meaning(schema, _first_that_fits(meanings, self.definitions))

    def _array(self, item: Any) -> Meaning:
        schema, convert = self.read(item)
        array = {"type": "array", "items": schema} if schema else {"type": "array"}
        return Meaning(array, None if convert is None else lambda given: [convert(item) for item in given])

    def _tuple(self, items: tuple[Any, ...]) -> Meaning:
        if len(items) == 2 and items[1] is Ellipsis:
            array, to_list = self._array(items[0])
            return Meaning(array, tuple if to_list is None else lambda given: tuple(to_list(given)))
        meanings = [self.read(item) for item in items]
        converts = [meaning.convert or unchanged for meaning in meanings]
        schema: dict[str, Any] = {"type": "array", "minItems": len(items), "maxItems": len(items)}
        if items:
            schema["prefixItems"] = [meaning.schema for meaning in meanings]
        return Meaning(schema, lambda given: tuple(turn(item) for turn, item in zip(converts, given, strict=True)))

    def _object(self, key: Any, value: Any) -> Meaning:
        names, convert_name = self.read(key)
        if convert_name is not None or (names and names.get("type") != "string"):
            raise Inexpressible(f"the keys of a JSON object are text, not {name_of(key)}; use dict[str, ...]")
        schema, convert = self.read(value)
        whole: dict[str, Any] = {"type": "object"}
        if schema:
            whole["additionalProperties"] = schema
        if len(names) > 1:
            whole["propertyNames"] = names
        if convert is None:
            return Meaning(whole)
        return Meaning(whole, lambda given: {name: convert(member) for name, member in given.items()})

    def _definition(self, kind: Any, read: Callable[[Any, str], Meaning]) -> Meaning:
        """A reference to a type that is read once, however often it is used, in itself too."""
        if kind not in self._named:
            name = kind.__name__
            while name in self.definitions:
                name += "_"
            self._named[kind] = name, []
            self.definitions[name] = {}
            self.definitions[name], convert = read(kind, name)
            self._named[kind][1].append(convert)
        name, known = self._named[kind]
        schema = {"$ref": f"#/$defs/{name}"}
        if known:
            return Meaning(schema, known[0])
        # Used inside itself: whether it converts is known only when it has been read to its end.
        return Meaning(schema, lambda given: (known[0] or unchanged)(given))


def _first_that_fits(meanings: list[Meaning], definitions: Definitions) -> Convert:
    """Converts as the first member of a union does whose schema the value fits."""

    @cache
    def members() -> list[tuple[Callable[[Any], bool], Convert]]:
        from .validate import compile  # the validator is needed only where such a tool is called

        schemas = [JsonObject({**meaning.schema, "$defs": definitions}) for meaning in meanings]
        fits = [compile(schema, where="a member of a union", tool_input=False).is_valid for schema in schemas]
        return [(fit, meaning.convert or unchanged) for fit, meaning in zip(fits, meanings, strict=True)]

    def convert(given: Any) -> Any:
        return next((turn(given) for fits, turn in members() if fits(given)), given)

    return convert
