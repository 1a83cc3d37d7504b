"""From a function's signature to the JSON Schema of its arguments."""

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union

from ..errors import ConfigurationError, InvalidArgumentsError
from ..model.context import CallContext
from .annotation import AnnotationReader
from .docstring import parameter_descriptions
from .meaning import Convert, Inexpressible, closed_object, with_default
from .pointer import legible

Arguments = dict[str, Any]

_UNRESOLVED = (NameError, AttributeError, SyntaxError, TypeError)


class Derived(NamedTuple):
    """``schema`` is an object schema, closed unless the function takes ``**`` arguments.

    ``context_parameter`` names the parameter that gets the call's context, and is absent from the schema. ``convert``
    makes a new mapping with instances of the annotated types; it is None where plain JSON is what the function takes.
    It raises InvalidArgumentsError: a type of yours refused a value that fits the schema.
    """

    schema: dict[str, Any]
    context_parameter: str | None
    convert: Callable[[Arguments], Arguments] | None


def derive(function: Callable[..., Any]) -> Derived:
    """The schema of a function's arguments, and how they become what its annotations say.

    Raises:
        ConfigurationError: a parameter cannot be passed by name, or its annotation cannot be resolved or said in JSON
            Schema; the message names the function and the parameter.
    """
    where = legible(getattr(function, "__qualname__", None) or type(function).__qualname__)
    parameters = _parameters(function, where)
    annotations = {p.name: p.annotation for p in parameters if p.annotation is not p.empty}
    hints = _hints(function, annotations, where)
    described = parameter_descriptions(getattr(function, "__doc__", None))
    reader = AnnotationReader()
    properties: dict[str, dict[str, Any]] = {}
    required: list[str] = []
    converts: dict[str, Convert] = {}
    others: tuple[dict[str, Any], Convert | None] | None = None
    context: str | None = None
    for parameter in parameters:
        name = parameter.name
        annotation = hints.get(name, Any)
        if _is_context(annotation):
            if context is not None:
                raise ConfigurationError(f"{where}: {context} and {name} both ask for the CallContext; keep one")
            context = name
            continue
        try:
            schema, convert = reader.read(annotation)
        except Inexpressible as exc:
            raise ConfigurationError(f"{where}: parameter {name}: {exc}") from None
        if parameter.kind is parameter.VAR_KEYWORD:
            others = schema, convert
            continue
        if name in described and "description" not in schema:
            schema = {**schema, "description": described[name]}
        if parameter.default is parameter.empty:
            required.append(name)
        else:
            schema = with_default(schema, parameter.default)
        properties[name] = schema
        if convert is not None:
            converts[name] = convert
    whole = closed_object(properties, required)
    if others is not None:
        whole["additionalProperties"] = others[0] or True
    if reader.definitions:
        whole["$defs"] = reader.definitions
    convert_others = others[1] if others is not None else None
    if not converts and convert_others is None:
        return Derived(whole, context, None)
    return Derived(whole, context, partial(_convert, where, converts, convert_others, frozenset(properties)))


def _parameters(function: Callable[..., Any], where: str) -> list[inspect.Parameter]:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as exc:
        raise ConfigurationError(f"{where} has no signature ({exc}); give a schema with it") from None
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ConfigurationError(f"{where}: *{parameter.name} takes arguments without names; use a list parameter")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ConfigurationError(
                f"{where}: parameter {parameter.name} is positional-only; let it be passed by name"
            )
    return parameters


def _hints(function: Callable[..., Any], annotations: dict[str, Any], where: str) -> dict[str, Any]:
    """The resolved annotations of the parameters; the return annotation may name what it likes."""
    if all(type(annotation) is type for annotation in annotations.values()):
        return annotations  # plain classes, which name nothing
    known = _globals(function)
    try:
        return typing.get_type_hints(_Annotated(annotations), known, include_extras=True)
    except _UNRESOLVED:
        for name, annotation in annotations.items():  # which one it was
            try:
                typing.get_type_hints(_Annotated({name: annotation}), known)
            except _UNRESOLVED as exc:
                raise ConfigurationError(
                    f"{where}: the annotation of parameter {name} cannot be resolved ({exc}); define what it names at "
                    "module level, and import it outside of TYPE_CHECKING"
                ) from None
        raise


class _Annotated:
    """Stands in for a function whose other annotations are nobody's business here."""

    def __init__(self, annotations: dict[str, Any]) -> None:
        self.__annotations__ = annotations


def _globals(function: Callable[..., Any]) -> dict[str, Any]:
    """The names that a function's annotations may use."""
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isclass(function):
        function = function.__init__
    elif not inspect.isroutine(function):
        function = type(function).__call__
    return getattr(function, "__globals__", {})


def _is_context(annotation: Any) -> bool:
    if type(annotation) is type:
        return annotation is CallContext
    while typing.get_origin(annotation) is Annotated:
        annotation = typing.get_args(annotation)[0]
    if typing.get_origin(annotation) in (Union, UnionType):
        return CallContext in typing.get_args(annotation)
    return annotation is CallContext


def _convert(
    where: str,
    converts: Mapping[str, Convert],
    convert_others: Convert | None,
    named: frozenset[str],
    arguments: Arguments,
) -> Arguments:
    converted = dict(arguments)
    for name, value in arguments.items():
        convert = converts.get(name) if name in named else convert_others
        if convert is not None:
            try:
                converted[name] = convert(value)
            except Exception as exc:  # whatever a constructor of yours raises
                raise InvalidArgumentsError(f"{where}: the value of {name} was refused by its type") from exc
    return converted
