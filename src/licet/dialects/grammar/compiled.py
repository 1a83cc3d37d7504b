"""One request's tools as one grammar."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import orjson

from ...model.names import short
from ...model.result import ToolResult
from ...model.said import Said, Usage
from ...model.tool import ModelTool, Offered, ToolSpec
from ..loss import Loss
from ..names import WireNames
from ..shown import MAX_SHOWN_BYTES, shown
from . import call
from .bounds import MOST_BYTES, STEPS
from .gbnf import gbnf
from .lowering import Lowering, TooManyPartsError
from .prompt import ANSWER, ARGUMENTS, CALL, told
from .size import longest, text

if TYPE_CHECKING:
    from ...ports import Message

DIALECT = "grammar"
_CACHED = 64
_NOTHING: Mapping[str, str] = MappingProxyType({})


class Tool:
    """One tool, lowered. ``definitions`` are those that its arguments refer to."""

    __slots__ = ("arguments", "definitions", "description", "losses", "size", "wire")

    def __init__(self, wire: str, description: str, arguments: dict[str, Any], size: int, lowering: Lowering) -> None:
        self.wire = wire
        self.description = description
        self.arguments = arguments
        self.definitions = lowering.definitions
        self.losses = lowering.losses
        self.size = size


class Compiled:
    """One request's tools. Made by ``compile``; cannot be changed.

    ``names`` are the wire names of this request. ``losses`` are sorted, ``refused`` says of each tool that is not
    offered why. ``budget`` is the greatest length of what can be written, in bytes of UTF-8: no tokenizer makes more
    tokens of it. ``answers`` says whether a model may end by an answer.
    """

    dialect = DIALECT

    def __init__(
        self, tools: Sequence[Tool], names: WireNames, refused: Mapping[str, str], most_bytes: int, answers: bool
    ) -> None:
        self.names = names
        self.refused = MappingProxyType(dict(refused))
        self.losses: tuple[Loss, ...] = tuple(sorted(loss for tool in tools for loss in tool.losses))
        self.answers = answers
        self._tools = tuple(tools)
        answer = {"type": "string", "maxLength": max((most_bytes - len(text({ANSWER: ""}))) // 4, 1)}
        ways = [_call(tool) for tool in tools]
        if answers or not ways:
            ways.append(_closed({ANSWER: answer}))
        definitions = {name: below for tool in tools for name, below in tool.definitions.items()}
        self._json = orjson.dumps({"anyOf": ways, **({"$defs": definitions} if definitions else {})})
        sizes = [tool.size for tool in tools]
        if answers or not sizes:
            sizes.append(len(text({ANSWER: ""})) + 4 * answer["maxLength"])  # type: ignore[operator]
        self.budget = max(sizes)

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of what a model may write, fresh on each access."""
        fresh: dict[str, Any] = orjson.loads(self._json)
        return fresh

    @cached_property
    def gbnf(self) -> str:
        """The same in the notation of llama.cpp, exact in what its converters leave open."""
        schema = self.schema
        return gbnf(schema, schema.get("$defs", {}))

    def prompt(self, *, brief: bool = False) -> str:
        """What a model reads of the tools, a line for each; ``brief`` leaves out descriptions of arguments.

        Empty where there are none: then nothing holds a model to JSON.
        """
        if not self._tools:
            return ""
        definitions = {name: below for tool in self._tools for name, below in tool.definitions.items()}
        lines = ((tool.wire, tool.description, tool.arguments) for tool in self._tools)
        return told(lines, definitions, brief=brief)

    def body(self, conversation: Sequence["Message"], *, brief: bool = False) -> dict[str, Any]:
        """``messages`` and ``response_format``, as servers of the OpenAI format with guided decoding take them.

        Where no tool is offered the form is left out, and what comes is plain text.
        """
        body: dict[str, Any] = {"messages": self.messages(conversation, brief=brief)}
        if self._tools:
            form = {"name": "call", "schema": self.schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        return body

    def messages(self, conversation: Sequence["Message"], *, brief: bool = False) -> list[dict[str, str]]:
        """The conversation in the roles ``system``, ``user`` and ``assistant``; the first message tells the tools."""
        system = [message.text for message in conversation if message.role == "system"]
        system += [prompt] if (prompt := self.prompt(brief=brief)) else []
        told = [{"role": "system", "content": "\n\n".join(system)}] if system else []
        for message in conversation:
            if message.role == "tool":
                told += self.encode(message, message.results)
            elif message.role == "assistant":
                told.append({"role": "assistant", "content": self._own_words(message)})
            elif message.role == "user":
                told.append({"role": "user", "content": message.text})
        return told

    def encode(
        self, turn: "Message", results: Sequence[ToolResult], *, limit_bytes: int = MAX_SHOWN_BYTES
    ) -> list[dict[str, str]]:
        """The messages that answer a turn's calls, one for each call, in their order: the block that a model reads."""
        return [{"role": "user", "content": shown(result, limit_bytes=limit_bytes)} for result in results]

    def decode(self, written: str, *, usage: Usage = Usage(), cut: bool = False) -> Said:  # noqa: B008 - immutable
        """What a model said. Never raises for what it wrote; ``cut`` says that its limit ended it."""
        return call.read(written, self.names, usage=usage, cut=cut)

    def _own_words(self, message: "Message") -> str:
        if isinstance(message.turn, str):
            return message.turn
        said = [call.written(one, self.names) for one in message.calls]
        return "\n".join(said) if said else call.answered(message.text)


def compile(
    tools: Iterable[ToolSpec | Offered],
    *,
    chosen: Mapping[str, str] = _NOTHING,
    most_bytes: int = MOST_BYTES,
    answers: bool = True,
) -> Compiled:
    """The grammar of one call, or of an answer; made once for equal tools. A tool without room in it is refused.

    ``chosen`` are an operator's own wire names, by canonical name. ``most_bytes`` bounds what can be written.

    Raises:
        ConfigurationError: a chosen name is not legal, or looks like another that was chosen.
    """
    return _compile(tuple(map(_offered, tools)), tuple(sorted(chosen.items())), most_bytes, answers)


def _offered(tool: ToolSpec | Offered) -> Offered:
    if isinstance(tool, ToolSpec):
        return tool.hosted_tool if tool.source == "hosted" else tool.model_tool
    return tool


@lru_cache(maxsize=_CACHED)
def _compile(
    tools: tuple[Offered, ...], chosen: tuple[tuple[str, str], ...], most_bytes: int, answers: bool
) -> Compiled:
    refused: dict[str, str] = {}
    called: dict[str, ModelTool] = {}
    for tool in tools:
        if isinstance(tool, ModelTool):
            called.setdefault(tool.name, tool)
        else:
            refused[tool.name] = f"{short(tool.name)!r} is run by a provider, and a grammar has no place for it"
    names = WireNames(called, dict(chosen))
    refused |= names.refused
    fresh = _Fresh()
    made: list[Tool] = []
    for name, tool in called.items():
        if name in refused:
            continue
        lowered = _lowered(names.encode(name), tool, most_bytes, fresh)
        if isinstance(lowered, str):
            refused[name] = f"{short(name)!r} {lowered}"
        else:
            made.append(lowered)
    offered = WireNames((name for name in called if name not in refused), dict(chosen))
    return Compiled(made, offered, refused, most_bytes, answers)


def _lowered(wire: str, tool: ModelTool, most_bytes: int, fresh: "_Fresh") -> Tool | str:
    """The tool under the widest bounds with room for its longest call, or why there are none."""
    size = 0
    for bounds in STEPS:
        lowering = Lowering(tool.name, tool.input_schema.copy(), bounds, fresh.names())
        try:
            arguments = lowering.arguments()
        except TooManyPartsError:
            return "has a schema that unfolds to more parts than a grammar should hold"
        if arguments is None:
            return "has a schema that no arguments of bounded length fit"
        size = len(text({CALL: wire, ARGUMENTS: {}})) - 2 + longest(arguments, lowering.definitions)
        if size <= most_bytes:
            fresh.keep(lowering.definitions)
            return Tool(wire, tool.description, arguments, size, lowering)
    return f"may need {size} bytes for one call, and {most_bytes} are the most"


class _Fresh:
    """Names of definitions that no two tools share, of letters and digits: also that is a rule's name elsewhere."""

    def __init__(self) -> None:
        self._kept = 0

    def names(self) -> Any:
        count = self._kept

        def name(word: str) -> str:
            nonlocal count
            count += 1
            plain = "".join(char for char in word if char.isascii() and char.isalnum())[:24]
            return f"t{count}x{plain}"

        return name

    def keep(self, definitions: Mapping[str, Any]) -> None:
        self._kept += len(definitions)


def _call(tool: Tool) -> dict[str, Any]:
    return _closed({CALL: {"const": tool.wire}, ARGUMENTS: tool.arguments})


def _closed(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


__all__ = ["DIALECT", "Compiled", "Tool", "compile"]
