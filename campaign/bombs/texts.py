"""JSON texts as a model may write them, each as the arguments of a call."""

from collections.abc import Callable

from campaign.bombs.bomb import DONE, REFUSED, Bomb
from campaign.bombs.door import arguments, made

_MB = 1 << 20


def _filled(begin: str, piece: str, end: str, size: int = _MB) -> Callable[[], str]:
    return lambda: begin + piece * ((size - len(begin) - len(end)) // len(piece)) + end


_RAW: list[tuple[str, str, Callable[[], str | bytes]]] = [
    ("100,000 levels of arrays", REFUSED, lambda: "[" * 100_000),
    ("100,000 levels of objects, closed", REFUSED, lambda: '{"a":' * 100_000 + "1" + "}" * 100_000),
    ("65 levels", REFUSED, lambda: '{"a":' * 65 + "1" + "}" * 65),
    ("a megabyte of opened brackets in a text", DONE, _filled('{"a":"', "[{", '"}')),
    ("one key twice, at the end of 1 MB", REFUSED, _filled('{"a":1,"b":"', "x:", '","a":2}')),
    ("one key 150,000 times", REFUSED, _filled("{", '"a":1,', '"a":1}')),
    ("one key twice, the second escaped", REFUSED, _filled('{"a":1,"b":"', "é", '","\\u0061":2}', _MB // 2)),
    ("90,000 keys", DONE, lambda: "{" + ",".join(f'"k{n}":{n}' for n in range(50_000)) + "}"),
    ("NaN after 1 MB", REFUSED, _filled('{"b":"', "x", '","a":NaN}')),
    ("Infinity", REFUSED, lambda: '{"a":-Infinity}'),
    ("1e999", REFUSED, lambda: '{"a":1e999}'),
    ("a number of a million digits", REFUSED, _filled('{"a":', "7", "}")),
    ("a number of 4,301 digits", REFUSED, lambda: '{"a":' + "7" * 4301 + "}"),
    ("a fraction of a million digits", DONE, _filled('{"a":0.', "7", "}")),
    ("an exponent of a million digits", REFUSED, _filled('{"a":1e', "7", "}")),
    ("2^64, after 1 MB", REFUSED, _filled('{"b":"', "x", '","a":18446744073709551616}')),
    ("half a surrogate pair, after 1 MB", REFUSED, _filled('{"b":"', "x", '","a":"\\ud800"}')),
    ("170,000 escapes", DONE, _filled('{"a":"', "\\u003a", '"}')),
    ("a megabyte of text", DONE, _filled('{"a":"', "x", '"}')),
    ("a megabyte of colons in a text", DONE, _filled('{"a":"', ":", '"}')),
    ("a megabyte of commas in a text", DONE, _filled('{"a":"', ",", '"}')),
    ("a megabyte of colons", REFUSED, _filled("{", ":", "}")),
    ("a megabyte of commas", REFUSED, _filled("[", ",", "]")),
    ("a megabyte of quotes", REFUSED, _filled("{", '"', "}")),
    ("a megabyte of escaped quotes", DONE, _filled('{"a":"', '\\"', '"}')),
    ("a megabyte of backslashes", REFUSED, _filled('{"a":"', "\\", '"}', _MB - 1)),
    ("a megabyte of white space", REFUSED, _filled("", " \n", "")),
    ("white space around one member", DONE, _filled("{", "\n", '"a":1}')),
    ("350,000 empty arrays", REFUSED, _filled('{"a":[', "[],", "[]]}")),
    ("350,000 empty objects", REFUSED, _filled('{"a":[', "{},", "{}]}")),
    ("350,000 empty texts", REFUSED, _filled('{"a":[', '"",', '""]}')),
    ("500,000 digits", REFUSED, _filled('{"a":[', "0,", "0]}")),
    ("130,000 objects, with an escape before them", REFUSED, _filled('{"e":"\\u003a","a":[', '{"":0},', "{}]}")),
    ("20,000 objects of one member", DONE, lambda: '{"a":[' + ",".join(['{"k":0}'] * 20_000) + "]}"),
    ("95,000 large numbers", DONE, lambda: '{"a":[' + ",".join(["1e30"] * 95_000) + "]}"),
    ("no UTF-8", REFUSED, lambda: b'{"a":"' + b"\xff" * _MB + b'"}'),
    ("a mark of byte order", REFUSED, lambda: b'\xef\xbb\xbf{"a":1}'),
    ("NULs", REFUSED, _filled("", "\0", "")),
    ("64 MB", REFUSED, _filled('{"a":"', "x", '"}', 64 * _MB)),
    ("an array, not an object", REFUSED, _filled("[", "1,", "1]", 100_000)),
]

BOMBS = [Bomb("text", name, made(arguments, make), (expects,)) for name, expects, make in _RAW]
