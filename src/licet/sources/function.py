"""Python functions of this process as tools: the decorator, the plain triple, and the transport."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal, overload

from ..catalog import Tool
from ..errors import ConfigurationError, RegistrationError
from ..model.context import CallContext
from ..model.tool import OPEN_OBJECT, Annotations, Execution, ToolCapability, ToolSpec
from ..schema.derive import Derived, derive


class InProcess:
    """Calls a function of this process with validated arguments. A coroutine function runs on the loop."""

    kind = "in_process"

    def __init__(self, function: Callable[..., Any], derived: Derived) -> None:
        self.function = function
        # A wrapper is what it is, not what it wraps: it may run the coroutine itself, and hold its thread meanwhile.
        self.asynchronous = inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(
            getattr(function, "__call__", None)  # noqa: B004 - an object with an async __call__
        )
        self._convert = derived.convert
        self._context = derived.context_parameter
        self.wants_context = self._context is not None
        self._prepares = self._convert is not None or self._context is not None

    def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        """What the function gives: of an asynchronous one its coroutine."""
        if self._prepares:
            arguments = self._prepared(arguments, context)
        return self.function(**arguments)

    call_blocking = call

    def _prepared(self, arguments: dict[str, Any], context: CallContext) -> dict[str, Any]:
        if self._convert is not None:
            arguments = self._convert(arguments)
        if self._context is not None:
            arguments[self._context] = context
        return arguments


class Reversible(InProcess):
    """The same, with an effect that can be undone."""

    def __init__(
        self,
        function: Callable[..., Any],
        derived: Derived,
        checkpoint: Callable[..., Any],
        restore: Callable[..., Any],
    ) -> None:
        super().__init__(function, derived)
        self._checkpoint = checkpoint
        self._restore = restore
        self.checkpoint_blocking = None if inspect.iscoroutinefunction(checkpoint) else checkpoint
        """The checkpoint for a thread, unless it is a coroutine function."""

    async def checkpoint(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        token = self._checkpoint(arguments, context)
        return await token if inspect.isawaitable(token) else token

    async def restore(self, token: Any, context: CallContext, /) -> None:
        done = self._restore(token, context)
        if inspect.isawaitable(done):
            await done


def bind(spec: ToolSpec) -> Tool:
    """A Tool from a ToolSpec whose ``handler`` is set; a spec of a hosted tool has none.

    Raises:
        RegistrationError: a checkpoint without a restore, or no handler.
    """
    handler = spec.handler
    if handler is None:
        return Tool(spec)
    if spec.input_schema is OPEN_OBJECT:  # no schema was given, so the signature is the schema
        derived = derive(handler)
        spec = replace(spec, input_schema=derived.schema, schema_inferred=True)
    else:
        derived = Derived(schema={}, context_parameter=context_parameter(handler), convert=None)
    return Tool(spec.without_code(), _transport(spec, handler, derived))


def _transport(spec: ToolSpec, handler: Callable[..., Any], derived: Derived) -> InProcess:
    if (spec.checkpoint is None) != (spec.restore is None):
        raise RegistrationError(f"{spec.name}: checkpoint and restore come together", tool_name=spec.name)
    transport = (
        InProcess(handler, derived)
        if spec.checkpoint is None or spec.restore is None
        else Reversible(handler, derived, spec.checkpoint, spec.restore)
    )
    if spec.execution.inline and transport.asynchronous:
        raise RegistrationError(f"{spec.name}: a coroutine function cannot be inline", tool_name=spec.name)
    return transport


def context_parameter(function: Callable[..., Any]) -> str | None:
    """The parameter annotated ``CallContext``, whatever else the signature holds."""
    try:
        parameters = inspect.signature(function, eval_str=True).parameters.values()
    except (TypeError, ValueError, NameError):
        return None
    return next((p.name for p in parameters if p.annotation is CallContext), None)


def triple(name: str, description: str, run: Callable[..., Any]) -> Tool:
    """The seed's ``(name, description, run)``: no flags, so it counts as writing; its schema is inferred."""
    return make(run, name=name, description=description)


def make(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    read_only: bool = False,
    writes: bool = False,
    idempotent: bool = False,
    unsafe: bool = False,
    approval: bool = False,
    inline: bool = False,
    timeout_s: float = 30.0,
    paths: Iterable[str] = (),
    group: str | None = None,
    mode: Literal["sequential", "parallel"] | None = None,
    abortable: bool = True,
    input_schema: Mapping[str, Any] | None = None,
    output_schema: Mapping[str, Any] | None = None,
    checkpoint: Callable[..., Any] | None = None,
    restore: Callable[..., Any] | None = None,
) -> Tool:
    """A Tool from a function: its name, docstring and signature are the contract, unless you say otherwise.

    ``paths`` names the parameters that hold paths. A tool that only reads may run in parallel with others, a tool
    that may write runs alone, unless ``mode`` says otherwise.

    Raises:
        ConfigurationError: a parameter has no JSON form, or two flags contradict each other.
    """
    if not callable(function):
        raise ConfigurationError(f"a tool is made from a function, not from {type(function).__name__}")
    derived = derive(function)
    path_arguments = tuple(f"/{parameter}" for parameter in paths)
    spec = ToolSpec(
        name=name or str(getattr(function, "__name__", type(function).__name__)),
        description=inspect.getdoc(function) or "" if description is None else description,
        title=title,
        input_schema=derived.schema if input_schema is None else input_schema,
        output_schema=output_schema,
        group=group,
        category="read" if read_only else "write" if writes else "utility",
        annotations=Annotations(
            read_only=read_only or None,
            destructive=None,
            idempotent=idempotent or None,
        ),
        capabilities=ToolCapability(
            read_only=read_only,
            writes=writes,
            checkpointable=checkpoint is not None,
            idempotent=idempotent or read_only,
            unsafe=unsafe,
            human_approval_required=approval,
        ),
        execution=Execution(
            mode=mode or ("parallel" if read_only else "sequential"),
            timeout_s=timeout_s,
            abortable=abortable,
            inline=inline,
        ),
        path_access="danger_full_access" if path_arguments else "none",
        path_arguments=path_arguments,
        schema_inferred=input_schema is None,
        checkpoint=checkpoint,
        restore=restore,
    )
    return Tool(spec.without_code(), _transport(spec, function, derived))


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...
@overload
def tool(**options: Any) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a tool of a function: ``@tool``, or ``@tool(read_only=True, timeout_s=5)`` with the options of ``make``."""
    if function is not None:
        return make(function)

    def decorate(decorated: Callable[..., Any]) -> Tool:
        return make(decorated, **options)

    return decorate
