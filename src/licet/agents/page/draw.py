"""Surfaces as one HTML document. Whatever came from elsewhere is text: it is escaped, and nothing of it is a link."""

import html
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...dialects.untrusted import escaped
from .sheet import POLICY, SHEET
from .surface import Surface

MOST_DEPTH = 24
MOST_DRAWN = 5_000
"""Components of one page, those that a list repeats included."""

_ODD = re.compile(r"[^\n\x20-\x7e]+")
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5"})
_JUSTIFY = {
    "start": "start",
    "center": "center",
    "end": "end",
    "spaceBetween": "between",
    "spaceAround": "around",
    "spaceEvenly": "evenly",
}
_ALIGN = frozenset({"start", "center", "end", "stretch"})
_STRUCTURE = frozenset({"id", "component", "child", "children", "action", "weight", "checks"})


def page(title: str, surfaces: Sequence[Surface], foot: str) -> str:
    """The document. ``title`` and ``foot`` are texts like any other."""
    drawn = "\n".join(f"<section>\n{_Drawing(one).root()}\n</section>" for one in surfaces)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{html.escape(POLICY)}">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no, date=no, email=no, address=no, url=no">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{SHEET}</style>
</head>
<body>
<main>
{drawn or '<p class="caption">Nothing was shown.</p>'}
</main>
<footer>{_text(foot)}</footer>
</body>
</html>
"""


class _Drawing:
    """One surface under way: how much of it was drawn, so that no circle and no list goes on for ever."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._left = MOST_DRAWN

    def root(self) -> str:
        return self._draw("root", "", ())

    def _draw(self, id: str, scope: str, above: tuple[tuple[str, str], ...]) -> str:
        component = self._surface.components.get(id)
        self._left -= 1
        if component is None:
            return _label(f"nothing is called {id}")
        if (id, scope) in above or len(above) >= MOST_DEPTH or self._left < 0:
            return _label("more is not shown")
        inner = (*above, (id, scope))
        match component["component"]:
            case "Text":
                return self._words(component, scope)
            case "Row" | "Column" as kind:
                return _box(f"{kind.lower()}{_classes(component)}", "".join(self._children(component, scope, inner)))
            case "Card":
                return _box("card", "".join(self._children(component, scope, inner)))
            case "Button":
                return f'<button type="button" disabled>{"".join(self._children(component, scope, inner))}</button>'
        return self._other(component, scope, inner)

    def _words(self, component: Mapping[str, Any], scope: str) -> str:
        text, variant = _text(self._said(component.get("text"), scope)), component.get("variant")
        if isinstance(variant, str) and variant in _HEADINGS:
            return f"<{variant}>{text}</{variant}>"
        return f'<p class="caption">{text}</p>' if variant == "caption" else f"<p>{text}</p>"

    def _other(self, component: Mapping[str, Any], scope: str, above: tuple[tuple[str, str], ...]) -> str:
        """A box with its name, what it says, and what is in it."""
        said = [
            f'<p class="caption">{_text(key)}: {_text(self._said(value, scope))}</p>'
            for key, value in component.items()
            if key not in _STRUCTURE
        ]
        return _box("other", "".join((_label(component["component"]), *said, *self._children(component, scope, above))))

    def _children(self, component: Mapping[str, Any], scope: str, above: tuple[tuple[str, str], ...]) -> Iterator[str]:
        child, children = component.get("child"), component.get("children")
        if isinstance(child, str):
            yield self._draw(child, scope, above)
        if isinstance(children, list):
            for one in children:
                if isinstance(one, str):
                    yield self._draw(one, scope, above)
        elif isinstance(children, dict):
            path, id = children.get("path"), children.get("componentId")
            if isinstance(path, str) and isinstance(id, str):
                base = path if path.startswith("/") else f"{scope}/{path}"
                found = self._surface.value(base)
                for at in range(len(found) if isinstance(found, list) else 0):
                    if self._left < 0:
                        return
                    yield self._draw(id, f"{base}/{at}", above)

    def _said(self, value: Any, scope: str) -> str:
        """A text, what it is bound to, or that a client would compute it."""
        if isinstance(value, dict):
            if isinstance(value.get("path"), str):
                found = self._surface.value(value["path"], scope)
                return "..." if isinstance(found, dict | list) else self._said(found, scope)
            return "(computed)" if "call" in value else "..."
        if isinstance(value, list):
            return ", ".join("..." if isinstance(one, list) else self._said(one, scope) for one in value[:20])
        return "" if value is None else str(value)


def _classes(component: Mapping[str, Any]) -> str:
    justify, align = component.get("justify"), component.get("align")
    found = [_JUSTIFY[justify]] if isinstance(justify, str) and justify in _JUSTIFY else []
    found += [f"a-{align}"] if isinstance(align, str) and align in _ALIGN else []
    return "".join(f" {name}" for name in found)


def _box(name: str, inner: str) -> str:
    return f'<div class="{name}">{inner}</div>'


def _label(text: str) -> str:
    return f'<span class="label">{_text(text)}</span>'


def _text(text: str) -> str:
    """Text as it is read: no mark-up, and nothing in it that is invisible or turns the line around."""
    return html.escape(_ODD.sub(lambda match: escaped(match[0]), text))


__all__ = ["MOST_DEPTH", "MOST_DRAWN", "page"]
