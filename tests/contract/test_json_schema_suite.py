"""The JSON Schema Test Suite, draft 2020-12, through our own ``compile``.

The suite is data, and no part of this repository: it is looked for beside it. Where it is absent, the tests say so.
"""

import json
import socket
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

from licet.errors import RegistrationError
from licet.model.json_object import JsonObject
from licet.schema.validate import Validator, compile

SUITE = Path(__file__).parents[3] / "shared" / "data" / "json-schema-test-suite"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
OTHER_DIALECTS = {"v1", "draft3"}  # the validator does not know them, and no test of the draft names them
SERVED_AT = "http://localhost:1234/"

pytestmark = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the JSON Schema Test Suite is not at {SUITE}")


@cache
def remotes() -> dict[str, Any]:
    """What the suite wants served over HTTP, in memory."""
    folder = SUITE / "remotes"
    files = [file for file in sorted(folder.rglob("*.json")) if file.relative_to(folder).parts[0] not in OTHER_DIALECTS]
    return {SERVED_AT + file.relative_to(folder).as_posix(): json.loads(file.read_text("utf-8")) for file in files}


def groups(folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted((SUITE / "tests" / folder).glob("*.json")):
        for group in json.loads(file.read_text("utf-8")):
            yield f"{file.stem}: {group['description']}", group


def compiled(schema: Any) -> Validator:
    whole = schema if isinstance(schema, dict) else {"allOf": [schema]}  # a tool's schema is an object at its root
    return compile(JsonObject(whole), where="the suite", tool_input=False, documents=remotes())


def failures(folder: str) -> tuple[int, list[str]]:
    """How many cases there are, and those that came out wrong."""
    count, wrong = 0, []
    for name, group in groups(folder):
        try:
            validator = compiled(group["schema"])
        except RegistrationError as exc:
            wrong += [f"{name}: {case['description']}: {exc}" for case in group["tests"]]
            count += len(group["tests"])
            continue
        for case in group["tests"]:
            count += 1
            problems = validator.errors(case["data"])
            if validator.is_valid(case["data"]) != case["valid"] or bool(problems) == case["valid"]:
                wrong.append(f"{name}: {case['description']}")
    return count, wrong


@pytest.fixture
def attempts(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was tried on the network: empty at the end of a test."""
    seen: list[str] = []
    listening = True

    def tripwire(event: str, arguments: tuple[Any, ...]) -> None:
        if listening and event.startswith(("socket.", "urllib.", "http.")):
            seen.append(f"{event} {arguments}")

    def refuse(*arguments: Any, **options: Any) -> NoReturn:
        seen.append(f"socket.socket {arguments}")
        raise AssertionError("a socket was opened")

    sys.addaudithook(tripwire)  # it cannot be taken away, so it is told to stop listening
    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    yield seen
    listening = False


def test_the_draft_is_implemented_and_no_socket_is_opened(attempts: list[str]) -> None:
    count, wrong = failures("draft2020-12")
    assert count >= 1299
    assert count - len(wrong) >= count - 1, "\n".join(wrong)
    assert attempts == []


def test_an_older_draft_is_honoured_where_a_schema_names_it(attempts: list[str]) -> None:
    count, wrong = 0, []
    for name, group in groups("draft7"):
        if not isinstance(group["schema"], dict) or name.startswith("refRemote"):
            continue  # the remote schemas do not say which draft they are
        validator = compiled({"$schema": "http://json-schema.org/draft-07/schema#", **group["schema"]})
        for case in group["tests"]:
            count += 1
            if validator.is_valid(case["data"]) != case["valid"]:
                wrong.append(f"{name}: {case['description']}")
    assert count > 850
    assert wrong == []
    assert attempts == []


def test_the_remote_schemas_are_refused_where_nobody_hands_them_in(attempts: list[str]) -> None:
    refused = 0
    for name, group in groups("draft2020-12"):
        if name.startswith("refRemote: ") and "$ref" in group["schema"]:
            with pytest.raises(RegistrationError, match=r"leads out of the schema.*\$ref"):
                compile(JsonObject(group["schema"]), where="the suite", tool_input=False)
            refused += 1
    assert refused >= 5
    assert attempts == []


def test_the_tripwire_sees_a_socket(attempts: list[str]) -> None:
    with pytest.raises(AssertionError):
        socket.create_connection(("127.0.0.1", 9))
    assert attempts
    import _socket

    attempts.clear()
    _socket.socket().close()  # past what is patched: the audit hook sees it
    assert attempts
