"""A page of what was shown: what it says, and that nothing on it runs, loads or leads anywhere."""

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from licet.agents.page.draw import page
from licet.agents.page.sheet import POLICY
from licet.agents.page.surface import surfaces
from licet.model.workflow import ShownSurface

CREATE = {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}
HOSTILE = '</style><script>alert(1)</script><a href="javascript:x">"\'&\u202e\x00'
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "main", "section", "footer", "div", "span", "button"),
    *("h1", "h2", "h3", "h4", "h5", "p"),
}
ATTRIBUTES = {"lang", "charset", "http-equiv", "content", "name", "class", "type", "disabled"}


class Seen(HTMLParser):
    """Tags, attributes and texts of a document."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        if data.strip() and self.tags[-1] != "style":
            self.texts.append(data.strip())


def drawn(*components: dict[str, Any], data: Any = None, more: tuple[dict[str, Any], ...] = ()) -> str:
    messages: list[dict[str, Any]] = [
        CREATE,
        {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": list(components)}},
        *more,
    ]
    if data is not None:
        messages.append({"version": "v0.9", "updateDataModel": {"surfaceId": "s", "path": "/", "value": data}})
    return page("Title", surfaces([ShownSurface(call="c", messages=json.dumps(messages))]), "Foot")


def text(id: str, said: Any, **more: Any) -> dict[str, Any]:
    return {"id": id, "component": "Text", "text": said, **more}


def column(*children: str, id: str = "root", **more: Any) -> dict[str, Any]:
    return {"id": id, "component": "Column", "children": list(children), **more}


def test_text_row_column_card_and_button_are_drawn_as_what_they_are() -> None:
    found = drawn(
        column("a", "row"),
        text("a", "Head", variant="h1"),
        {"id": "row", "component": "Row", "children": ["card", "go"], "justify": "spaceBetween"},
        {"id": "card", "component": "Card", "child": "b"},
        text("b", "inside", variant="caption"),
        {"id": "go", "component": "Button", "child": "c", "action": {"event": {"name": "go"}}},
        text("c", "Go"),
    )
    assert '<div class="column"><h1>Head</h1><div class="row between"><div class="card">' in found
    assert '<p class="caption">inside</p>' in found
    assert '<button type="button" disabled><p>Go</p></button>' in found


def test_any_other_component_is_a_box_with_its_name_and_what_it_says() -> None:
    found = drawn(column("i", id="root"), {"id": "i", "component": "Image", "url": "https://example.com/a.png"})
    assert '<span class="label">Image</span><p class="caption">url: https://example.com/a.png</p>' in found
    assert "<img" not in found


@pytest.mark.parametrize(
    "component",
    [
        text("x", HOSTILE),
        text("x", HOSTILE, variant=HOSTILE),
        {"id": "x", "component": HOSTILE, HOSTILE: HOSTILE},
        {"id": "x", "component": "Image", "url": "javascript:alert(1)", "style": HOSTILE},
        {"id": "x", "component": "Row", "children": [HOSTILE], "justify": HOSTILE, "align": HOSTILE},
        {"id": "x", "component": "Button", "child": HOSTILE, "action": {"functionCall": {"call": "openUrl"}}},
        {"id": "x", "component": "Video", "url": {"path": "/h"}},
        text("x", {"path": "/h"}),
        text("x", {"call": HOSTILE, "args": {}}),
    ],
)
def test_nothing_that_came_from_elsewhere_is_mark_up(component: dict[str, Any]) -> None:
    found = drawn(column("x"), component, data={"h": HOSTILE})
    seen = Seen(found)
    assert set(seen.tags) <= TAGS
    assert seen.attributes <= ATTRIBUTES
    assert "\u202e" not in found
    assert "\x00" not in found
    assert found.count("</style>") == 1


def test_a_page_lets_in_its_own_sheet_and_nothing_else() -> None:
    found = drawn(column("x"), text("x", "hello"))
    assert POLICY.startswith("default-src 'none'; style-src 'sha256-")
    assert re.search(r'<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;', found)
    assert found.index("Content-Security-Policy") < found.index("<style>")
    assert "http" not in found.replace("http-equiv", "")


def test_circles_deep_trees_and_endless_lists_end() -> None:
    circle = drawn(column("a"), column("root", id="a"))
    assert "more is not shown" in circle
    deep = drawn(column("n0"), *(column(f"n{at + 1}", id=f"n{at}") for at in range(500)))
    assert "more is not shown" in deep
    wide = {"id": "root", "component": "List", "children": {"path": "/all", "componentId": "one"}}
    found = drawn(wide, text("one", {"path": "name"}), data={"all": [{"name": "x"}] * 20_000})
    assert found.count("<p>x</p>") < 5_001
    assert Seen(drawn(column("none"))).texts.count("nothing is called none") == 1


def test_texts_are_bound_to_data_and_lists_repeat_what_they_name() -> None:
    found = drawn(
        column("title", "list"),
        text("title", {"path": "/title"}),
        {"id": "list", "component": "Column", "children": {"path": "/people", "componentId": "person"}},
        text("person", {"path": "name"}),
        data={"title": "People", "people": [{"name": "Anna"}, {"name": "Bo"}]},
    )
    assert [said for said in Seen(found).texts if said in ("People", "Anna", "Bo")] == ["People", "Anna", "Bo"]


def test_later_messages_change_what_earlier_ones_showed() -> None:
    changed = {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": [text("a", "second")]}}
    found = drawn(column("a"), text("a", "first"), more=(changed,))
    assert "second" in found
    assert "first" not in found
    gone = drawn(column("a"), text("a", "first"), more=({"version": "v0.9", "deleteSurface": {"surfaceId": "s"}},))
    assert "Nothing was shown." in gone


def test_data_is_put_where_a_pointer_says() -> None:
    def put(path: str, value: Any) -> dict[str, Any]:
        return {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "path": path, "value": value}}

    messages = [CREATE, put("/a/b", 1), put("/list", ["x"]), put("/list/1", "y"), put("/a~1b", 2), put("/" * 5000, 3)]
    (found,) = surfaces([ShownSurface(call="c", messages=json.dumps(messages[:-1]))])
    assert found.data == {"a": {"b": 1}, "list": ["x", "y"], "a/b": 2}
    assert found.value("/list/1") == "y"
    assert found.value("/list/7") is None
    assert surfaces([ShownSurface(call="c", messages=json.dumps(messages))])
