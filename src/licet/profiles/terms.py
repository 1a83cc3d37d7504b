"""The contract as facts: tools, profiles, the prefix of flat names, the fields that no model may see."""

from collections.abc import Mapping
from functools import cache
from pkgutil import get_data
from typing import Literal, NamedTuple

from ..errors import ConfigurationError
from ..model.paths import RunMode
from ..schema.pointer import legible
from .document import NAMES, Place, read

FILE = "integration-tool-contract.json"
DEFAULT = "observe"
"""The profile of whoever asks for none."""

ProfileName = Literal["observe", "govern", "execute", "full"]


class EngineTool(NamedTuple):
    """One of the engine's tools, under the name that it has over MCP."""

    name: str
    category: str
    description: str
    read_only: bool
    safety_critical: bool = False
    aliases: tuple[str, ...] = ()


class Profile(NamedTuple):
    """``tools`` are own names, in the contract's order; None is everything that the engine advertises.

    ``mode`` lists all of them. ``requires`` is what the engine itself holds before it executes anything.
    """

    name: ProfileName
    tools: tuple[str, ...] | None
    mode: RunMode
    is_default: bool = False
    requires: tuple[str, ...] = ()

    @property
    def is_full(self) -> bool:
        return self.tools is None

    def has(self, tool: str) -> bool:
        """Whether a tool belongs to it, by its own name."""
        return self.tools is None or tool in self.tools


class Contract(NamedTuple):
    """``never_model_facing`` holds in every profile, full included."""

    version: str
    prefix: str
    pattern: str
    tools: Mapping[str, EngineTool]
    profiles: Mapping[str, Profile]
    never_model_facing: tuple[str, ...]

    @property
    def server(self) -> str:
        """The id of the engine's server where nobody names another: the prefix without its underscore."""
        return self.prefix.rstrip("_")

    def profile(self, name: str | None = None) -> Profile:
        """The profile of that name; without one ``observe``.

        Raises:
            ConfigurationError: there is none. It is a ValueError.
        """
        found = self.profiles.get(DEFAULT if name is None else name) if name is None or type(name) is str else None
        if found is None:
            raise ConfigurationError(f"there is no profile {legible(repr(name))}; use {', '.join(self.profiles)}")
        return found


def load(text: str | bytes, file: str = FILE) -> Contract:
    """A contract file's facts. ``file`` is how messages name it.

    Raises:
        ConfigurationError: its shape is wrong, a profile names a tool that the reference does not, a profile names one
            twice, or a tool's flat name does not match the pattern.
    """
    contract, at = _terms(text, file), Place(file)
    _flat_names_match(at.at("external_tool_name_convention").at("pattern"), contract)
    return contract


def _terms(text: str | bytes, file: str) -> Contract:
    value, at = read(text, file), Place(file)
    tools = {
        name: EngineTool(
            name,
            told["category"],
            told["description"],
            told["read_only"],
            told.get("safety_critical", False),
            tuple(told.get("aliases", ())),
        )
        for name, told in value["mcp_tool_reference"].items()
    }
    _aliases_are_free(at.at("mcp_tool_reference"), tools)
    naming = value["external_tool_name_convention"]
    return Contract(
        value["contract_version"],
        naming["prefix"],
        naming["pattern"],
        tools,
        _profiles(at.at("profiles"), value["profiles"], tools),
        tuple(value["profiles"]["execute"]["never_model_facing_fields"]),
    )


@cache
def shipped() -> Contract:
    """The contract that comes with licet: ``contracts/integration-tool-contract.json`` of its repository.

    Its flat names are not matched again, which would load a pattern engine at the first registration; a test does it.
    """
    return _terms(text(), f"contracts/{FILE}")


def text() -> bytes:
    """The bytes of the shipped file."""
    return get_data(__package__, FILE) or b""


def profile(name: str | None = None) -> Profile:
    """A profile of the shipped contract; without a name ``observe``.

    Raises:
        ConfigurationError: there is none. It is a ValueError.
    """
    return shipped().profile(name)


def _profiles(
    at: Place, value: Mapping[str, Mapping[str, object]], tools: Mapping[str, EngineTool]
) -> dict[str, Profile]:
    profiles: dict[str, Profile] = {}
    held: tuple[str, ...] = ()
    for name in NAMES:
        told = value[name]
        if name == "full":
            needed = profiles["execute"].requires  # it has the executing tool too
            profiles[name] = Profile("full", None, "workspace_write", requires=needed)
            continue
        key = "tools" if name == "observe" else "adds_tools"
        added = told[key]
        assert isinstance(added, list)
        for index, tool in enumerate(added):
            if tool not in tools:
                raise at.at(name).at(key).at(index).wrong(f"{tool!r} is no tool of mcp_tool_reference; name it there")
            if tool in held:
                raise at.at(name).at(key).at(index).wrong(f"{tool!r} belongs to it already; drop it here")
        held = (*held, *added)
        mode: RunMode = "read_only" if all(tools[tool].read_only for tool in held) else "workspace_write"
        requires = told.get("requires_all_of", [])
        assert isinstance(requires, list)
        profiles[name] = Profile(name, held, mode, told.get("default") is True, tuple(requires))  # type: ignore[arg-type]
    if profiles[DEFAULT].mode != "read_only":
        raise at.at(DEFAULT).wrong("the default only reads; a tool of it is not read_only")
    return profiles


def _aliases_are_free(at: Place, tools: Mapping[str, EngineTool]) -> None:
    taken = dict.fromkeys(tools, "")
    for name, tool in tools.items():
        for alias in tool.aliases:
            if alias in taken:
                raise at.at(name).at("aliases").wrong(f"{alias!r} is a tool's name or alias already; choose another")
            taken[alias] = name


def _flat_names_match(at: Place, contract: Contract) -> None:
    import re2  # here, because few processes need it

    try:
        fits = re2.compile(contract.pattern)
    except re2.error as exc:
        raise at.wrong(f"it is no pattern in RE2's syntax: {legible(str(exc))}") from None
    if not contract.pattern.startswith("^") or not contract.pattern.endswith("$"):
        raise at.wrong("it says what a whole name is; begin it with ^ and end it with $")
    for tool in contract.tools:
        flat = contract.prefix + tool
        if fits.search(flat) is None:
            raise at.wrong(f"{flat!r}, the flat name of {tool!r}, does not match it")


__all__ = ["DEFAULT", "FILE", "Contract", "EngineTool", "Profile", "load", "profile", "shipped", "text"]
