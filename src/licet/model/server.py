"""One MCP server, as far as it can be said before it was ever started."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from ..errors import ConfigurationError
from .names import LOCAL

ServerKind = Literal["stdio", "http"]

MAX_CALL_S = 3600.0

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", re.ASCII)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", re.ASCII)
_URL = re.compile(r"https?://(?P<authority>[^/?#\s\\]+)(?P<rest>[/?][^\s#\\]*)?", re.ASCII | re.IGNORECASE)

_LOADERS = frozenset(
    {
        "BASH_ENV",
        "ENV",
        "GCONV_PATH",
        "GLIBC_TUNABLES",
        "IFS",
        "NODE_OPTIONS",
        "NODE_PATH",
        "PERL5LIB",
        "PERL5OPT",
        "PROMPT_COMMAND",
        "PYTHONHOME",
        "PYTHONINSPECT",
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "RUBYLIB",
        "RUBYOPT",
        "SHELLOPTS",
        "LICET_DEPTH",
    }
)
"""Variables that make a program load or run something else. One that a server needs stands in a script of yours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSpec:
    """How a server is reached: a command over standard input and output, or a URL of streamable HTTP.

    ``args`` and ``env`` belong to a command, ``headers`` to a URL. Values of ``env`` and ``headers`` are secrets: they
    are in no text, no equality and no pin. ``cwd`` is absolute. ``pinned_args``, ``pinned_cwd`` and ``pinned_url`` are
    what its configuration wrote, with the names of variables where ``args`` and ``url`` hold values: that is what a pin
    covers. ``timeout_s`` is for one call, in seconds; progress extends it.

    Raises:
        ConfigurationError: it says neither or both, or a value is outside its set.
    """

    id: str
    plugin: str = "mcp"
    command: str = ""
    args: tuple[str, ...] = field(default=(), repr=False)
    cwd: str | None = None
    pinned_args: tuple[str, ...] | None = None
    pinned_cwd: str = ""
    env: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    url: str = field(default="", repr=False)
    pinned_url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "args", tuple(self.args))
        put(self, "env", MappingProxyType(dict(self.env)))
        put(self, "headers", MappingProxyType(dict(self.headers)))
        self._validate()

    def _validate(self) -> None:
        for word, what in ((self.plugin, "plugin"), (self.id, "server")):
            if not isinstance(word, str) or not _ID.fullmatch(word):
                raise ConfigurationError(
                    f"{word!r} is no {what} id; use 1 to 64 of the characters A-Z a-z 0-9 _ -, the first no sign"
                )
        if self.plugin == LOCAL:
            raise ConfigurationError(f"the plugin id {LOCAL!r} is reserved for tools of this process; choose another")
        if bool(self.command) == bool(self.url):
            raise ConfigurationError(f"{self.name}: a server has a command or a url, and not both")
        if not 0 < self.timeout_s <= MAX_CALL_S:
            raise ConfigurationError(f"{self.name}: timeout_s is above 0 and at most {MAX_CALL_S:g} seconds")
        if self.url:
            self._validate_url()
        else:
            self._validate_command()

    def _validate_command(self) -> None:
        if self.headers:
            raise ConfigurationError(f"{self.name}: headers go with a url; a command takes env")
        if any("\0" in text for text in (self.command, *self.args, self.cwd or "")):
            raise ConfigurationError(f"{self.name}: a command, its arguments and its folder hold no NUL")
        for variable, value in self.env.items():
            if not _VARIABLE.fullmatch(variable) or "\0" in value:
                raise ConfigurationError(f"{self.name}: {variable!r} is no environment variable with a text value")
            if variable in _LOADERS or variable.startswith(("LD_", "DYLD_", "BASH_FUNC_")):
                raise ConfigurationError(
                    f"{self.name}: {variable} makes a program load other code; set it in a script of yours"
                )

    def _validate_url(self) -> None:
        if self.args or self.env or self.cwd:
            raise ConfigurationError(f"{self.name}: args, env and cwd go with a command; a url takes headers")
        found = _URL.fullmatch(self.url)
        if found is None:
            raise ConfigurationError(f"{self.name}: the url is http:// or https://, with a host and without a fragment")
        if "@" in found["authority"]:
            raise ConfigurationError(f"{self.name}: a url holds no user name or password; use headers")
        for header, value in self.headers.items():
            if not _HEADER.fullmatch(header) or not value.isascii() or not value.isprintable():
                raise ConfigurationError(f"{self.name}: the header {header!r} has a name or value that cannot be sent")

    @property
    def name(self) -> str:
        """``plugin/server``: what the names of its tools begin with, before the dot."""
        return f"{self.plugin}/{self.id}"

    @property
    def kind(self) -> ServerKind:
        return "http" if self.url else "stdio"

    @property
    def launch(self) -> dict[str, Any]:
        """What the pin of its launch covers, as plain JSON. Names of variables and headers, never their values."""
        if self.url:
            return {"headers": sorted(name.lower() for name in self.headers), "url": self.pinned_url or self.url}
        args = self.args if self.pinned_args is None else self.pinned_args
        return {"args": list(args), "command": self.command, "cwd": self.pinned_cwd, "env": sorted(self.env)}

    def __reduce__(self) -> Any:
        raise TypeError("a ServerSpec holds secrets and does not leave its process")
