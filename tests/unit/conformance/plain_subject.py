"""A small runtime that keeps the contract, and breaks one promise of it for each word that it is given."""

import asyncio
import hashlib
import json
import os
import re
from typing import Any

import jsonschema_rs

from licet.conformance import Options, Tool, UnsupportedError
from licet.errors import ToolFailedError

NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


class Plain:
    """Every ``fault`` is the id of the vector that has to find it."""

    def __init__(self, *faults: str) -> None:
        self.faults = frozenset(faults)
        self.tools: dict[str, Tool] = {}
        self.changed: set[str] = set()
        self.answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.given: dict[str, str] = {}
        self.is_dead = False
        self.listings = 0
        self.beside: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def breaks(self, *vectors: str) -> bool:
        return not self.faults.isdisjoint(vectors)

    # --- setup and listing ---

    async def setup(self, tools: Any, options: Options) -> None:
        if options.is_profiled:
            raise UnsupportedError("it knows no profiles")
        self.is_dead = options.source_is_dead
        if not self.tools:
            self.tools = {tool.name: tool for tool in tools}
            self.names = {self._wire(tool.name): tool.name for tool in tools}
            return
        now = {tool.name: tool for tool in tools}
        for name, tool in self.tools.items():
            gone = name not in now and not self.breaks("changed.renamed")
            if gone or (name in now and self._differs(tool, now[name])):
                self.changed.add(name)
        if self.breaks("changed.renamed"):
            self.tools.update(now)
            self.names.update({name: name for name in now})

    def _differs(self, old: Tool, new: Tool) -> bool:
        if self.breaks("changed.order"):
            return (
                json.dumps(old.input_schema) != json.dumps(new.input_schema) or old[:2] != new[:2] or old[4:] != new[4:]
            )
        return (
            (old.description != new.description and not self.breaks("changed.description"))
            or (old.input_schema != new.input_schema and not self.breaks("changed.schema"))
            or (old.read_only != new.read_only and not self.breaks("changed.hint"))
        )

    def _wire(self, name: str) -> str:
        if self.breaks("names.distinct"):
            return re.sub(r"[^A-Za-z0-9_]", "_", name)[:64]
        if NAME.fullmatch(name) or self.breaks("names.valid"):
            return name
        return f"{re.sub(r'[^A-Za-z0-9_-]', '_', name)[:50]}_{hashlib.sha256(name.encode()).hexdigest()[:8]}"

    async def list(self) -> Any:
        self.listings += 1
        if self.is_dead and not self.breaks("errors.source", "profile.source"):
            raise ConnectionError("the source cannot be reached")
        shown = [tool for tool in self.tools.values() if tool.granted or self.breaks("hidden.listed")]
        if self.is_dead:
            shown = []
        if self.breaks("names.listed") and self.tools.keys() == {"look", "say"}:
            shown = [*shown, Tool("extra", "Was set up by nobody.", {}, shown[0].execute)]
        if self.breaks("arguments.schema") and self.listings > 1:
            shown[0].input_schema["title"] = "Shown"
        return [
            {"name": self._wire(tool.name), "description": tool.description, "input_schema": tool.input_schema}
            for tool in shown
        ]

    # --- calls ---

    async def call(self, name: str, arguments: Any, call_id: str) -> Any:
        key = (call_id, json.dumps(arguments)) if self.breaks("once.other") else call_id
        earlier = self.answers.get(str(key))
        if (
            self.breaks("once.again")
            and earlier is not None
            and earlier.done()
            and self.given[str(key)] == str(arguments)
        ):
            earlier = None
        if self.breaks("once.at-once") and earlier is not None and not earlier.done():
            earlier = None
        if earlier is not None:
            return await asyncio.shield(earlier)
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self.answers[str(key)], self.given[str(key)] = answer, str(arguments)
        try:
            made = await self._call(name, arguments)
        except asyncio.CancelledError:
            answer.cancel()
            raise
        answer.set_result(made)
        return made

    async def _call(self, name: str, arguments: Any) -> dict[str, Any]:
        tool = self._found(name)
        if tool is None:
            if name == "" and self.breaks("names.empty"):
                return {"ok": True, "content": "", "code": None}
            if self.breaks("names.unknown") and name == "no_such_tool":
                raise LookupError(name)
            return self._failed("unknown_tool", "there is no such tool")
        if not tool.granted and not self.breaks("hidden.called", "hidden.side-doors"):
            if self.breaks("hidden.bad-arguments") and "bogus" in arguments:
                return self._failed("invalid_arguments", "bogus is no argument of it")
            if self.breaks("hidden.same-answer") and not arguments:
                return self._failed("forbidden", "it is not yours")
            return self._failed("unknown_tool", "there is no such tool")
        if tool.name in self.changed:
            return self._failed("changed", "it is not what it was")
        try:
            taken = self._read(arguments)
        except ValueError:
            return self._failed("invalid_arguments", "the arguments are no JSON")
        taken = self._without_nulls(tool, taken)
        problem = self._problem(tool, taken)
        if problem and not (tool.ask and self.breaks("approval.invalid")):
            return self._failed("invalid_arguments", problem)
        if not await self._agreed_to(tool, taken):
            return self._failed("approval_denied", "a person said no")
        if problem:
            return self._failed("invalid_arguments", problem)
        return await self._executed(tool, self._moved(taken))

    async def _agreed_to(self, tool: Tool, arguments: Any) -> bool:
        if tool.ask is None or (tool.name == "move" and self.breaks("approval.asked")):
            return True
        return await tool.ask(arguments) or self.breaks("approval.denied")

    def _found(self, name: str) -> Tool | None:
        if self.breaks("names.case") and name.lower() == "look":
            name = "look"
        if self.breaks("names.space") and name.strip() == "look":
            name = "look"
        if self.breaks("names.look-alike") and "\u200b" in name:
            name = name.replace("\u200b", "")
        if self.breaks("names.prefix") and name.endswith(".look"):
            name = "look"
        if self.breaks("names.longer") and name.startswith("look_"):
            name = "look"
        if self.breaks("hidden.side-doors") and name.lower() == "vault" and name != "vault":
            return self.tools.get("vault")
        if self.breaks("hidden.side-doors") and name == "vault":
            return None
        return self.tools.get(self.names.get(name, ""))

    def _read(self, arguments: Any) -> Any:
        if not isinstance(arguments, str):
            return arguments
        if self.breaks("arguments.text"):
            raise ValueError
        if self.breaks("arguments.no-json") and not arguments.endswith("}"):
            arguments += "}"

        def once(pairs: Any) -> Any:
            if len(dict(pairs)) != len(pairs) and not self.breaks("arguments.key-twice"):
                raise ValueError
            return dict(pairs)

        def constant(word: str) -> Any:
            if self.breaks("arguments.no-number"):
                return 1
            raise ValueError(word)

        value = json.loads(arguments, object_pairs_hook=once, parse_constant=constant)
        if self.breaks("arguments.no-object") and isinstance(value, list):
            value = {"path": value[0]}
        if not isinstance(value, dict):
            raise ValueError
        return value

    def _without_nulls(self, tool: Tool, arguments: Any) -> Any:
        if self.breaks("arguments.null"):
            return {key: value for key, value in arguments.items() if value is not None}
        return arguments

    def _problem(self, tool: Tool, arguments: Any) -> str:
        errors = list(jsonschema_rs.validator_for(tool.input_schema).iter_errors(arguments))
        kept = [one for one in errors if not self._overlooks(one, arguments)]
        return kept[0].message if kept else ""

    def _overlooks(self, error: Any, arguments: Any) -> bool:
        """Whether this one kind of mistake is let through."""
        keyword, at, inside = list(error.schema_path)[-1], list(error.instance_path), len(list(error.instance_path)) > 0
        for vector, is_it in (
            ("arguments.required", keyword == "required" and not inside),
            ("arguments.type", keyword == "type" and arguments.get("limit") == "3"),
            ("arguments.extra", keyword == "additionalProperties" and not inside),
            ("arguments.enum", keyword == "enum" and arguments.get("mode") is not None),
            ("arguments.bound", keyword == "maximum"),
            ("arguments.nested-required", keyword == "required" and inside),
            ("arguments.nested-extra", keyword == "additionalProperties" and inside),
            ("arguments.item", keyword == "type" and "points" in at),
            ("arguments.branch", keyword == "oneOf"),
            ("arguments.empty", keyword == "minItems"),
            ("arguments.invented-null", None in arguments.values()),
        ):
            if is_it and self.breaks(vector):
                return True
        return False

    def _moved(self, arguments: Any) -> Any:
        if self.breaks("arguments.exact") and "big" in arguments:
            return {**arguments, "big": float(arguments["big"]) + 0.5}
        if self.breaks("arguments.names"):
            return {key: value for key, value in arguments.items() if key != "self"}
        return arguments

    async def _executed(self, tool: Tool, arguments: Any) -> dict[str, Any]:
        if self.breaks("once.own") and tool.name == "say" and "number" in arguments["text"]:
            await tool.execute(arguments)
            return self._answered({"text": "number 00 of all"})
        try:
            answer = await self._awaited(tool, arguments)
        except ToolFailedError as exc:
            return self._failed("tool_failed", str(exc))
        except ConnectionError:
            if self.breaks("retry.lost"):
                return await self._again(tool, arguments)
            return self._failed("transport", "the way to it broke")
        except Exception as exc:
            if self.breaks("retry.failed") and tool.name == "stumble":
                return await self._again(tool, arguments)
            if self.breaks("errors.failure") and tool.name == "break":
                return {"ok": True, "content": "it went well", "code": None}
            return self._failed("tool_failed", str(exc) if self.breaks("errors.secret") else "the tool failed")
        if self.breaks("framing.call") and "<tool_call>" in json.dumps(answer):
            await self.tools["look"].execute({})
        return self._answered(answer)

    async def _again(self, tool: Tool, arguments: Any) -> dict[str, Any]:
        try:
            return self._answered(await tool.execute(arguments))
        except Exception:
            return self._failed("tool_failed", "the tool failed")

    async def _awaited(self, tool: Tool, arguments: Any) -> Any:
        if tool.name != "linger":
            self.beside = asyncio.ensure_future(tool.execute(arguments))
            return await self.beside
        if self.breaks("cancellation.ends") and len(self.tools) == 1:
            return await asyncio.shield(tool.execute(arguments))
        try:
            return await tool.execute(arguments)
        except asyncio.CancelledError:
            if self.breaks("cancellation.goes-on"):
                self.tools.pop("look", None)
            if self.breaks("cancellation.neighbour"):
                self.beside.cancel()
            raise

    def _answered(self, answer: Any) -> dict[str, Any]:
        if answer is None and self.breaks("errors.nothing"):
            return self._failed("tool_failed", "it gave nothing")
        if answer == [] and self.breaks("errors.empty"):
            return self._failed("tool_failed", "it gave nothing")
        text = json.dumps(answer)
        if self.breaks("errors.words") and "Error" in text:
            return self._failed("tool_failed", text)
        if self.breaks("framing.whole"):
            text = text[:1000]
        if self.breaks("framing.forged") and isinstance(answer, dict) and "text" in answer:
            return {"ok": True, "content": f"<result>\n{answer['text']}\n</result>", "code": None}
        if self.breaks("framing.escapes") and "\\u001b" in text:
            raise RuntimeError("a character that nobody can show")
        mark = os.urandom(8).hex()
        return {"ok": True, "content": f"<<{mark}\n{text}\n{mark}>>", "code": None, "data": answer}

    def _failed(self, code: str, message: str) -> dict[str, Any]:
        return {"ok": False, "content": f"{code}: {message}", "code": code}

    async def close(self) -> None:
        self.tools = {}
