"""docs/benchmarks.md and its picture, from the kept results: ``python -m bench.page [--check]``."""

import sys
from typing import Any

from bench import kept, picture
from bench.measure import ROOT

PAGE = ROOT / "docs" / "benchmarks.md"
PICTURE = ROOT / "docs" / "pictures" / "bench.svg"
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"


def draw() -> list[str]:
    """The files that were written, seen from the root of the project."""
    for file, text in _wanted().items():
        file.write_text(text)
    return [str(file.relative_to(ROOT)) for file in _wanted()]


def stale() -> list[str]:
    """The files that say something else than the kept results."""
    return [str(file.relative_to(ROOT)) for file, text in _wanted().items() if file.read_text() != text]


def _wanted() -> dict[Any, str]:
    documents = kept.read()
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise SystemExit(f"bench: {PAGE.name} needs the lines {BEGIN} and {END}")
    told = "\n".join(_section(suite, document) for suite, document in documents.items())
    return {PAGE: f"{before}{BEGIN}\n\n{told}\n{END}{after}", PICTURE: picture.svg(documents)}


def _section(suite: str, document: dict[str, Any]) -> str:
    medians = (f"{case}: {_number(value)}" for case, value in document["medians"].items())
    lines = [
        f"### {suite}",
        "",
        *_circumstances(document),
        "",
        "| figure | measured | range | must | aim |",
        "|---|---|---|---|---|",
        *(_row(one) for one in document["figures"]),
        "",
        f"Medians, {document['unit']}: {'; '.join(medians)}.",
        "",
    ]
    return "\n".join(lines)


def _circumstances(document: dict[str, Any]) -> list[str]:
    processes, rounds = max((one["processes"], one["rounds"]) for one in document["figures"])
    versions = ", ".join(f"{name} {version or 'not installed'}" for name, version in document["versions"].items())
    busy = " The machine was busy with other work: these ratios say little." if document["busy"] else ""
    return [
        f"{document['at'][:10]}, commit {document['commit']}; processes: {processes}, rounds of each: {rounds}.",
        f"{document['machine']}, load {document['load']:g} at the start.{busy}",
        f"Python {document['python']}, {versions}.",
    ]


def _row(one: dict[str, Any]) -> str:
    must, aim = ("-" if one[limit] is None else _number(one[limit]) for limit in ("must", "aim"))
    if one["median"] is None:
        return f"| {one['name']} | skipped | - | {must} | {aim} |"
    beyond = one["must"] is not None and one["median"] > one["must"]
    measured = _number(one["median"]) + (" (beyond)" if beyond else "")
    return f"| {one['name']} | **{measured}** | {_number(one['low'])} to {_number(one['high'])} | {must} | {aim} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def main() -> int:
    if sys.argv[1:] == ["--check"]:
        for file in (found := stale()):
            print(f"{file} does not say what docs/benchmarks holds; scripts/bench --plot")
        return int(bool(found))
    print("\n".join(draw()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
