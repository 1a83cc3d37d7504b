"""Nothing that a runtime or a registry hands out holds a callable; only what you hand in does."""

import dataclasses
import threading
import types
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import licet
from doubles import Says, holder
from licet import ToolRegistry, ToolRunner, ToolSpec, tool
from licet.testing import RecordingLedger

PLAIN_TYPES = (str, bytes, int, float, bool, type(None))


def parts(value: Any, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Everything that public attributes, items and elements lead to."""
    if id(value) in seen or isinstance(value, (*PLAIN_TYPES, type, types.ModuleType)):
        return
    seen.add(id(value))
    fields: dict[str, Any] = {}
    if isinstance(value, dict):
        fields = {str(key): held for key, held in value.items()}
    elif isinstance(value, list | tuple | set | frozenset):
        fields = {str(index): held for index, held in enumerate(value)}
    names = getattr(value, "_fields", ()) or (
        [field.name for field in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else ()
    )
    fields |= {name: getattr(value, name) for name in names}
    for name in dir(type(value)):
        if not name.startswith("_") and not callable(getattr(type(value), name, None)):
            with suppress(licet.errors.LicetError):  # a workspace that this run does not have
                fields[name] = getattr(value, name)
    for name in getattr(value, "__dict__", {}):
        if not name.startswith("_"):
            fields[name] = getattr(value, name)
    for name, held in fields.items():
        yield name, held
        yield from parts(held, seen)


def callables_in(value: Any) -> list[str]:
    return [name for name, held in parts(value, set()) if callable(held) and not isinstance(held, type)]


def test_nothing_that_a_runtime_or_a_registry_hands_out_holds_a_callable(ledger: RecordingLedger) -> None:
    kept: list[Any] = []
    registry = ToolRegistry(
        ledger=ledger, approver=Says(True), checks=[lambda *seen: kept.append(seen) or licet.Permit()]
    )
    handler = tool(unsafe=True, checkpoint=lambda a, c: {}, restore=lambda t, c: None)

    @handler
    def t(context: licet.CallContext) -> dict[str, Any]:
        kept.append(context)
        return {"ok": 1}

    spec = registry.register(t)
    runtime = registry.runtime
    who = holder("t")
    run = runtime.begin(who)
    results = [
        runtime.call_blocking(run, "t"),
        runtime.call_blocking(run, "t", {"x": 1}),
        runtime.call_blocking(run, "nowhere"),
        ToolRunner(registry).execute("t"),
    ]
    assert results[0].success
    handed_out = [
        spec, registry.get("t"), registry.list_tools(), runtime.specs(), runtime.spec("t"), runtime.tools_for(who),
        runtime.why(who, "t"), runtime.why(who, "t", {}), results, kept, ToolRunner(registry).activate("t"),
        spec.model_tool, list(ledger.entries()),
    ]  # fmt: skip
    for one in handed_out:
        assert callables_in(one) == [], one
    registry.close()


def test_the_control_a_spec_with_its_handler_is_found() -> None:
    assert callables_in(ToolSpec(name="t", handler=print)) == ["handler"]
    assert callables_in([{"x": (lambda: 1,)}]) == ["0"]
    assert threading.current_thread() is threading.main_thread()
