"""What is wrong with a LiteLLM configuration that ought to hold a profile's boundary."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ...errors import ConfigurationError
from ...profiles.fields import fields
from ...profiles.terms import Profile, profile, shipped
from ...project.place import Place, quoted
from .configuration import SEPARATOR, Schemas, is_flat, parameters
from .endpoint import endpoint

_PAST_THE_BOUNDARY = ("command", "args", "spec_path", "pinned_tools", "tool_name_to_description")
_RENAMES = ("alias", "tool_name_to_display_name")
CODES = {
    "no_server": "there is no server of the engine",
    "other_endpoint": "a server that strips nothing is reached",
    "own_definitions": "LiteLLM would show definitions of its own",
    "wrong_name": "its names would not be the flat names",
    "tools": "other tools than the profile's are allowed",
    "params": "the arguments of a tool are not limited, or not to those that it has",
    "never_field": "an argument that no model may set is allowed",
    "secret": "a token stands there in clear",
}
"""Every code, and what it says."""


class Fault(NamedTuple):
    """One thing that is wrong. ``code`` is stable, ``place`` is where in the file, ``text`` what and what instead."""

    code: str
    place: Place
    text: str


def lint(value: Any, urls: Iterable[str], name: str | None = None, *, schemas: Schemas | None = None) -> list[Fault]:
    """All faults of a configuration. ``urls`` are the endpoints of ``licet serve``; every other one is a fault.

    Without a profile's name it is observe. ``schemas`` are what the endpoint serves, by name, if that is known.

    Raises:
        ConfigurationError: there is no such profile, or a URL is no endpoint.
    """
    held, ours = profile(name), {endpoint(url) for url in urls}
    found = list(_of_environment(value))
    servers = value.get("mcp_servers") if isinstance(value, Mapping) else None
    if not isinstance(servers, Mapping) or not servers:
        text = f"there is no server under mcp_servers; name one {shipped().server}, at licet serve"
        return [*found, Fault("no_server", ("mcp_servers",), text)]
    for server, entry in servers.items():
        place: Place = ("mcp_servers", server)
        if not isinstance(entry, Mapping):
            found.append(
                Fault("other_endpoint", place, "it is no mapping; write url, allowed_tools and allowed_params")
            )
            continue
        found += _of_server(server, entry, place, ours)
        found += _of_tools(entry, place, held, schemas)
    return found


def _of_server(server: str, entry: Mapping[str, Any], place: Place, ours: set[str]) -> Iterator[Fault]:
    try:
        reached = endpoint(entry.get("url"))
    except ConfigurationError as exc:
        yield Fault("other_endpoint", (*place, "url"), str(exc))
    else:
        if reached not in ours:
            text = f"{quoted(reached)} is not licet serve, so nothing strips its schemas; use {', '.join(sorted(ours))}"
            yield Fault("other_endpoint", (*place, "url"), text)
    if entry.get("transport", "http") != "http":
        yield Fault("other_endpoint", (*place, "transport"), "licet serve speaks streamable HTTP; write http")
    for key in _PAST_THE_BOUNDARY:
        if entry.get(key):
            code = "own_definitions" if key in ("pinned_tools", "tool_name_to_description") else "other_endpoint"
            yield Fault(code, (*place, key), "it goes past what licet serve strips; drop it")
    if server != shipped().server:
        yield Fault(
            "wrong_name", place, f"the server is called {shipped().server}; its name is the prefix of its tools"
        )
    for key in _RENAMES:
        if entry.get(key) not in (None, {}, server):
            yield Fault("wrong_name", (*place, key), "it gives tools other names than the flat ones; drop it")
    for key in ("auth_value", "authentication_token"):
        told = entry.get(key)
        if told is not None and not str(told).startswith("os.environ/"):
            yield Fault("secret", (*place, key), "write os.environ/NAME and set the variable")


def _of_tools(entry: Mapping[str, Any], place: Place, held: Profile, schemas: Schemas | None) -> Iterator[Fault]:
    allowed, limited = entry.get("allowed_tools"), entry.get("allowed_params")
    if not isinstance(allowed, list) or not all(isinstance(tool, str) for tool in allowed):
        text = f"write the tools of the profile {held.name}; without it everything is allowed"
        yield Fault("tools", (*place, "allowed_tools"), text)
        allowed = []
    for tool in allowed:
        if not is_flat(tool):
            yield Fault("wrong_name", (*place, "allowed_tools"), f"{quoted(tool)} has no flat name; drop it")
    wanted = held.tools if held.tools is not None else None if schemas is None else tuple(filter(is_flat, schemas))
    if wanted is not None:
        for tool in sorted({*filter(is_flat, allowed), *wanted}):
            if (tool in allowed) != (tool in wanted):
                more = "is not of" if tool in allowed else "is missing, which is of"
                text = f"{quoted(tool)} {more} the profile {held.name}"
                yield Fault("tools", (*place, "allowed_tools"), text)
    if not isinstance(limited, Mapping):
        text = "write the arguments of each tool; without it LiteLLM hands on whatever a model sets"
        yield Fault("params", (*place, "allowed_params"), text)
        return
    for tool in sorted({*allowed, *limited}):
        here: Place = (*place, "allowed_params", tool)
        names = limited.get(tool)
        if tool not in allowed:
            yield Fault("params", here, f"{quoted(tool)} is not among allowed_tools; drop it")
        elif not isinstance(names, list) or not all(isinstance(one, str) for one in names):
            yield Fault("params", here, "write a list of its arguments, [] for none")
        else:
            yield from _of_parameters(tool, names, here, schemas)


def _of_parameters(tool: str, names: list[str], place: Place, schemas: Schemas | None) -> Iterator[Fault]:
    never = fields(shipped().never_model_facing)
    for at, one in enumerate(names):
        if never.is_one(one):
            yield Fault("never_field", (*place, at), f"{quoted(one)} is not a model's to set; drop it")
    if schemas is not None and tool in schemas:
        wanted = parameters(schemas[tool])
        for one in sorted({*names, *wanted}):
            if (one in names) != (one in wanted) and not never.is_one(one):
                told = "it has no such argument" if one in names else "it is missing"
                yield Fault("params", place, f"{quoted(one)}: {told}")


def _of_environment(value: Any) -> Iterator[Fault]:
    """What other parts of the file do to names. LiteLLM reads the separator when it is imported, before the file."""
    told = value.get("environment_variables") if isinstance(value, Mapping) else None
    if isinstance(told, Mapping) and SEPARATOR in told:
        text = f"{SEPARATOR} comes too late here; set it in the environment that LiteLLM is started in"
        yield Fault("wrong_name", ("environment_variables", SEPARATOR), text)
    settings = value.get("litellm_settings") if isinstance(value, Mapping) else None
    if isinstance(settings, Mapping) and settings.get("mcp_aliases"):
        text = "an alias becomes the prefix of a server's tools; drop it"
        yield Fault("wrong_name", ("litellm_settings", "mcp_aliases"), text)


__all__ = ["CODES", "Fault", "lint"]
