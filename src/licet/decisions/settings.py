"""The engine's file: YAML 1.2, read strictly; an error names the file, the line and the key.

Keys and secrets do not stand in it: ``${NAME}`` names the variable that holds one, and a key may be given as the
SHA-256 of itself.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError
from ..project.inspection.inspect import content_of
from ..project.place import Place
from ..project.shape import problems
from ..project.yaml_file import Document, read
from .caller import Caller
from .data.dataset import Dataset
from .data.declared import Misdeclared, datasets
from .execution import Policy
from .execution.webhook import WebhookTerms
from .execution.webhook.target import HTTPS, host_name

SCHEMA = f"{__package__}:settings.schema.json"
_SECRET = re.compile(r"[\x21-\x7e]{16,512}", re.ASCII)
_KEY_ID = 16
_WORST_PORT = 65535


@dataclass(frozen=True, slots=True)
class OperatorTerms:
    """``port`` of 127.0.0.1, 0: any; ``credential`` is the SHA-256 of it."""

    port: int
    credential: bytes


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator wrote. ``callers`` stand under the SHA-256 of their keys, in hex.

    ``document`` is the file as it stands there, for errors that name a line.
    """

    document: Document = field(repr=False)
    folder: Path
    callers: Mapping[str, Caller]
    stdio: Caller | None
    policy: Policy
    webhooks: WebhookTerms
    memory: Path
    operator: OperatorTerms | None
    datasets: Mapping[str, Dataset]
    break_glass_advertised: bool = False

    def caller_of(self, key: str) -> Caller | None:
        """None: nobody has this key."""
        return self.callers.get(sha256(key.encode("utf-8", "surrogateescape")).hexdigest())


def settings_of(path: Path, environ: Mapping[str, str] = os.environ) -> Settings:
    """The settings in a file.

    Raises:
        ConfigurationError: it is no such file, or a variable is not set; each line says where and what instead.
    """
    return read_settings(content_of(path), path, environ)


def read_settings(content: bytes, path: Path, environ: Mapping[str, str]) -> Settings:
    """The same of what stands in it."""
    document = read(content, path.name)
    wrong = problems(document.value, SCHEMA)
    if wrong:
        ordered = sorted(wrong, key=lambda one: document.line(one.place))
        raise ConfigurationError("\n".join(document.told(one.place, one.text) for one in ordered))
    return _Reader(document, path, environ).settings()


def operator_door(path: Path, environ: Mapping[str, str] = os.environ) -> tuple[int, str]:
    """The operator's port in a file, and the credential itself. No other variable of the file needs to be set.

    Raises:
        ConfigurationError: it is no such file, it has no such part, or the credential's variable is not set.
    """
    document = read(content_of(path), path.name)
    if not isinstance(document.value, dict) or problems(document.value, SCHEMA):
        read_settings(content_of(path), path, environ)  # which says what is wrong
    told = document.value.get("operator")
    if told is None:
        raise ConfigurationError(f"{document.name}: it has no operator; write operator with port and credential")
    return told["port"], _Reader(document, path, environ).variable(("operator", "credential"), told["credential"])


class _Reader:
    """Facts out of a document whose shape is right."""

    def __init__(self, document: Document, path: Path, environ: Mapping[str, str]) -> None:
        self._document = document
        self._value: dict[str, Any] = document.value
        self._folder = path.absolute().parent
        self._environ = environ

    def settings(self) -> Settings:
        callers = self._callers()
        webhooks, operator = self._webhooks(), self._operator(callers)
        if operator is not None and operator.port and operator.port == webhooks.loopback:
            raise self._wrong(("webhooks", "loopback"), "it is the operator's own port; use another")
        policy = self._value.get("policy") or {}
        return Settings(
            document=self._document,
            folder=self._folder,
            callers=callers,
            stdio=self._stdio(callers),
            policy=Policy(policy.get("min_confidence"), policy.get("risk_floor")),
            webhooks=webhooks,
            memory=self._folder / self._value["memory"],
            operator=operator,
            datasets=self._datasets(),
            break_glass_advertised=self._value.get("break_glass_advertised", False),
        )

    def _callers(self) -> dict[str, Caller]:
        roles, callers = self._value["roles"], {}
        for written, told in self._value["keys"].items():
            place: Place = ("keys", written)
            digest = written if len(written) == 64 and "$" not in written else self._digest(place, written)
            if digest in callers:
                raise self._wrong(place, "it is the same key as another; give each its own")
            if told["role"] not in roles:
                raise self._wrong((*place, "role"), "there is no such role; write it under roles")
            may_execute = roles[told["role"]].get("execute", False)
            enabled = told.get("execute", False)
            callers[digest] = Caller(digest[:_KEY_ID], told["tenant"], told["role"], may_execute, enabled)
        return callers

    def _stdio(self, callers: Mapping[str, Caller]) -> Caller | None:
        if "stdio_key" not in self._value:
            return None
        found = callers.get(self._digest(("stdio_key",), self._value["stdio_key"]))
        if found is None:
            raise self._wrong(("stdio_key",), "it is none of the keys; name the variable of one of them")
        return found

    def _datasets(self) -> dict[str, Dataset]:
        try:
            return datasets(self._value.get("datasets", {}), self._folder)
        except Misdeclared as exc:
            raise self._wrong(("datasets", *exc.place), exc.problem) from None

    def _webhooks(self) -> WebhookTerms:
        told = self._value.get("webhooks")
        if told is None:
            return WebhookTerms()
        hosts = frozenset(self._host(at, text) for at, text in enumerate(told.get("allowed_hosts") or ()))
        loopback = told.get("loopback")
        port = None if loopback is None else self._port(("webhooks", "loopback"), loopback)
        secret = self.variable(("webhooks", "secret"), told["secret"])
        return WebhookTerms(hosts, port, float(told.get("timeout_seconds", 10.0)), secret.encode())

    def _host(self, at: int, text: str) -> tuple[str, int]:
        place: Place = ("webhooks", "allowed_hosts", at)
        name, colon, _ = text.partition(":")
        if not host_name(name):
            raise self._wrong(place, "it is no host's name, or is read as an address; use a name")
        return name, self._port(place, text) if colon else HTTPS

    def _operator(self, callers: Mapping[str, Caller]) -> OperatorTerms | None:
        told = self._value.get("operator")
        if told is None:
            return None
        place: Place = ("operator", "credential")
        credential = self._digest(place, told["credential"])
        if credential in callers:
            raise self._wrong(place, "it is a caller's key too; the operator's credential is nobody else's")
        return OperatorTerms(told["port"], bytes.fromhex(credential))

    def _port(self, place: Place, text: str) -> int:
        port = int(text.rpartition(":")[2])
        if port > _WORST_PORT:
            raise self._wrong(place, f"there is no such port; use 1 to {_WORST_PORT}")
        return port

    def _digest(self, place: Place, written: str) -> str:
        return sha256(self.variable(place, written).encode()).hexdigest()

    def variable(self, place: Place, written: str) -> str:
        name = written[2:-1]
        value = self._environ.get(name, "")
        if _SECRET.fullmatch(value) is None:
            state = "holds no 16 to 512 visible ASCII characters" if value else "is not set"
            raise self._wrong(place, f"the variable {name} {state}; set it")
        return value

    def _wrong(self, place: Place, problem: str) -> ConfigurationError:
        return ConfigurationError(self._document.told(place, problem))


__all__ = ["OperatorTerms", "Settings", "operator_door", "read_settings", "settings_of"]
