"""Expressions, globs, ignore files and texts for the file tools."""

from typing import Any

from campaign.bombs.bomb import DONE, REFUSED, Bomb
from campaign.bombs.door import files

_EITHER = (DONE, REFUSED)
_MB = 1_000_000
_TEXT = {"a.txt": "a" * (_MB // 2), "lines.txt": "ab\n" * (_MB // 6)}
_NAMES = {f"{'a' * 200}{number}": "x" for number in range(30)}

_EXPRESSIONS = {
    "nested repetition": "(a+)+$",
    "four counted repetitions": ".{0,1000}.{0,1000}.{0,1000}.{0,1000}b",
    "1,000 optional letters": "(?:a?){1000}b",
    "a choice 900 letters back": "(?:a|b)*a(?:a|b){900}c",
    "300 groups": "(a)" * 300 + "b",
    "330 Unicode classes": "(?i)" + "\\pL" * 330,
    "900 letters of any alphabet": "\\pL{900}b",
    "400 nested groups": "(" * 400 + "a" + ")" * 400,
    "110 counted branches": "|".join(f"a{{{count}}}b" for count in range(1, 110)),
    "nothing, everywhere": "",
    "the end of every line": "$",
    "a look-ahead": "^(?=(a+)+$)x",
    "a back-reference": "(a+)\\1+b",
    "repetitions of repetitions": "((((a{1,30}){1,30}){1,30}){1,30})",
}
_GLOBS = {
    "400 stars": "*a" * 400,
    "200 choices": "{a,aa}" * 160,
    "1,000 question marks": "?" * 1000,
    "300 folders": "**/" * 300 + "x",
    "900 opened braces": "{" * 900,
    "200 sets": "[!b]" * 200 + "*z",
    "open sets": "[" * 900,
}
_RULES: dict[str, str] = {
    "1,200 costly rules": ("*a" * 100 + "b\n") * 1200,
    "one rule of 120 KB": "*a" * 60_000,
    "30,000 rules in turn": "".join(f"{'!' * (n % 2)}r{n}\n" for n in range(30_000)),
    "1,000 rules of 30 sets": ("[a-z0-9]" * 30 + "\n") * 1000,
    "250,000 empty lines": "\n" * 250_000,
}


def _changed(before: list[str], after: list[str]) -> tuple[str, dict[str, Any], dict[str, str]]:
    return "write", {"path": "f", "content": "\n".join(after)}, {"f": "\n".join(before)}


_FILES: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
    "a line of 1 MB": ("read", {"path": "f"}, {"f": "x" * _MB}),
    "a million lines": ("read", {"path": "f", "offset": 999_000}, {"f": "\n" * _MB}),
    "a page of control characters": ("read", {"path": "f", "limit": 20_000}, {"f": "\x01\n" * 20_000}),
    "1,900 lines that repeat, in another order": _changed(
        [str(n % 100) for n in range(1900)], [str((n * 37 + n // 100) % 100) for n in range(1900)]
    ),
    "1,999 lines turned round": _changed([str(n) for n in range(1999)], [str(n) for n in range(1998, -1, -1)]),
    "200 edits of a megabyte": (
        "edit",
        {"path": "f", "edits": [{"old_text": f"needle{n:03}", "new_text": "x"} for n in range(200)]},
        {"f": "ab" * (_MB // 4) + "".join(f"needle{n:03}" for n in range(200))},
    ),
    "an edit whose old text nearly stands everywhere": (
        "edit",
        {"path": "f", "edits": [{"old_text": "a" * 50_000 + "b", "new_text": "x"}]},
        {"f": "a" * _MB},
    ),
    "a path of 4,096 characters": ("read", {"path": "a/" * 2048}, {"f": ""}),
    "2,000 folders inside each other": ("find", {"pattern": "*"}, {"/".join(["d"] * 200) + "/f": ""}),
    "a folder of 3,000 files": ("ls", {"path": ".", "limit": 20_000}, {f"{'n' * 100}{n}": "" for n in range(3000)}),
}

BOMBS = [
    *(Bomb("pattern", name, files("grep", {"pattern": it}, _TEXT), _EITHER) for name, it in _EXPRESSIONS.items()),
    *(Bomb("glob", name, files("find", {"pattern": it}, _NAMES), _EITHER) for name, it in _GLOBS.items()),
    *(
        Bomb("glob of grep", name, files("grep", {"pattern": "x", "glob": it}, _NAMES), _EITHER)
        for name, it in _GLOBS.items()
    ),
    *(
        Bomb("ignore file", name, files("find", {"pattern": "*"}, _NAMES | {".gitignore": rules}))
        for name, rules in _RULES.items()
    ),
    *(Bomb("file", name, files(*how), _EITHER) for name, how in _FILES.items()),
]
