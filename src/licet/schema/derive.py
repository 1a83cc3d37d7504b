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
    hints = _hints(function, [parameter.name for parameter in parameters], where)
    described = parameter_descriptions(getattr(function, "__doc__", None))
    reader = AnnotationReader()
    properties: dict[str, dict[str, Any]] = {}
    required: list[str] = []
    converts: dict[str, Convert] = {}
    others: tuple[dict[str, Any], Convert | None] | None = None
    context: str | None = None
    for name, kind, default in parameters:
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
        if kind is inspect.Parameter.VAR_KEYWORD:
            others = schema, convert
            continue
        if name in described and "description" not in schema:
            schema = {**schema, "description": described[name]}
        if default is inspect.Parameter.empty:
            required.append(name)
        else:
            schema = with_default(schema, default)
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


class _Parameter(NamedTuple):
    name: str
    kind: Any
    default: Any


def _parameters(function: Callable[..., Any], where: str) -> list[_Parameter]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError) as exc:
        raise ConfigurationError(f"{where} has no signature ({exc}); give a schema with it") from None
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ConfigurationError(f"{where}: *{name} has no names to pass arguments by; use a list parameter")
        if parameter.kind is parameter.POSITIONAL_ONLY:
            raise ConfigurationError(f"{where}: parameter {name} is positional-only; let it be passed by name")
    return [_Parameter(name, item.kind, item.default) for name, item in signature.parameters.items()]


def _hints(function: Callable[..., Any], names: list[str], where: str) -> dict[str, Any]:
    """The resolved annotations of the parameters; the return annotation may name what it likes."""
    plain = _plain_function(function)
    annotations = getattr(plain, "__annotations__", {})
    known = vars(inspect.getmodule(plain) or object) if not hasattr(plain, "__globals__") else plain.__globals__
    try:
        return _resolved({name: annotations[name] for name in names if name in annotations}, known)
    except (NameError, AttributeError, SyntaxError, TypeError):
        pass
    for name in names:  # which one it was
        try:
            _resolved({name: annotations[name]} if name in annotations else {}, known)
        except (NameError, AttributeError, SyntaxError, TypeError) as exc:
            raise ConfigurationError(
                f"{where}: the annotation of parameter {name} cannot be resolved ({exc}); define what it names at "
                "module level, and import it outside of TYPE_CHECKING"
            ) from None
    raise ConfigurationError(f"{where}: its annotations cannot be resolved together; give a schema with it")


def _resolved(annotations: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return typing.get_type_hints(_Annotated(annotations), known, include_extras=True)


class _Annotated:
    """Stands in for a function whose other annotations are nobody's business here."""

    def __init__(self, annotations: dict[str, Any]) -> None:
        self.__annotations__ = annotations


def _plain_function(function: Callable[..., Any]) -> Any:
    while isinstance(function, partial):
        function = function.func
    function = inspect.unwrap(function)
    if inspect.isroutine(function) or inspect.isclass(function):
        return getattr(function, "__func__", function)
    return getattr(type(function).__call__, "__func__", type(function).__call__)


def _is_context(annotation: Any) -> bool:
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
