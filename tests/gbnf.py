"""Texts that a GBNF grammar allows, at random: a reader of the notation that shares nothing with what writes it."""

import random
import re

_TOKEN = re.compile(
    r'\s*(?:"((?:[^"\\]|\\.)*)"|\[((?:[^\]\\]|\\.)*)\]|(\{\d+,\d+\}|\{\d+\}|[?*+])|([()|])|([A-Za-z0-9-]+))'
)
_ESCAPE = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}
_OTHERS = "aZ09 _-,:{}[]<|>\u00e9\u4e2d\U0001f600'/"


class Grammar:
    """Rules by name, each a tree of ways, sequences, repetitions, texts, sets of characters and names of rules."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, tuple] = {}
        for line in text.splitlines():
            name, _, rule = line.partition(" ::= ")
            assert name not in self.rules, f"{name} is defined twice"
            tokens = self._tokens(rule)
            self.rules[name] = self._ways(tokens)
            assert not tokens, f"{name}: {tokens}"

    def unbounded(self) -> list[str]:
        """Rules that may repeat without an end, or lead back to themselves."""
        leads = {name: set(self._called(rule)) for name, rule in self.rules.items()}
        back = [name for name in self.rules if self._reaches(name, name, leads)]
        return back + [name for name, rule in self.rules.items() if "'*'" in repr(rule)]

    def sample(self, rng: random.Random, name: str = "root") -> str:
        """One text that the rule allows."""
        return self._sample(self.rules[name], rng)

    def _sample(self, node: tuple, rng: random.Random) -> str:
        match node[0]:
            case "|":
                return self._sample(rng.choice(node[1]), rng)
            case "seq":
                return "".join(self._sample(part, rng) for part in node[1])
            case "{}":
                most = node[3] if rng.random() < 0.2 else min(node[3], node[2] + 3)
                return "".join(self._sample(node[1], rng) for _ in range(rng.randint(node[2], most)))
            case "text":
                return node[1]
            case "set":
                return rng.choice(node[1])
        return self._sample(self.rules[node[1]], rng)

    def _tokens(self, rule: str) -> list[re.Match[str]]:
        found, at = [], 0
        while at < len(rule.rstrip()):
            token = _TOKEN.match(rule, at)
            assert token is not None, rule[at : at + 40]
            found.append(token)
            at = token.end()
        return found[::-1]

    def _ways(self, tokens: list[re.Match[str]]) -> tuple:
        ways, parts = [], []
        while tokens and tokens[-1][4] != ")":
            token = tokens.pop()
            if token[4] == "|":
                ways.append(("seq", parts))
                parts = []
            elif token[3]:
                parts[-1] = self._repeated(parts[-1], token[3])
            elif token[4] == "(":
                parts.append(self._ways(tokens))
                tokens.pop()
            elif token[1] is not None:
                parts.append(("text", _unescaped(token[1])))
            elif token[2] is not None:
                parts.append(("set", _characters(token[2])))
            else:
                parts.append(("rule", token[5]))
        return ("|", [*ways, ("seq", parts)])

    def _repeated(self, part: tuple, mark: str) -> tuple:
        if mark == "?":
            return ("{}", part, 0, 1)
        assert mark.startswith("{"), f"{mark} has no end"
        least, _, most = mark[1:-1].partition(",")
        return ("{}", part, int(least), int(most or least))

    def _called(self, node: tuple) -> list[str]:
        if node[0] == "rule":
            assert node[1] in self.rules, f"no rule {node[1]}"
            return [node[1]]
        if node[0] in ("|", "seq"):
            return [name for part in node[1] for name in self._called(part)]
        return self._called(node[1]) if node[0] == "{}" else []

    def _reaches(self, start: str, end: str, leads: dict[str, set[str]]) -> bool:
        seen: set[str] = set()
        waiting = list(leads[start])
        while waiting:
            name = waiting.pop()
            if name == end:
                return True
            if name not in seen:
                seen.add(name)
                waiting += leads[name]
        return False


def _unescaped(text: str) -> str:
    def plain(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else _PLAIN.get(match[4], match[4])

    return _ESCAPE.sub(plain, text)


def _characters(text: str) -> str:
    """Some of the characters of a set; of what it leaves out, some others."""
    negated = text.startswith("^")
    parts = re.findall(r"(\\x[0-9A-Fa-f]{2}|\\.|[^\\])(?:-(\\x[0-9A-Fa-f]{2}|[^\\]))?", text[negated:])
    listed = {
        chr(code)
        for first, last in parts
        for code in range(ord(_unescaped(first)), ord(_unescaped(last) if last else _unescaped(first)) + 1)
    }
    return "".join(char for char in _OTHERS if char not in listed) if negated else "".join(sorted(listed))
