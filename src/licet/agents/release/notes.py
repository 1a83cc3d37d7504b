"""The notes: changes under headings, as Markdown and as a page."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

SURFACE = "release-notes"
LEFT_OUT = "Left out"


class Notes(NamedTuple):
    """``changes`` are subjects by heading, in the style's order. ``checked`` is what somebody else looked at."""

    version: str
    since: str
    changes: Mapping[str, tuple[str, ...]]
    checked: str

    @property
    def title(self) -> str:
        return f"Release {self.version}"

    @property
    def told_since(self) -> str:
        count = sum(map(len, self.changes.values()))
        changes = "1 change" if count == 1 else f"{count} changes"
        return f"{changes} since {self.since}" if self.since else changes


def headings(text: str) -> dict[str, frozenset[str]]:
    """What a style lists: headings, and the words that subjects under them begin with."""
    lines = (line[2:].partition(":") for line in text.splitlines() if line.startswith("- "))
    return {name.strip(): frozenset(filter(None, map(str.strip, words.split(",")))) for name, _, words in lines}


def sorted_under(style: Mapping[str, frozenset[str]], subjects: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Each subject under the first heading that has its first word, else under the last; what is left out is not."""
    found: dict[str, list[str]] = {heading: [] for heading in style}
    last = next(reversed(list(style)), "Changes")
    for subject in dict.fromkeys(subjects):
        word = subject.partition(" ")[0].partition("(")[0].rstrip(":!").lower()
        heading = next((heading for heading, words in style.items() if word in words), last)
        found.setdefault(heading, []).append(subject)
    return {heading: tuple(listed) for heading, listed in found.items() if listed and heading != LEFT_OUT}


def markdown(notes: Notes) -> str:
    """The notes as text."""
    parts = [f"# {notes.title}", f"{notes.told_since}."]
    parts += (
        f"## {heading}\n\n" + "\n".join(f"- {subject}" for subject in listed)
        for heading, listed in notes.changes.items()
    )
    return "\n\n".join((*parts, f"Checked: {notes.checked}")) + "\n"


def page(notes: Notes) -> list[dict[str, Any]]:
    """The same as messages of A2UI."""
    components: list[dict[str, Any]] = [
        _text("title", notes.title, "h1"),
        _text("since", notes.told_since, "caption"),
        _text("checked", f"Checked: {notes.checked}", "caption"),
        _text("publish-text", "Publish", "body"),
        {
            "id": "publish",
            "component": "Button",
            "child": "publish-text",
            "action": {"event": {"name": "publish", "context": {"version": notes.version}}},
        },
        {"id": "foot", "component": "Row", "children": ["publish", "checked"]},
    ]
    cards = []
    for at, (heading, listed) in enumerate(notes.changes.items()):
        cards.append(f"card-{at}")
        lines = [f"line-{at}-{place}" for place in range(len(listed))]
        components += (_text(line, subject, "body") for line, subject in zip(lines, listed, strict=True))
        components += [
            _text(f"heading-{at}", heading, "h3"),
            {"id": f"column-{at}", "component": "Column", "children": [f"heading-{at}", *lines]},
            {"id": f"card-{at}", "component": "Card", "child": f"column-{at}"},
        ]
    root = {"id": "root", "component": "Column", "children": ["title", "since", *cards, "foot"]}
    return [
        {"version": "v0.9", "createSurface": {"surfaceId": SURFACE, "catalogId": CATALOG}},
        {"version": "v0.9", "updateComponents": {"surfaceId": SURFACE, "components": [root, *components]}},
    ]


CATALOG = "https://a2ui.org/specification/v0_9/basic_catalog.json"


def _text(id: str, text: str, variant: str) -> dict[str, Any]:
    return {"id": id, "component": "Text", "text": text, "variant": variant}


__all__ = ["Notes", "headings", "markdown", "page", "sorted_under"]
