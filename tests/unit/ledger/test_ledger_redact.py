"""Redaction: what is hidden, what is cut, and what is left exactly as it was."""

import hashlib
import hmac
import json
from time import thread_time
from typing import Any

import pytest

from chained import packed
from licet.ledger.redact import MOST_SECRETS, SECRET_WORDS, may_hold_secrets, redact

KEY = b"k" * 32


def redacted(value: Any, limit_bytes: int = 1 << 20, **options: Any) -> Any:
    return json.loads(redact(packed(value), key=KEY, limit_bytes=limit_bytes, **options))


def seal(value: Any) -> dict[str, str]:
    return {"redacted": "hmac-sha256:" + hmac.new(KEY, packed(value), hashlib.sha256).hexdigest()}


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        None,
        7,
        "text",
        {"path": "src/a.py", "limit": 100},
        {"text": "my password is a secret token"},
        ["cookie"],
    ],
)
def test_nothing_to_hide_is_the_same_object(value: Any) -> None:
    data = packed(value)
    assert redact(data, key=KEY, limit_bytes=1000) is data


@pytest.mark.parametrize(
    "name",
    ["password", "passwd", "PASSWORD", "db_password", "clientSecret", "token", "access_token", "API_KEY", "apiKey",
     "x-api-key", "Authorization", "proxy-authorization", "credentials", "private_key", "Set-Cookie",
     "to\u212aen", "API_\u212aEY-é"],
)  # fmt: skip
def test_a_value_under_a_secret_name_is_sealed(name: str) -> None:
    assert redacted({name: "hunter2", "path": "a"}) == {name: seal("hunter2"), "path": "a"}


@pytest.mark.parametrize("value", ["x", 1, None, True, ["a", "b"], {"user": "u", "pass": "p"}, {"token": "inner"}])
def test_a_value_of_any_kind_is_sealed_as_a_whole(value: Any) -> None:
    assert redacted({"secret": value}) == {"secret": seal(value)}


def test_secrets_are_found_at_any_depth() -> None:
    value = {"servers": [{"env": {"API_TOKEN": "t1"}}, [[{"cookie": "c"}]]], "note": "ok"}
    expected = {"servers": [{"env": {"API_TOKEN": seal("t1")}}, [[{"cookie": seal("c")}]]], "note": "ok"}
    assert redacted(value) == expected


def test_nothing_of_a_secret_is_left() -> None:
    data = packed({"headers": {"Authorization": "Bearer hunter2"}, "body": "x"})
    out = redact(data, key=KEY, limit_bytes=1000)
    assert b"hunter2" not in out
    assert hashlib.sha256(packed("Bearer hunter2")).hexdigest().encode() not in out, "a plain hash can be guessed"


def test_equal_secrets_are_equal_under_one_key_only() -> None:
    data = packed({"token": "t"})
    assert redact(data, key=KEY, limit_bytes=1000) == redact(data, key=KEY, limit_bytes=1000)
    assert redact(data, key=KEY, limit_bytes=1000) != redact(data, key=b"other", limit_bytes=1000)


def test_the_result_is_canonical() -> None:
    out = redact(packed({"z": 1, "token": "t", "a": "é"}), key=KEY, limit_bytes=1000)
    assert out == packed(json.loads(out))


def test_the_rule_can_be_another() -> None:
    words = frozenset({"iban"})
    assert redacted({"IBAN": "DE1", "token": "t"}, words=words) == {"IBAN": seal("DE1"), "token": "t"}
    assert redacted({"token": "t"}, words=frozenset()) == {"token": "t"}


def test_no_secret_word_escapes_the_quick_look() -> None:
    assert [word for word in SECRET_WORDS if not may_hold_secrets(word.encode())] == []
    assert [word for word in SECRET_WORDS if word != word.lower()] == []
    padding = b"x" * 100_000
    assert [word for word in SECRET_WORDS if not may_hold_secrets(padding + word.encode() + padding)] == []
    assert not may_hold_secrets(padding)
    assert not may_hold_secrets(b'{"limit":100,"path":"src/main.py"}')


def test_deep_values_are_no_way_around() -> None:
    value: Any = {"token": "hunter2"}
    for _ in range(200):
        value = [value]
    assert b"hunter2" not in redact(packed(value), key=KEY, limit_bytes=1 << 20)
    deeper = b"[" * 5000 + packed({"token": "hunter2"}) + b"]" * 5000
    assert b"hunter2" not in redact(deeper, key=KEY, limit_bytes=1 << 20)


@pytest.mark.parametrize("data", [b'{"token": hunter2}', b"password=hunter2", b'{"a":"\xff hunter2"}'])
def test_what_is_no_json_and_may_hold_a_secret_is_sealed_as_a_whole(data: bytes) -> None:
    out = redact(data, key=KEY, limit_bytes=1000)
    assert b"hunter2" not in out
    assert list(json.loads(out)) == ["redacted"]


# --- the cap ---


def test_a_value_at_the_limit_stays_and_one_above_is_cut() -> None:
    data = packed("x" * 98)
    assert len(data) == 100
    assert redact(data, key=KEY, limit_bytes=100) is data
    cut = json.loads(redact(data, key=KEY, limit_bytes=99))
    assert cut == {"truncated": {"bytes": 100, "sha256": hashlib.sha256(data).hexdigest(), "start": data[:99].decode()}}


def test_no_more_than_4_kib_of_the_start_stays() -> None:
    cut = redacted("é" * 100_000, limit_bytes=10_000)["truncated"]
    assert cut["start"] == '"' + "é" * 2047
    assert cut["bytes"] == 200_002


def test_secrets_are_hidden_before_anything_is_cut() -> None:
    out = redact(packed({"a_token": "hunter2", "text": "x" * 9000}), key=KEY, limit_bytes=5000)
    assert b"hunter2" not in out
    assert b"hmac-sha256" in out
    assert list(json.loads(out)) == ["truncated"]


# --- bombs ---


@pytest.mark.parametrize("holding", [dict, list], ids=["members", "items"])
def test_more_secrets_than_are_sealed_one_by_one_are_sealed_as_a_whole(holding: type) -> None:
    def secrets(count: int) -> Any:
        names = [f"token{number}" for number in range(count)]
        return dict.fromkeys(names, "hunter2") if holding is dict else [{name: "hunter2"} for name in names]

    each = redact(packed(secrets(MOST_SECRETS)), key=KEY, limit_bytes=1 << 20)
    assert each.count(b"redacted") == MOST_SECRETS
    whole = redact(packed(secrets(MOST_SECRETS + 1)), key=KEY, limit_bytes=1 << 20)
    assert json.loads(whole) == seal(secrets(MOST_SECRETS + 1))
    assert b"hunter2" not in each + whole


@pytest.mark.parametrize(
    "value",
    [
        [{"api_key": "hunter2"}] * 300_000,
        [{"token": {}, "a": {}}] * 200_000,
        {f"secret{number}": "hunter2" for number in range(100_000)},
        {f"api{number}": number for number in range(100_000)},
        {"token": "hunter2", "more": [[]] * 25_000},
        {"token": "hunter2", "more": list(range(100_000))},
    ],
    ids=["rows", "objects", "names", "harmless names", "lists", "numbers"],
)
def test_no_value_holds_up_the_others_while_its_secrets_are_looked_for(value: Any) -> None:
    data = packed(value)
    begun = thread_time()
    out = redact(data, key=KEY, limit_bytes=64 * 1024)
    assert thread_time() - begun < 0.5
    assert b"hunter2" not in out
