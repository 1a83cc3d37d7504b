"""A door: tools as plain async functions, for any framework that takes functions.

It stands beside the corridor because the Runtime itself hands these functions out.
"""

import hashlib
import inspect
import keyword
import re
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Literal, Optional, Protocol, Union

from ..dialects.untrusted import told
from ..errors import ConfigurationError
from ..model.names import short
from ..model.principal import Principal
from ..model.tool import ToolSpec
from .run import Run

AsyncFunction = Callable[..., Coroutine[Any, Any, Any]]

_PLAIN: dict[str, Any] = {"string": str, "integer": int, "number": float, "boolean": bool, "null": None}
_MOST_NAME = 64
_WHOLE = "arguments"


class _Lists(Protocol):
    def tools_for(self, principal: Principal) -> list[ToolSpec]: ...


def functions(
    runtime: _Lists,
    run: Run,
    *,
    errors: Literal["return", "raise"],
    rendered: bool,
    names: Mapping[str, str],
) -> list[AsyncFunction]:
    """One function a listed tool, all of one run. ``names`` are chosen ones, by canonical name.

    Raises:
        ConfigurationError: ``errors`` is neither word, or a chosen name is no identifier or that of another tool.
    """
    if errors not in ("return", "raise"):
        raise ConfigurationError(f"errors is 'return' or 'raise', not {errors!r}")
    specs = runtime.tools_for(run.principal)
    called = {spec.name: names.get(spec.name) or identifier(spec.name) for spec in specs}
    for tool, name in called.items():
        if not name.isidentifier() or keyword.iskeyword(name) or list(called.values()).count(name) > 1:
            raise ConfigurationError(f"{name!r} cannot be the function of {short(tool)!r}; choose another name for it")
    return [_function(run, spec, called[spec.name], errors == "raise", rendered) for spec in specs]


def identifier(name: str) -> str:
    """A Python identifier of at most 64 characters that depends on the canonical name alone."""
    plain = short(name)
    if plain.isidentifier() and not keyword.iskeyword(plain) and "__" not in plain and len(plain) <= _MOST_NAME:
        return plain
    kept = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", plain)).strip("_")[: _MOST_NAME - 20] or "tool"
    stem = kept if not kept[0].isdigit() else f"t_{kept}"
    return f"{stem}___{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _function(run: Run, spec: ToolSpec, name: str, raising: bool, rendered: bool) -> AsyncFunction:
    schema = dict(spec.input_schema)
    properties: dict[str, Any] = schema.get("properties") or {}
    required = set(schema.get("required") or ())
    omittable = {key for key in properties if key not in required and not _takes_null(properties[key])}
    tool = spec.name

    spelled = all(key.isidentifier() and not keyword.iskeyword(key) for key in properties)
    if not spelled:  # an argument that Python cannot spell: all of them come as one object
        properties, required = {_WHOLE: {"type": "object"}}, {_WHOLE}

    async def call(**arguments: Any) -> Any:
        given = {k: v for k, v in arguments.items() if not (v is None and k in omittable)}
        result = await run.call(tool, given if spelled else arguments[_WHOLE])
        if not result.success:
            if raising:
                result.unwrap()
            return result.content if rendered else f"{told(result)['error']}: {told(result)['message']}"
        return result.content if rendered else result.output

    call.__name__ = call.__qualname__ = name
    call.__doc__ = spec.description
    returns = str if rendered and not raising else Any
    signature = _signature(properties, required, bool(schema.get("additionalProperties", True)), returns)
    call.__signature__ = signature  # type: ignore[attr-defined]
    call.__annotations__ = {p.name: p.annotation for p in signature.parameters.values()} | {"return": returns}
    return call


def _signature(properties: dict[str, Any], required: set[str], is_open: bool, returns: Any) -> inspect.Signature:
    parameters = []
    for name, schema in properties.items():
        annotation = _annotation(schema)
        default: Any = inspect.Parameter.empty
        if name not in required:
            default = schema.get("default") if isinstance(schema, dict) else None
            if default is None:
                annotation = Optional[annotation]  # noqa: UP045 - the annotation is a value here
        parameters.append(
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        )
    if is_open and not properties:
        parameters.append(inspect.Parameter(_WHOLE, inspect.Parameter.VAR_KEYWORD, annotation=Any))
    return inspect.Signature(parameters, return_annotation=returns)


def _annotation(schema: Any) -> Any:
    """The closest Python type. Only a hint for the framework: the corridor validates against the registered schema."""
    if not isinstance(schema, dict):
        return Any
    if isinstance(schema.get("enum"), list) and all(isinstance(v, str | int | bool | None) for v in schema["enum"]):
        return Literal[tuple(schema["enum"])]
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return Union[tuple(_annotation(s) for s in schema[key])]  # noqa: UP007 - built from a list
    kind = schema.get("type")
    if isinstance(kind, list):
        return Union[tuple(_annotation({**schema, "type": k}) for k in kind)] if kind else Any  # noqa: UP007
    if kind == "array":
        return list[_annotation(schema.get("items", {}))]  # type: ignore[misc]
    if kind == "object":
        return dict[str, Any]
    return _PLAIN.get(str(kind), Any)


def _takes_null(schema: Any) -> bool:
    if not isinstance(schema, dict):
        return True
    kinds = schema.get("type")
    if kinds == "null" or (isinstance(kinds, list) and "null" in kinds) or None in schema.get("enum", ()):
        return True
    return any(_takes_null(s) for key in ("anyOf", "oneOf") for s in schema.get(key, ())) or not schema.keys() & {
        "type",
        "enum",
        "const",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
    }
