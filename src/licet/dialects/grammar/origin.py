"""One tool's registered schema as a document: where each part of it stands, and where its references lead."""

from typing import Any
from urllib.parse import unquote

from ...schema.pointer import pointer

REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")


class Origin:
    """Pointers into one schema by the identity of its parts, which stay alive as long as this does."""

    def __init__(self, root: dict[str, Any]) -> None:
        self.root = root
        self._at: dict[int, str] = {}
        self._named: dict[str, dict[str, Any]] = {}
        self._made: dict[int, tuple[dict[str, Any], dict[str, str]]] = {}
        self._leads: dict[str, set[str]] = {}
        self._walk()

    def at(self, schema: dict[str, Any], keyword: str) -> str:
        """Where this keyword of a part, or of parts put together, was written."""
        made = self._made.get(id(schema))
        if made is not None:
            return made[1].get(keyword, "")
        return self._at.get(id(schema), "")

    def put_together(self, schema: dict[str, Any], places: dict[str, str]) -> dict[str, Any]:
        """Remember where each keyword of a new part comes from."""
        self._made[id(schema)] = schema, places
        return schema

    def follow(self, reference: str) -> tuple[str, Any] | None:
        """The place that a reference leads to and what stands there, or None: nothing in this document."""
        base, _, fragment = reference.partition("#")
        if base and base != str(self.root.get("$id", "")).partition("#")[0]:
            return None
        fragment = unquote(fragment)
        if fragment and not fragment.startswith("/"):
            named = self._named.get(fragment)
            return None if named is None else (self._at[id(named)], named)
        found: Any = self.root
        for step in fragment.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(found, dict) and step in found:
                found = found[step]
            elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
                found = found[int(step)]
            else:
                return None
        return (fragment, found) if isinstance(found, dict | bool) else None

    def returns(self, place: str, target: Any) -> bool:
        """Whether what a reference leads to leads back to itself."""
        seen: set[str] = set()
        waiting = [(place, target)]
        while waiting:
            here, part = waiting.pop()
            for reference in self._references(here, part):
                found = self.follow(reference)
                if found is None or found[0] in seen:
                    continue
                if found[0] == place:
                    return True
                seen.add(found[0])
                waiting.append(found)
        return False

    def _references(self, place: str, part: Any) -> set[str]:
        if place not in self._leads:
            leads: set[str] = set()
            level = [part]
            while level:
                one = level.pop()
                if isinstance(one, dict):
                    leads.update(one[key] for key in REFERENCES if isinstance(one.get(key), str))
                    level += one.values()
                elif isinstance(one, list):
                    level += one
            self._leads[place] = leads
        return self._leads[place]

    def _walk(self) -> None:
        waiting: list[tuple[tuple[str | int, ...], Any]] = [((), self.root)]
        while waiting:
            path, part = waiting.pop()
            if isinstance(part, dict):
                self._at[id(part)] = pointer(path)
                for key in ("$anchor", "$dynamicAnchor"):
                    if isinstance(part.get(key), str):
                        self._named.setdefault(part[key], part)
                waiting += (((*path, key), below) for key, below in part.items())
            elif isinstance(part, list):
                waiting += (((*path, index), below) for index, below in enumerate(part))


__all__ = ["REFERENCES", "Origin"]
