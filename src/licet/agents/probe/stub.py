"""Stands in for a tool: the same contract, nothing behind it but a counter."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...catalog import Tool
from ...model.context import CallContext
from ...model.tool import Execution, ToolSpec


class Stub:
    """A transport that counts how often it is reached. The user's own code is not in it."""

    kind = "stub"
    wants_context = False

    def __init__(self) -> None:
        self.entered = 0

    async def call(self, arguments: dict[str, Any], context: CallContext, /) -> Any:
        return self.answer()

    def answer(self) -> dict[str, Any]:
        self.entered += 1
        return {}


def stub_of(spec: ToolSpec) -> tuple[Tool, Stub]:
    """The tool with a stub behind it. What a stub cannot do, it does not declare: inline, checkpoints, an output."""
    stub = Stub()
    declared = replace(
        spec.without_code(),
        output_schema=None,
        capabilities=replace(spec.capabilities, checkpointable=False),
        execution=Execution(mode="parallel", timeout_s=spec.execution.timeout_s),
    )
    return Tool(declared, stub), stub


def enters(spec: ToolSpec, stub: Stub, arguments: dict[str, Any] | str) -> bool:
    """Whether a plain call with these arguments gets into the stub."""
    before = stub.entered
    with suppress(TypeError, ValueError, RecursionError):
        call_directly(spec, stub, arguments)
    return stub.entered > before


def call_directly(spec: ToolSpec, stub: Stub, arguments: dict[str, Any] | str) -> Any:
    """``stub(**arguments)`` under the signature that the schema describes, as Python binds it.

    Raises:
        TypeError: an argument is missing, or there is no such parameter.
        ValueError: the text is not JSON.
    """
    given: Any = json.loads(arguments) if isinstance(arguments, str) else arguments
    if not isinstance(given, Mapping):
        raise TypeError(f"argument after ** must be a mapping, not {type(given).__name__}")
    schema = spec.input_schema
    missing = [name for name in schema.get("required", ()) if name not in given]
    unexpected = given.keys() - schema.get("properties", {}).keys()
    if missing:
        raise TypeError(f"missing argument {missing[0]!r}")
    if unexpected and schema.get("additionalProperties") is False:
        raise TypeError(f"unexpected argument {min(unexpected)!r}")
    return stub.answer()
