"""What a tool declares about itself. Never the code that runs it."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple, get_args

from ..errors import ConfigurationError
from .json_object import JsonObject
from .names import canonical
from .paths import PATH_ACCESS, PathAccess

SourceKind = Literal["builtin", "dynamic", "mcp", "hosted"]
Category = Literal["utility", "read", "search", "write", "shell"]
ExecutionMode = Literal["sequential", "parallel"]
ToolType = Literal["tool", "validation", "intrinsic"]

_SOURCES, _CATEGORIES, _EXECUTION_MODES, _TOOL_TYPES = map(get_args, (SourceKind, Category, ExecutionMode, ToolType))

BUILTIN_GROUPS = ("utility_builtins", "read_only_builtins", "editing_builtins", "shell_builtins")
OPEN_OBJECT = JsonObject(b'{"type":"object"}')
NO_METADATA = JsonObject(b"{}")
MAX_DESCRIPTION_BYTES = 16 * 1024
MAX_TIMEOUT_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotations:
    """What the source claims. Three-valued: ``None`` says that nothing was claimed, which is not ``False``."""

    read_only: bool | None = None
    destructive: bool | None = None
    open_world: bool | None = None
    idempotent: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCapability:
    """What the runtime relies on. Neither ``read_only`` nor ``writes`` is legal, and is treated as writing.

    Raises:
        ConfigurationError: ``read_only`` together with ``writes`` or ``checkpointable``.
    """

    read_only: bool = False
    writes: bool = False
    checkpointable: bool = False
    idempotent: bool = False
    unsafe: bool = False
    human_approval_required: bool = False

    def __post_init__(self) -> None:
        if self.read_only and (self.writes or self.checkpointable):
            flag = "writes" if self.writes else "checkpointable"
            raise ConfigurationError(f"a tool cannot be read_only and {flag}; drop one of the two flags")

    @property
    def asks(self) -> bool:
        """Whether a person has to say yes to each call."""
        return self.unsafe or self.human_approval_required


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """How a call runs. ``timeout_s`` is in seconds; ``inline`` runs on the caller's thread, without a timer."""

    mode: ExecutionMode = "sequential"
    timeout_s: float = 30.0
    abortable: bool = True
    inline: bool = False

    def __post_init__(self) -> None:
        if self.mode not in _EXECUTION_MODES:
            raise ConfigurationError(f"execution mode {self.mode!r} is not sequential or parallel")
        if not (isinstance(self.timeout_s, int | float) and math.isfinite(self.timeout_s)):
            raise ConfigurationError(f"timeout_s is a number of seconds, not {self.timeout_s!r}")
        if not 0 < self.timeout_s <= MAX_TIMEOUT_S:
            raise ConfigurationError(
                f"timeout_s is above 0 and at most {MAX_TIMEOUT_S:g} seconds, not {self.timeout_s!r}"
            )


class ModelTool(NamedTuple):
    """The model-facing part of a tool: the only thing that a dialect receives."""

    name: str
    description: str
    input_schema: JsonObject
    strict: bool = False


class HostedTool(NamedTuple):
    """The model-facing part of a tool that a provider runs itself: how it is declared there, by dialect."""

    name: str
    declared: JsonObject


Offered = ModelTool | HostedTool
"""What a model is shown of one tool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """The contract of one tool. ``name`` becomes canonical; schemas are JSON Schema, draft 2020-12, kept as text.

    ``handler``, ``checkpoint`` and ``restore`` are only how you hand your code in: they are no part of equality, and
    what a runtime or a registry hands out does not hold them.

    Raises:
        ConfigurationError: a field contradicts another or has a value outside its set.
    """

    name: str
    description: str = ""
    title: str | None = None
    input_schema: Mapping[str, Any] = OPEN_OBJECT
    output_schema: Mapping[str, Any] | None = None
    source: SourceKind = "dynamic"
    group: str | None = None
    category: Category = "utility"
    annotations: Annotations = Annotations()
    capabilities: ToolCapability = ToolCapability()
    execution: Execution = Execution()
    path_access: PathAccess = "none"
    path_arguments: tuple[str, ...] = ()
    """JSON pointers to the arguments that hold paths; ``*`` stands for every element of an array."""
    tool_type: ToolType = "tool"
    schema_inferred: bool = False
    strict: bool = False
    hosted: Mapping[str, Any] | None = None
    """Of a tool whose source is ``hosted``: how it is declared to the providers that run it, by dialect."""
    metadata: Mapping[str, Any] = NO_METADATA
    never_model_facing: tuple[str, ...] = ()
    """Names of arguments that no model may see or set, at any depth; ``licet.profiles`` says of which tools."""
    handler: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    checkpoint: Callable[..., Any] | None = field(default=None, compare=False, repr=False)
    restore: Callable[..., Any] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "name", canonical(self.name))
        put(self, "input_schema", JsonObject.of(self.input_schema))
        put(self, "output_schema", None if self.output_schema is None else JsonObject.of(self.output_schema))
        put(self, "metadata", JsonObject.of(self.metadata))
        put(self, "hosted", None if self.hosted is None else JsonObject.of(self.hosted))
        put(self, "path_arguments", tuple(self.path_arguments))
        if isinstance(self.never_model_facing, str):
            raise ConfigurationError(f"never_model_facing is a list of names; write ({self.never_model_facing!r},)")
        put(self, "never_model_facing", tuple(self.never_model_facing))
        self._validate()

    def _validate(self) -> None:
        for value, kinds, what in (
            (self.source, _SOURCES, "source"),
            (self.category, _CATEGORIES, "category"),
            (self.tool_type, _TOOL_TYPES, "tool_type"),
        ):
            if value not in kinds:
                raise ConfigurationError(f"{self.name}: {what} {value!r} is not one of {', '.join(kinds)}")
        if self.path_access not in PATH_ACCESS:
            raise ConfigurationError(
                f"{self.name}: path_access {self.path_access!r} is not one of {', '.join(PATH_ACCESS)}"
            )
        if (
            not isinstance(self.description, str)
            or len(self.description.encode("utf-8", "replace")) > MAX_DESCRIPTION_BYTES
        ):
            raise ConfigurationError(f"{self.name}: a description is text of at most {MAX_DESCRIPTION_BYTES} bytes")
        if self.hosted is not None and (
            self.source != "hosted" or not all(isinstance(told, dict) for told in self.hosted.values())
        ):
            raise ConfigurationError(
                f"{self.name}: hosted holds one object by dialect, such as "
                "{'openai_responses': {'type': 'web_search'}}, and only where source is 'hosted'"
            )
        if any(not pointer.startswith("/") for pointer in self.path_arguments):
            raise ConfigurationError(f"{self.name}: path_arguments are JSON pointers such as '/path'")
        if self.path_arguments and self.path_access == "none":
            raise ConfigurationError(f"{self.name}: path_arguments without path access; set path_access")

    @property
    def model_tool(self) -> ModelTool:
        """What a model may know of this tool: no runtime fact is in it."""
        return ModelTool(self.name, self.description, JsonObject.of(self.input_schema), self.strict)

    @property
    def hosted_tool(self) -> HostedTool:
        """What a provider may know of a tool that it runs itself."""
        return HostedTool(self.name, JsonObject.of(self.hosted or NO_METADATA))

    def without_code(self) -> "ToolSpec":
        """The same contract, holding no callable."""
        if self.handler is None and self.checkpoint is None and self.restore is None:
            return self
        return replace(self, handler=None, checkpoint=None, restore=None)
