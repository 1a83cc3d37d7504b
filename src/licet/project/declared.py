"""One server as a file declares it: with the names of variables, before anybody gave them values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError
from ..model.server import ServerSpec
from .place import Place
from .variables import MissingVariable, expand, problem, references
from .yaml_file import Document

_UNKNOWN_URL = "http://not-expanded.invalid/"
_SPELLINGS = {
    "url": ("url", "serverUrl", "httpUrl"),
    "headers": ("headers", "http_headers"),
    "type": ("type", "transport", "transportType"),
}
_IGNORED_WITH_EFFECT = ("envFile", "enabled_tools", "disabled_tools", "disabledTools", "includeTools", "excludeTools")
_MILLISECONDS_FROM = 1000
"""A client's ``timeout`` of this or more is in milliseconds, a smaller one in seconds: clients disagree."""

Tell = Callable[[Place, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """``args``, ``env``, ``url`` and ``headers`` are as written, ``${NAME}`` and all; any of them may hold a secret.

    ``cwd`` is as written, relative to ``folder``. ``ignored`` are keys without effect here that had one in a client.
    ``line`` is where the file declares it, 0 for a server that no file declares.
    """

    id: str
    plugin: str = "mcp"
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    cwd: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    url: str = field(default="", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    timeout_s: float | None = None
    ignored: tuple[str, ...] = ()
    folder: Path = Path()
    line: int = 0
    source: Document | None = field(default=None, repr=False, compare=False)

    @property
    def name(self) -> str:
        """``plugin/server``."""
        return f"{self.plugin}/{self.id}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Names of the environment variables that it is given, each once."""
        texts = (*self.args, *self.env.values(), self.url, *self.headers.values())
        return tuple(dict.fromkeys(found.name for text in texts for found in references(text)))

    def resolve(self, environ: Mapping[str, str]) -> ServerSpec:
        """The server with its variables' values.

        Raises:
            ConfigurationError: a variable is not set (named, with file and line), or a value cannot be used.
        """

        def value(place: Place, text: str) -> str:
            try:
                return expand(text, environ, str(self.folder.absolute()))
            except MissingVariable as missing:
                name = missing.name
                instead = f"set it, or write ${{{name}:-default}}"
                raise ConfigurationError(
                    self.told(place, f"the server {self.id} needs the variable {name}, which is not set; {instead}")
                ) from None

        def values(key: str, texts: Mapping[str, str]) -> dict[str, str]:
            return {name: value((key, name), text) for name, text in texts.items()}

        args = tuple(value(("args", at), text) for at, text in enumerate(self.args))
        url = value(("url",), self.url)
        return self._spec(args, values("env", self.env), url, values("headers", self.headers))

    def as_written(self) -> ServerSpec:
        """The server with no variable expanded: for its pin and for people, never to reach it.

        Raises:
            ConfigurationError: it contradicts itself.
        """
        return self._spec(self.args, self.env, _UNKNOWN_URL if "${" in self.url else self.url, self.headers)

    def told(self, place: Place, text: str) -> str:
        """A message about a part of it, with file and line where there are any."""
        whole = ("mcpServers", self.id, *place)
        return self.source.told(whole, text) if self.source is not None else f"{self.name}: {text}"

    def _spec(self, args: tuple[str, ...], env: Mapping[str, str], url: str, headers: Mapping[str, str]) -> ServerSpec:
        folder = self.folder.absolute()
        cwd = None if url else str(folder / expand(self.cwd, {}, str(folder)))
        try:
            return ServerSpec(
                id=self.id,
                plugin=self.plugin,
                command=self.command,
                args=args,
                cwd=cwd,
                pinned_args=self.args,
                pinned_cwd=self.cwd,
                env=env,
                url=url,
                pinned_url=self.url,
                headers=headers,
                **({} if self.timeout_s is None else {"timeout_s": self.timeout_s}),
            )
        except ConfigurationError as exc:
            raise ConfigurationError(self.told((), str(exc))) from None


def declared(
    id: str, entry: Mapping[str, Any], *, plugin: str, folder: Path, source: Document, tell: Tell
) -> Declared | None:
    """The server of one entry, whose shape is right. None: it is disabled, or ``tell`` was told what is wrong."""
    place: Place = ("mcpServers", id)
    said = {key: _spelled(entry, key, place, tell) for key in _SPELLINGS}
    told: list[str] = []

    def complain(at: Place, text: str) -> None:
        told.append(text)
        tell((*place, *at), text)

    _check_kind(entry, said, complain)
    _check_variables(entry, said, complain)
    if told or entry.get("disabled") is True or entry.get("enabled") is False:
        return None
    server = Declared(
        id=id,
        plugin=plugin,
        command=entry.get("command", ""),
        args=tuple(entry.get("args") or ()),
        cwd=entry.get("cwd") or "",
        env=dict(entry.get("env") or {}),
        url=said["url"] or "",
        headers=dict(said["headers"] or {}),
        timeout_s=_timeout_s(entry),
        ignored=tuple(key for key in _IGNORED_WITH_EFFECT if entry.get(key)),
        folder=folder,
        line=source.line(place),
        source=source,
    )
    try:
        server.as_written()
    except ConfigurationError as exc:
        tell(place, str(exc).removeprefix(source.told(place, "")).removeprefix(f"{server.name}: "))
        return None
    return server


def _spelled(entry: Mapping[str, Any], key: str, place: Place, tell: Tell) -> Any:
    """The value under whichever of its names a client uses."""
    names = [name for name in _SPELLINGS[key] if name in entry]
    if len(names) > 1:
        tell((*place, names[1]), f"{names[0]} says the same; drop one of the two")
    return entry[names[0]] if names else None


def _check_kind(entry: Mapping[str, Any], said: Mapping[str, Any], tell: Tell) -> None:
    command, url = "command" in entry, said["url"] is not None
    if command and url:
        tell((), "it has a command and a url; make two servers of it, or drop one of the two")
    elif not command and not url:
        tell((), "it has neither a command nor a url; write the one by which it is reached")
    elif said["type"] is not None and (said["type"] in ("stdio", "local")) is url:
        tell(("type",), f"{said['type']} does not go with a {'url' if url else 'command'}; drop it")


def _check_variables(entry: Mapping[str, Any], said: Mapping[str, Any], tell: Tell) -> None:
    if "${" in entry.get("command", ""):
        tell(("command",), "variables never expand in a command; write the program out, and pass them as args or env")
    wrong = problem(entry.get("cwd") or "", only_folder=True)
    if wrong:
        tell(("cwd",), wrong)
    texts: dict[Place, str] = {("args", at): text for at, text in enumerate(entry.get("args") or ())}
    for key, held in (("env", entry.get("env")), ("headers", said["headers"])):
        texts |= {(key, name): text for name, text in (held or {}).items()}
    texts[("url",)] = said["url"] or ""
    for at, text in texts.items():
        wrong = problem(text)
        if wrong:
            tell(at, wrong)


def _timeout_s(entry: Mapping[str, Any]) -> float | None:
    if "tool_timeout_sec" in entry:
        return float(entry["tool_timeout_sec"])
    timeout = entry.get("timeout")
    if timeout is None:
        return None
    return timeout / 1000 if timeout >= _MILLISECONDS_FROM else float(timeout)
