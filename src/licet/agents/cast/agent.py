"""An agent of a manifest: it calls tools under its own grants, asks its model, and gives events."""

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

from ...dialects.untrusted import Fence
from ...doors.registry import ToolRegistry, as_object, principal_of
from ...errors import ConfigurationError, EmissionViolation
from ...model.event import Event
from ...model.result import ToolResult
from ...ports import Model
from ...project.manifest import Manifest
from ...runtime.run import Run
from ...schema.canonical import freeze
from ...schema.strict import NotJson
from ..loop import Drive, record_for
from ..workflow.attenuate import Scope
from .grants import described, refuse_strange
from .handlers import HANDLERS, Handler, handler_named
from .legs import legs
from .models import model_named
from .prompt import Extra, prompt
from .rules import require_rules
from .scene import Scene

MOST_TURNS = 16
"""Of its model in one turn of its own."""

MOST_PAYLOAD_BYTES = 64 * 1024
"""Of one event."""


class ManifestAgent:
    """Use as ``with ManifestAgent(manifest, registry) as agent``. It holds a run, and no tool.

    ``model`` and ``handler`` stand in for those that the manifest names. Where runs have to be alike byte for byte,
    inject the ``run``; or its ``run_id``, the ``prefix`` of the ids of its calls, and the ``secret`` of its blocks.
    """

    def __init__(
        self,
        manifest: Manifest,
        registry: ToolRegistry,
        *,
        model: Model | None = None,
        handler: Handler | None = None,
        handlers: Mapping[str, Callable[..., Any]] = HANDLERS,
        run: Run | None = None,
        run_id: str | None = None,
        secret: bytes | None = None,
        prefix: str | None = None,
    ) -> None:
        """Raises ConfigurationError: there is no such handler or model, or the registry does not know its rules."""
        self.manifest = manifest
        self.registry = registry
        self.handlers = handlers
        """By which whoever does a part of its work finds a handler too."""
        self.handler = handler or handler_named(manifest, handlers)
        self.model = model or model_named(manifest)
        self._owns_run = run is None
        principal = principal_of(manifest.name, manifest) if run is None else run.principal
        require_rules(manifest, registry, principal)
        if run is not None and run.principal.name != manifest.name:
            raise ConfigurationError(f"the run is {run.principal.name!r}'s, and the manifest {manifest.name!r}'s")
        limit = manifest.agent.max_calls
        self.run = run or registry.runtime.begin(principal, id=run_id, prefix=prefix, max_calls=limit)
        if run is None or secret is not None:
            self.run.fence = Fence(secret or os.urandom(32))
        self.drive: Drive | None = None
        """What applies the commands that its calls give, where it works on the task of a workflow."""
        self.scope: Scope | None = None
        """All that bounds it, where it does a part of another agent's task; else its manifest does."""

    @property
    def name(self) -> str:
        return self.manifest.name

    # --- tools ---

    def call_tool(self, name: str, /, **params: Any) -> dict[str, Any]:
        """The tool's dict, for a thread that waits; ``name`` is positional, so that a tool may have such a parameter.

        Raises:
            CapabilityViolation: the manifest does not grant the tool, whether or not it exists.
            UnknownToolError: it is granted and registered nowhere; a KeyError.
            ToolError: any other refusal or failure, by its own class.
        """
        return as_object(self._applied(self.registry.runtime.call_blocking(self.run, name, params)))

    async def call_tool_async(self, name: str, /, **params: Any) -> dict[str, Any]:
        """The same on a loop, in the turn of its run that is open, else in one of its own."""
        return as_object(await self.result_of(name, params))

    async def result_of(self, name: str, params: Mapping[str, Any]) -> ToolResult:
        """The result as it is, with the block that a model reads (``content``). Never raises for a refusal."""
        return self._applied(await self.run.call(name, params))

    def check(self) -> None:
        """Look at everything granted: ask the registry, a server that it has included, and for roots the disk.

        Raises:
            ConfigurationError: there is no such tool, group or folder; with file, line and key.
            RefusedError: a server could not be asked.
        """
        refuse_strange(self.manifest, self.registry)

    # --- its turn ---

    async def act(self, scene: Scene) -> list[Event]:
        """Its turn: what its handler makes of the scene, each event in its own name.

        Raises:
            EmissionViolation: the handler gave an event of a kind that the manifest does not list; none leaves.
            LicetError: what a tool or the model raised.
        """
        return self._emitted(await self.handler(self, scene))

    async def prompt(self, scene: Scene, *extra: Extra) -> str:
        """What its model reads: persona, goal, granted tools, what it remembers, and what the handler adds."""
        granted = await described(self.manifest, self.registry, self.run.principal)
        return prompt(self.manifest, scene, granted, extra, fence=self.run.fence, id=self.run.id)

    async def say(self, task: str) -> str:
        """The model's last words on a task. Calls that it asks for walk the corridor, as any."""
        runtime = self.registry.runtime
        record = record_for(self.model, runtime.ledger, self.run)
        going = legs(self.model, self.run, runtime, task, max_turns=MOST_TURNS, drive=self.drive, record=record)
        return (await going).text

    # --- the rest ---

    def close(self) -> None:
        """Let go of the run, if it is the agent's own."""
        if self._owns_run:
            self.run.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _applied(self, result: ToolResult) -> ToolResult:
        """The result, once what it commands is applied."""
        if self.drive is None or result.command is None:
            return result
        self.drive.apply([result])
        (corrected,) = self.drive.corrected([result])
        return corrected

    def _emitted(self, events: Iterable[Event]) -> list[Event]:
        return [self._permitted(event) for event in events]

    def _permitted(self, event: Event) -> Event:
        if event.kind not in self.manifest.may_emit:
            listed = ", ".join(self.manifest.may_emit) or "nothing"
            problem = f"{self.name!r} may emit {listed}, and not {str(event.kind)[:80]!r}; list it under may_emit"
            raise EmissionViolation(problem)
        try:
            _, payload = freeze(event.payload, limit_bytes=MOST_PAYLOAD_BYTES)
        except NotJson as exc:
            raise EmissionViolation(f"the payload of {event.kind} of {self.name!r} is no strict JSON: {exc}") from exc
        if not isinstance(payload, dict):
            raise EmissionViolation(f"the payload of {event.kind} of {self.name!r} is no object; give a dict")
        return event._replace(payload=payload, actor=self.name)


__all__ = ["MOST_TURNS", "ManifestAgent"]
