"""What is shown is A2UI v0.9, from server to client, or is refused."""

import sys
from dataclasses import replace
from typing import Any

import pytest

from licet.model.workflow import ShownSurface
from workflows import STATE, Ask, View

CREATE = {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}
TEXT = {"id": "root", "component": "Text", "text": "hello"}
UPDATE = {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [TEXT]}}
DATA = {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "path": "/user", "value": {"name": "Anna"}}}
DELETE = {"version": "v0.9", "deleteSurface": {"surfaceId": "s"}}


async def test_messages_of_the_protocol_are_shown_as_they_came(ask: Ask) -> None:
    messages = [CREATE, UPDATE, DATA, DELETE, CREATE]
    result = await ask(View(), "emit_ui", {"messages": messages})
    assert result.success, result.error
    assert result.output == {"command": "ui_emitted", "messages": messages}


OTHERWISE_SHAPED: list[dict[str, Any]] = [
    {},
    {"version": "v0.9"},
    {"version": "v0.9", "beginRendering": {"surfaceId": "s", "root": "root"}},
    {"version": "v0.9", "userAction": {"name": "click"}},
    {**CREATE, **UPDATE},
    {"createSurface": {"surfaceId": "s", "catalogId": "c"}},
    {"createSurface": {"surfaceId": "s", "catalogId": "c"}, "deleteSurface": {"surfaceId": "s"}},
    {"version": "v0.8", "createSurface": {"surfaceId": "s", "catalogId": "c"}},
    {"version": "v0.9", "createSurface": "s"},
    {"version": "v0.9", "createSurface": None},
    {**CREATE, "script": "alert(1)"},
]
NO_MESSAGE: list[dict[str, Any]] = [
    {"version": "v0.9", "createSurface": {"surfaceId": "s"}},
    {"version": "v0.9", "createSurface": {"surfaceId": 1, "catalogId": "c"}},
    {"version": "v0.9", "createSurface": {"surface_id": "s", "catalog_id": "c"}},
    {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c", "root": "x"}},
    {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c", "sendDataModel": 1}},
    {"version": "v0.9", "deleteSurface": {}},
    {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "path": 1}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s"}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": []}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [{"id": "root"}]}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [{"component": "Text"}]}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [{"id": "", "component": "Text"}]}},
    {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": ["Text"]}},
]


@pytest.mark.parametrize("message", OTHERWISE_SHAPED, ids=range(len(OTHERWISE_SHAPED)))
async def test_what_is_shaped_otherwise_never_reaches_the_tool(message: dict[str, Any], ask: Ask) -> None:
    assert (await ask(View(), "emit_ui", {"messages": [CREATE, message]})).code == "invalid_arguments"


@pytest.mark.parametrize("message", NO_MESSAGE, ids=range(len(NO_MESSAGE)))
async def test_what_is_no_message_of_the_protocol_is_refused(message: dict[str, Any], ask: Ask) -> None:
    result = await ask(View(), "emit_ui", {"messages": [CREATE, message]})
    assert (result.success, result.reason) == (False, "not_a2ui")
    assert "messages[1]" in str(result.error)


async def test_a_surface_is_created_once_and_before_anything_is_shown_on_it(ask: Ask) -> None:
    assert (await ask(View(), "emit_ui", {"messages": [CREATE, CREATE]})).reason == "surface_exists"
    assert (await ask(View(), "emit_ui", {"messages": [UPDATE, CREATE]})).reason == "unknown_surface"
    shown = ShownSurface(call="c", messages='[{"createSurface":{"catalogId":"c","surfaceId":"s"},"version":"v0.9"}]')
    view = View(replace(STATE, surfaces=(shown,)))
    assert (await ask(view, "emit_ui", {"messages": [CREATE]})).reason == "surface_exists"
    assert (await ask(view, "emit_ui", {"messages": [UPDATE]})).success


async def test_without_the_extra_it_refuses_and_names_it(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "a2ui.core.schema.v0_9.server_to_client", None)
    result = await ask(View(), "emit_ui", {"messages": [CREATE]})
    assert (result.success, result.reason) == (False, "ui_missing")
    assert "licet[ui]" in str(result.error)
