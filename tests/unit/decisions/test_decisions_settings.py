"""The engine's file is read strictly: what is wrong is named with its line, and no secret is ever shown."""

from hashlib import sha256
from pathlib import Path

import pytest

from licet.decisions.data.declared import DATASETS
from licet.decisions.execution import Policy
from licet.decisions.settings import SCHEMA, Settings, read_settings, settings_of
from licet.errors import ConfigurationError
from licet.project.shape import schema

ENVIRON = {
    "A_KEY": "key-of-agent-a-long",
    "B_KEY": "key-of-agent-b-long",
    "HOOK": "secret-of-the-hooks",
    "OP": "o" * 20,
}
WHOLE = """
keys:
  ${A_KEY}: {tenant: north, role: trader, execute: true}
  DIGEST: {tenant: south, role: analyst}
stdio_key: ${A_KEY}
roles:
  trader: {execute: true}
  analyst: {}
policy: {min_confidence: 0.6, risk_floor: 5000}
webhooks:
  allowed_hosts: [hooks.example.com, "other.example.com:8443"]
  loopback: 127.0.0.1:8900
  secret: ${HOOK}
  timeout_seconds: 5
memory: decisions.sqlite
operator:
  port: 8901
  credential: ${OP}
""".replace("DIGEST", sha256(ENVIRON["B_KEY"].encode()).hexdigest())


def _read(text: str, environ: dict[str, str] = ENVIRON) -> Settings:
    return read_settings(text.encode(), Path("/etc/engine/engine.yaml"), environ)


def _wrong(text: str, environ: dict[str, str] = ENVIRON) -> str:
    with pytest.raises(ConfigurationError) as refused:
        _read(text, environ)
    for secret in environ.values():
        assert not secret or secret not in str(refused.value)
    return str(refused.value)


def test_a_whole_file_is_read() -> None:
    held = _read(WHOLE)
    first, second = held.caller_of(ENVIRON["A_KEY"]), held.caller_of(ENVIRON["B_KEY"])
    assert first is not None
    assert second is not None
    assert first[1:] == ("north", "trader", True, True)
    assert second[1:] == ("south", "analyst", False, False)
    assert held.stdio == first
    assert held.policy == Policy(0.6, 5000)
    assert held.webhooks.hosts == {("hooks.example.com", 443), ("other.example.com", 8443)}
    assert (held.webhooks.loopback, held.webhooks.timeout_s) == (8900, 5.0)
    assert held.memory == Path("/etc/engine/decisions.sqlite")
    assert held.operator is not None
    assert held.operator.port == 8901


def test_no_secret_is_shown_of_what_was_read() -> None:
    shown = repr(_read(WHOLE))
    assert not any(secret in shown for secret in ENVIRON.values())


@pytest.mark.parametrize("key", ["", "another key altogether", "\udcff", ENVIRON["A_KEY"] + " ", "${A_KEY}"])
def test_nobody_is_the_holder_of_another_key(key: str) -> None:
    assert _read(WHOLE).caller_of(key) is None


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("role: analyst}", "role: admin}", "engine.yaml:4: keys"),
        ("stdio_key: ${A_KEY}", "stdio_key: ${OP}", "engine.yaml:5: stdio_key: it is none of the keys"),
        ("stdio_key: ${A_KEY}", "stdio_key: plain", "engine.yaml:5: stdio_key: it does not fit"),
        ("${A_KEY}: {tenant", "plain: {tenant", "engine.yaml:3: keys.plain"),
        ("min_confidence: 0.6", "min_confidence: 60", "policy.min_confidence: it is too large"),
        ("risk_floor: 5000", "risk_floor: -1", "policy.risk_floor: it is too small"),
        ("risk_floor", "riskfloor", "did you mean risk_floor?"),
        ("hooks.example.com,", '"127.1",', "engine.yaml:11: webhooks.allowed_hosts[0]: it is no host's name"),
        ("hooks.example.com,", '"0x7f000001",', "webhooks.allowed_hosts[0]: it is no host's name"),
        ("hooks.example.com,", '"*",', "webhooks.allowed_hosts[0]"),
        ("hooks.example.com,", '"[::1]",', "webhooks.allowed_hosts[0]"),
        ("loopback: 127.0.0.1:8900", "loopback: localhost:8900", "engine.yaml:12: webhooks.loopback"),
        ("loopback: 127.0.0.1:8900", "loopback: 127.0.0.1:8901", "it is the operator's own port"),
        ("loopback: 127.0.0.1:8900", "loopback: 127.0.0.1:99999", "there is no such port"),
        ("secret: ${HOOK}", "secret: in clear, and long", "webhooks.secret: it does not fit"),
        ("secret: ${HOOK}", "secret: ${NOT_SET}", "engine.yaml:13: webhooks.secret: the variable NOT_SET is not set"),
        ("credential: ${OP}", "credential: ${A_KEY}", "operator.credential: it is a caller's key too"),
        ("timeout_seconds: 5", "timeout_seconds: 600", "it is too large"),
        ("memory: decisions.sqlite\n", "", 'the key "memory" is missing'),
        (
            "memory: decisions.sqlite",
            "memory: decisions.sqlite\ndatasets: {a: {csv: a.csv, table: b}}",
            "datasets.a: a table",
        ),
        ("memory: decisions.sqlite", "memory: decisions.sqlite\ndatasets: {a: {excel: a.xls}}", "datasets.a"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(old: str, new: str, told: str) -> None:
    assert old in WHOLE
    assert told in _wrong(WHOLE.replace(old, new, 1))


@pytest.mark.parametrize(
    "value", ["", "short", "with\nlines-which-are-long", "with spaces and long", "no-ascii-but-long-é"]
)
def test_a_variable_that_can_be_no_secret_is_refused(value: str) -> None:
    assert "the variable OP" in _wrong(WHOLE, {**ENVIRON, "OP": value})


def test_one_key_under_two_names_is_refused() -> None:
    assert "the same key" in _wrong(WHOLE, {**ENVIRON, "A_KEY": ENVIRON["B_KEY"]})


@pytest.mark.parametrize("text", ["", "[]", "keys: &a {}", "\0", "keys: {}\nkeys: {}"])
def test_a_file_that_is_none_is_refused(text: str) -> None:
    assert "engine.yaml" in _wrong(text)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file"):
        settings_of(tmp_path / "engine.yaml", {})


def test_the_published_schema_says_the_same_of_datasets_as_what_reads_them() -> None:
    assert schema(SCHEMA)["properties"]["datasets"] == DATASETS
