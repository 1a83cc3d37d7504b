"""Plays one vector on one subject, step by step."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from . import answer as answers
from . import listing
from .answer import Answered
from .execution import Execution, Executions
from .spelling import spelled
from .subject import Options, Subject, Tool, UnsupportedError
from .vector import Vector
from .verdict import Found

T = TypeVar("T")

PATIENCE_S = 10.0
"""For one answer of a subject."""
CANCELLED_S = 2.0
"""For the end of a call that was cancelled, and for its tool to hear of it."""


@dataclass
class Play:
    """One vector under way. ``names`` are the vector's tools -> how the subject lists them."""

    vector: Vector
    subject: Subject
    executions: Executions
    upstream: tuple[tuple[str, ...], str] = ((), "")
    on_change: Callable[[Sequence[Mapping[str, Any]]], Awaitable[None]] | None = None
    patience_s: float = PATIENCE_S
    names: dict[str, str] = field(default_factory=dict)
    known: dict[str, Answered] = field(default_factory=dict)
    _calls: int = 0
    _given: Sequence[Tool] = ()
    _first: Sequence[listing.Listed] = ()

    async def play(self) -> None:
        """Raises Found: it is not as the vector says; UnsupportedError: it cannot be played."""
        if self.vector.options.get("is_refused"):
            await self._refused_setup()
            return
        await self._set_up(self.vector.tools, self.vector.options)
        if not self.vector.options.get("source_is_dead"):
            await self._look()
        for step in self.vector.steps:
            await self._step(step)

    async def _set_up(self, tools: Sequence[Mapping[str, Any]], asked: Mapping[str, Any]) -> None:
        self._given = self.executions.tools(tools)
        is_dead = bool(asked.get("source_is_dead", False))
        profile, is_profiled = asked.get("profile"), "profile" in asked
        command, url = self.upstream
        options = Options(profile, is_profiled, command, url, self.vector.needs, is_dead)
        await self._asked("setup", self.subject.setup(self._given, options))

    async def _look(self) -> list[listing.Listed]:
        listed = listing.read(await self._asked("list", self.subject.list()))
        self.names = {**listing.names(listed, self.vector.tools)}
        self._first = self._first or listed
        return listed

    async def _step(self, step: Mapping[str, Any]) -> None:
        before, asked = len(self.executions.all), len(self.executions.asked)
        expect = step.get("expect", {})
        if "call" in step or "named" in step:
            await self._call_step(step)
        elif "together" in step:
            await self._together(step)
        elif "cancel" in step:
            await self._cancel(step)
        elif "list" in step:
            await self._list(step["list"])
        elif "change" in step:
            if self.on_change is not None:
                await self.on_change(step["change"])
            await self._set_up(step["change"], self.vector.options)
        elif "dead" in step:
            await self._dead(step["dead"])
        answers.count(self.executions.all[before:], expect)
        answers.consent(self.executions.asked[asked:], expect)
        engine = self.executions.engine
        if "sent" in expect and engine is not None and engine.sent != expect["sent"]:
            raise Found("failed", f"the engine called its webhook {engine.sent} times instead of {expect['sent']}")

    # --- calls ---

    def _name(self, step: Mapping[str, Any]) -> str:
        if "named" in step:
            return str(step["named"])
        tool = step["call"]
        granted = next((t.get("granted", True) for t in self.vector.tools if t["name"] == tool), True)
        if tool not in self.names and granted and "may_be_hidden" not in step:
            raise Found("failed", f"does not list {tool!r}, which was set up")
        name = listing.named(self.names, tool)
        return spelled(name, step["spelled"]) if "spelled" in step else name

    async def _call(self, step: Mapping[str, Any]) -> Answered:
        self._calls += 1
        name = self._name(step)
        call_id = step.get("id", f"call-{self._calls}")
        said = await self._asked("call", self.subject.call(name, step["arguments"], call_id))
        return answers.read(name, said, may_act="may_act" in step, own=step.get("call", ""))

    async def _call_step(self, step: Mapping[str, Any]) -> None:
        before = len(self.executions.all)
        got = await self._call(step)
        expect = step.get("expect", {})
        answers.judge(got, self.executions.all[before:], expect, self.known)
        if "keep" in step:
            self.known[step["keep"]] = got
        if "unforged" in step:
            await self._forge(step, got)

    async def _together(self, step: Mapping[str, Any]) -> None:
        calls = [dict(call) for call in step["together"] for _ in range(call.get("times", 1))]
        got = await asyncio.gather(*map(self._call, calls), return_exceptions=True)
        for call, one in zip(calls, got, strict=True):
            if isinstance(one, BaseException):
                raise one
            entered = [e for e in self.executions.all if e.tool == call["call"]]
            answers.judge(one, entered, call.get("expect", {}), self.known)
        succeeded = step.get("expect", {}).get("succeeded")
        if succeeded is not None and (count := sum(one.ok for one in got if isinstance(one, Answered))) != succeeded:
            raise Found("failed", f"{count} of {len(got)} calls at once succeeded instead of {succeeded}")

    async def _cancel(self, step: Mapping[str, Any]) -> None:
        before = len(self.executions.all)
        beside = [asyncio.ensure_future(self._call(call)) for call in step.get("beside", ())]
        under_way = asyncio.ensure_future(self._call(step["cancel"]))
        tool = step["cancel"]["call"]

        def entered(all_: Sequence[Execution]) -> bool:
            return under_way.done() or any(one.tool == tool for one in all_[before:])

        under_way.add_done_callback(lambda done: self.executions.stir())
        if not await self.executions.until(entered, self.patience_s) or under_way.done():
            await _dropped(under_way, *beside)
            raise Found("failed", "a call that is right did not come to its tool")
        under_way.cancel()
        ended, _ = await asyncio.wait({under_way}, timeout=CANCELLED_S)
        if not ended:
            raise Found("hung", f"a call that was cancelled is still going on after {CANCELLED_S:g} s")
        _pass_on(under_way)
        told = await self.executions.until(
            lambda all_: all(one.state != "running" for one in all_[before:] if one.tool == tool), CANCELLED_S
        )
        if not told:
            raise Found("failed", f"the tool of a call that was cancelled is still running after {CANCELLED_S:g} s")
        for call, one in zip(step.get("beside", ()), beside, strict=True):
            await asyncio.wait({one})
            if one.cancelled():
                raise Found("failed", "a call beside the one that was cancelled is cancelled as well")
            got = one.result()
            answers.judge(got, self.executions.all[before:], call.get("expect", {}), self.known)

    async def _forge(self, step: Mapping[str, Any], first: Answered) -> None:
        """Ask again for a text that holds the end of the block in which the model read the first one."""
        text = step["unforged"]
        head, found, tail = first.content.partition(text)
        if not found:
            raise Found("failed", "the model does not read the tool's own words")
        if not head.strip() or not tail.strip():
            raise UnsupportedError("its results have no marks around them that a text could forge")
        forged = f"{text}{tail}\n{step['forged']}\n{head}"
        again = await self._call({**step, "arguments": {**step["arguments"], "text": forged}})
        if again.content.endswith(tail) and f"{tail}\n{step['forged']}" in again.content:
            raise Found("failed", "a text that holds the end of its own block is not told from what follows the block")

    # --- the rest ---

    async def _list(self, expect: Mapping[str, Any]) -> None:
        listed = await self._look()
        kind = listing.MCP_NAME if getattr(self.subject, "is_mcp", False) else listing.MODEL_NAME
        shown = [one.name for one in listed]
        double = next((name for name in shown if shown.count(name) > 1), None)
        if double is not None:
            raise Found("failed", f"lists {double!r} twice")
        if "valid" in expect and (bad := next((name for name in shown if not kind.fullmatch(name)), None)) is not None:
            raise Found("failed", f"lists {bad!r}, which no name may be: {kind.pattern}")
        if "tools" in expect:
            self._exactly(expect["tools"], shown)
        if "flat" in expect:
            self._flat(shown)
        if "unchanged" in expect:
            self._unchanged(listed)
        for one in listed:
            field_ = listing.mentioned(one, expect.get("never", ()))
            if field_ is not None:
                raise Found("failed", f"{one.name!r} shows the model {field_!r}")

    def _exactly(self, tools: Sequence[str], shown: Sequence[str]) -> None:
        hidden = next((name for name in self.names if name not in tools), None)
        if hidden is not None:
            raise Found("failed", f"lists {hidden!r}, which the model may not see")
        missing = next((name for name in tools if name not in self.names), None)
        if missing is not None:
            raise Found("failed", f"does not list {missing!r}")
        more = next((name for name in shown if name not in self.names.values()), None)
        if more is not None:
            raise Found("failed", f"lists {more!r}, which nobody set up")

    def _flat(self, shown: Sequence[str]) -> None:
        """Either every tool has its own name, or every tool its flat one."""
        from ..profiles import shipped

        own = {tool["name"] for tool in self.vector.tools}
        prefix = shipped().prefix
        if not (all(name in own for name in shown) or all(name.removeprefix(prefix) in own - {name} for name in shown)):
            raise Found("failed", f"names are neither the tools' own nor {prefix}NAME: {', '.join(shown)[:160]}")

    def _unchanged(self, listed: Sequence[listing.Listed]) -> None:
        """Neither what it shows nor what it was given has changed since."""
        for tool, given in zip(self.vector.tools, self._given, strict=True):
            if given.input_schema != tool["input_schema"]:
                raise Found("failed", f"changed the schema of {given.name!r} that it was given")
        if list(listed) != list(self._first):
            raise Found("failed", "lists something else than before, and nothing was changed")

    async def _refused_setup(self) -> None:
        try:
            await self._set_up(self.vector.tools, self.vector.options)
        except Found as found:
            if found.verdict == "raised":
                return
            raise
        raise Found("failed", f"takes {self.vector.profile!r} for a profile")

    async def _dead(self, step: Mapping[str, Any]) -> None:
        """Of a source that cannot be reached, either nothing can be known, or a call says that it cannot."""
        try:
            listed = await self._look()
        except Found as found:
            if found.verdict == "raised":
                return
            raise
        if listed and step["call"] not in self.names:
            raise Found("failed", "lists other tools than its source has")
        if not listed:
            raise Found("failed", "lists nothing for a source that cannot be reached, as if it had nothing")
        got = await self._call(step)
        answers.judge(got, (), {"ok": False, "executed": 0}, self.known)

    async def _asked(self, what: str, coming: Awaitable[T]) -> T:
        """One answer of the subject. Raises Found: there is none, or an exception instead."""
        patience = asyncio.timeout(self.patience_s)
        try:
            async with patience:
                return await coming
        except (Found, UnsupportedError):
            raise
        except Exception as exc:
            if patience.expired():
                raise Found("hung", f"{what} gave no answer in {self.patience_s:g} s") from None
            raise Found("raised", f"{what} raised {type(exc).__name__}: {str(exc)[:160]}") from exc


def _pass_on(task: "asyncio.Future[Answered]") -> None:
    """Raise what ended a cancelled call, unless that is its cancellation."""
    if not task.cancelled() and (exc := task.exception()) is not None:
        raise exc


async def _dropped(*tasks: "asyncio.Future[Answered]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


__all__ = ["CANCELLED_S", "PATIENCE_S", "Play"]
