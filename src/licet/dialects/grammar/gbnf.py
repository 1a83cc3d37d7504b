"""A lowered schema in GBNF, the notation of llama.cpp's grammars.

llama.cpp's own converters from JSON Schema leave maps and free objects unbounded, and the one that its Python package
brings holds no range of a number, gives a broken grammar for a quotation mark in an ``enum`` and another text for a
backslash (0.3.36). So what is written here is exact: one space after a comma and a colon, each property once, required
ones first, nothing without an end.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from .numerals import decimals, integers, span_of
from .size import text

ROOT = "root"
_MOST_REPEATS = 1000  # llama.cpp refuses 2000 at once
_CHARACTER = r"""[^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]"""


def gbnf(schema: Mapping[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> str:
    """The grammar of all texts that ``schema`` allows, in a fixed spelling; it begins at ``root``."""
    return _Writer(definitions).written(schema)


class _Writer:
    def __init__(self, definitions: Mapping[str, Mapping[str, Any]]) -> None:
        self._definitions = definitions
        self._rules: dict[str, str] = {}
        self._names: dict[str, str] = {}

    def written(self, schema: Mapping[str, Any]) -> str:
        for name, definition in self._definitions.items():
            self._put(f"d-{name}", self._of(definition))
        root = self._of(schema)
        rules = {ROOT: root, "char": _CHARACTER, **self._rules}
        return "\n".join(f"{name} ::= {rule}" for name, rule in rules.items()) + "\n"

    def _put(self, name: str, rule: str) -> str:
        self._rules[name] = rule
        return name

    def _named(self, rule: str) -> str:
        """The name of a rule with this text, made once."""
        if rule not in self._names:
            self._names[rule] = self._put(f"r{len(self._names)}", rule)
        return self._names[rule]

    def _below(self, schema: Mapping[str, Any]) -> str:
        """A schema's rule as one word."""
        return f"d-{_target(schema)}" if "$ref" in schema else self._named(self._of(schema))

    def _of(self, schema: Mapping[str, Any]) -> str:
        if "$ref" in schema:
            return f"d-{_target(schema)}"
        if "anyOf" in schema:
            return " | ".join(self._below(way) for way in schema["anyOf"])
        if "const" in schema:
            return literal(text(schema["const"]))
        if "enum" in schema:
            return " | ".join(literal(text(value)) for value in schema["enum"])
        match schema["type"]:
            case "string":
                return self._text(int(schema.get("minLength", 0)), int(schema["maxLength"]))
            case "integer":
                return integers(int(schema["minimum"]), int(schema["maximum"]))
            case "number":
                return decimals(span_of(dict(schema)))
            case "boolean":
                return '"true" | "false"'
            case "null":
                return '"null"'
            case "array":
                return self._array(schema)
        return self._named_members(schema) if "properties" in schema else self._any_members(schema)

    def _text(self, least: int, most: int) -> str:
        return " ".join(['"\\""', *_repeated("char", least, most), '"\\""'])

    def _array(self, schema: Mapping[str, Any]) -> str:
        if "prefixItems" in schema:
            row = ' ", " '.join(self._below(item) for item in schema["prefixItems"])
            return f'"[" {row} "]"' if row else '"[]"'
        least, most = int(schema.get("minItems", 0)), int(schema["maxItems"])
        return self._listed('"["', self._below(schema["items"]), '"]"', least, most) if most else '"[]"'

    def _any_members(self, schema: Mapping[str, Any]) -> str:
        least, most = int(schema.get("minProperties", 0)), int(schema["maxProperties"])
        name = self._named(self._text(0, int(schema["propertyNames"]["maxLength"])))
        member = self._named(f'{name} ": " {self._below(schema["additionalProperties"])}')
        return self._listed('"{"', member, '"}"', least, most)

    def _listed(self, opening: str, item: str, closing: str, least: int, most: int) -> str:
        more = _repeated(self._named(f'", " {item}'), max(least - 1, 0), most - 1)
        row = " ".join([item, *more])
        return f"{opening} {row} {closing}" if least else f"{opening} ({row})? {closing}"

    def _named_members(self, schema: Mapping[str, Any]) -> str:
        """Required members first. Optional ones follow in their order, each there or not."""
        required = set(schema["required"])
        sure: list[str] = []
        perhaps: list[str] = []
        for name, below in schema["properties"].items():
            (sure if name in required else perhaps).append(f"{literal(text(name) + ': ')} {self._below(below)}")
        if sure:
            rest = [f'(", " {member})?' for member in perhaps]
            return " ".join(['"{"', ' ", " '.join(sure), *rest, '"}"'])
        if not perhaps:
            return '"{}"'
        head = tail = ""
        for member in reversed(perhaps):  # who comes first has no comma before it
            first = f"{member} {tail}".rstrip()
            head = self._named(f"{first} | {head}" if head else first)
            tail = self._named(f'(", " {member})? {tail}'.rstrip())
        return f'"{{" {head}? "}}"'


def literal(told: str) -> str:
    """A text as a terminal."""
    return '"' + "".join(map(_escaped, told)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return char if char.isprintable() else f"\\U{ord(char):08X}"


def _repeated(item: str, least: int, most: int) -> Iterable[str]:
    """So many of it, in pieces that llama.cpp takes."""
    while most > 0:
        few, many = min(least, _MOST_REPEATS), min(most, _MOST_REPEATS)
        if least > few:
            many = few
        yield f"{item}{{{few},{many}}}"
        least, most = least - few, most - many


def _target(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


__all__ = ["ROOT", "gbnf", "literal"]
