"""Secrets in clear are found by the name beside them or by their own form; what only names one is none."""

import pytest

from licet.project.secret import looks_secret, names_secret, secret_places

FORMS = [
    "ghp_" + "a" * 36,
    "github_pat_" + "a" * 40,
    "glpat-" + "a" * 20,
    "xoxb-123456789012-abcdefghij",
    "sk-proj-" + "a" * 30,
    "AKIA" + "A" * 16,
    "AIza" + "a" * 35,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc",
    "npm_" + "a" * 36,
    "hf_" + "a" * 34,
    "-----BEGIN RSA PRIVATE KEY-----",
    "postgres://user:pass@host/db",
    "https://host/?api_key=abcdef",
]


@pytest.mark.parametrize("value", FORMS)
def test_known_forms_are_found_under_any_name(value: str) -> None:
    assert looks_secret("X", value)
    assert looks_secret("X", f"before {value}")


@pytest.mark.parametrize(
    "name", ["API_KEY", "apiKey", "X-Api-Key", "TOKEN", "githubToken", "DB_PASSWORD", "Authorization", "Cookie", "pwd"]
)
def test_a_value_under_a_secret_s_name_is_found(name: str) -> None:
    assert looks_secret(name, "abc123xyz")
    assert not looks_secret(name, "${SOME}")
    assert not looks_secret(name, "Bearer ${SOME}")
    assert not looks_secret(name, "")
    assert looks_secret(name, "${SOME:-abc123xyz}")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MAX_TOKENS", "4096"),
        ("AUTH", "none"),
        ("TOKEN", "true"),
        ("KEY_FILE", "/run/secrets/key"),
        ("API_KEY_PATH", "key.pem"),
        ("SECRET_NAME", "prod/db"),
        ("MONKEY", "banana"),
        ("KEYBOARD", "us"),
        ("AUTHOR", "somebody"),
        ("COMPASS", "north"),
        ("URL", "https://host/path?page=2"),
        ("PATH", "/usr/bin"),
        ("LOG_LEVEL", "debug"),
    ],
)
def test_ordinary_values_are_left_alone(name: str, value: str) -> None:
    assert not looks_secret(name, value)


def test_names_are_judged_by_their_words() -> None:
    assert [name for name in ("a_key", "keys", "passKey", "tokenizer", "") if names_secret(name)] == [
        "a_key",
        "passKey",
    ]


def test_each_place_of_an_entry_is_told() -> None:
    args = [
        "--api-key",
        "abcdef1",
        "--token=abcdef1",
        "-e",
        "API_KEY=abcdef1",
        "--header",
        "Authorization: Bearer abcdef1",
    ]
    args += ["--token", "${T}", "--token=${T}", "--key-file", "/x", "https://h/?token=abcdef1", "plain", "--password"]
    found = secret_places(args, {"A_TOKEN": "abcdef1", "B": "c"}, "https://h/?key=abcdef1", {"X-Api-Key": "a1b2c3"})
    assert list(found) == [
        ("args", 1),
        ("args", 2),
        ("args", 4),
        ("args", 6),
        ("args", 12),
        ("env", "A_TOKEN"),
        ("headers", "X-Api-Key"),
        ("url",),
    ]


def test_variables_leave_nothing_to_find() -> None:
    assert not list(
        secret_places(["--token", "${A}"], {"TOKEN": "${A}"}, "https://h/${A}?key=${B}", {"Cookie": "id=${C}"})
    )
