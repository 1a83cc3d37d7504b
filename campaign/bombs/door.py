"""The doors that bombs go through: a Runtime, a ToolRegistry, the files bundle in a project."""

from collections.abc import Awaitable, Callable, Mapping
from types import SimpleNamespace
from typing import Any

from campaign.bombs.bomb import Fuse, Lay, Place
from licet import PathPolicy, Principal, Runtime, ToolRegistry, ToolSpec
from licet.bundles.files import tools
from licet.model.tool import ToolCapability
from licet.sources.function import make

WHO = Principal("bomber", grants=["tool"], mode="workspace_write")
MANIFEST = SimpleNamespace(tools=["tool"])
_OPEN: dict[str, Any] = {"type": "object"}


async def _ok(**_: Any) -> dict[str, Any]:
    return {"ok": True}


def schema(text: Mapping[str, Any], *instances: dict[str, Any], output: bool = False) -> Fuse:
    """A tool with this schema is registered and then called with each instance, the last of which counts."""
    runtime = Runtime()
    spec = ToolSpec(
        name="tool",
        input_schema=_OPEN if output else text,
        output_schema=text if output else None,
        handler=_answering(list(instances)) if output else _ok,
        capabilities=ToolCapability(read_only=True),
    )

    async def call() -> Any:
        result = None
        for instance in instances:
            result = await runtime.call(WHO, "tool", {} if output else instance)
        return result

    return Fuse(lambda: runtime.register(spec) and None, call if instances else None)


def _answering(answers: list[Any]) -> Callable[..., Awaitable[Any]]:
    async def answer(**_: Any) -> Any:
        return answers.pop(0)

    return answer


def made(door: Callable[..., Fuse], make: Callable[[], Any]) -> Lay:
    """A door that does not mind the place, with what is made for it when the bomb is laid."""
    return lambda place: door(make())


def arguments(given: Any, **more: Any) -> Fuse:
    """A tool that takes anything is called with these arguments, and with whatever call id."""
    runtime = Runtime([make(_ok, name="tool", read_only=True)])

    return Fuse(call=lambda: runtime.call(WHO, "tool", given, **more))


def by_registry(given: Any) -> Fuse:
    """The same through the seed's registry, which is not asynchronous."""
    registry = ToolRegistry()
    registry.register("tool", "Takes anything.", lambda **_: {"ok": True})
    registry.call("agent", MANIFEST, "tool", {})
    return Fuse(lambda: registry.call("agent", MANIFEST, "tool", given) and None)


def output(answer: Any) -> Fuse:
    """A tool that gives this."""

    async def give(**_: Any) -> Any:
        return answer

    return _called(give)


def output_of_a_thread(answer: Any) -> Fuse:
    """A synchronous tool that gives this."""
    return _called(lambda **_: answer)


def raising(exc: BaseException) -> Fuse:
    """A tool that raises this."""

    async def fail(**_: Any) -> Any:
        raise exc

    return _called(fail)


def _called(handler: Callable[..., Any]) -> Fuse:
    runtime = Runtime([make(handler, name="tool", read_only=True)])
    return Fuse(call=lambda: runtime.call(WHO, "tool", {}))


def named(name: Any) -> Fuse:
    """A call of a tool of this name."""
    runtime = Runtime([make(_ok, name="tool", read_only=True)])
    return Fuse(call=lambda: runtime.call(WHO, name, {}))


def registered(*names: str) -> Fuse:
    """Tools of these names, one after the other, with a Runtime and with a registry."""
    runtime, registry = Runtime(), ToolRegistry()

    def register() -> None:
        for name in names:
            runtime.register(make(_ok, name=name))
            registry.register(name, "A tool.", _ok)

    return Fuse(register)


def files(tool: str, given: dict[str, Any], contents: Mapping[str, str | bytes]) -> Lay:
    """A tool of the files bundle in a project of these files."""
    return lambda place: _in_project(place, tool, given, contents)


def _in_project(place: Place, tool: str, given: dict[str, Any], contents: Mapping[str, str | bytes]) -> Fuse:
    for path, content in contents.items():
        file = place.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    runtime = Runtime(tools())
    names = [spec.name for spec in tools()]
    who = Principal("b", grants=names, mode="workspace_write", paths=PathPolicy.current_project(place.project))

    async def call() -> Any:
        async with runtime.run(who) as run:
            if tool == "edit":
                await run.call("read", {"path": given["path"]})
            return await run.call(tool, given)

    return Fuse(call=call)
