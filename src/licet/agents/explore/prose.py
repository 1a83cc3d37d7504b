"""A project's own words: the first paragraph of a README, the first line of a docstring."""

import re

_MAX_CHARACTERS = 400
_HEAD_CHARACTERS = 16_000
"""Of a text; what a project says of itself stands above that, and a hostile file costs no more than this."""
_HTML = re.compile(r"<!--.*?-->|</?[A-Za-z][^<>]{0,500}>", re.DOTALL)
_IMAGE = re.compile(r"!\[([^\]]{0,300})\]\([^()\s]{0,1000}(?:[ \t]+\"[^\"]*\")?\)|!\[([^\]]{0,300})\]\[[^\]]{0,300}\]")
_LINK = re.compile(r"\[([^\[\]]{0,500})\](?:\([^()\s]{0,1000}(?:[ \t]+\"[^\"]*\")?\)|\[[^\]]{0,300}\])")
_RST_ROLE = re.compile(r":[a-z:]+:`([^`<]+)(?:<[^`>]*>)?`|`([^`<]+?)[ \t]*<[^`>]*>`__?")
_EMPHASIS = re.compile(r"(\*\*|__|``?)(?=\S)(.+?)(?<=\S)\1")
_SLANT = re.compile(r"(?<![\w*])([*_])(?=\S)([^*_]+)(?<=\S)\1(?![\w*])")
_RULE = re.compile(r"[=\-~^*#_+.\"'`:]{3,}\s*")
_BLOCK = re.compile(r"(?:[-*+>|]|\d+[.)])[ \t]|\||```|~~~|\.\. ")
_HEADING = re.compile(r"#{1,6}[ \t]")
_DOCSTRING = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*[rRuU]?(?:\"\"\"(.*?)(?:\"\"\"|\Z)|'''(.*?)(?:'''|\Z)|\"([^\"\n]+)\")", re.DOTALL
)
_SENTENCE_END = re.compile(r"[.!?](?=\s+[A-Z`(\"'])")


def first_paragraph(text: str) -> str:
    """The first paragraph of running text, on one line, without markup; empty where there is none."""
    for block in re.split(r"\n[ \t]*\n", _without_markup(text)):
        lines = block.splitlines()
        if any(_RULE.fullmatch(line.strip()) for line in lines):  # a title that is underlined, and what follows it
            under = max(place for place, line in enumerate(lines) if _RULE.fullmatch(line.strip()))
            lines = lines[under + 1 :]
        lines = [line.strip() for line in lines if not _HEADING.match(line.lstrip())]
        told = " ".join(line for line in lines if line)
        if told and not _BLOCK.match(told) and sum(c.isalpha() for c in told) >= 15:
            return shortened(_SLANT.sub(r"\2", _EMPHASIS.sub(r"\2", told)))
    return ""


def docstring(source: str) -> str:
    """The first paragraph of a Python module's docstring, on one line."""
    found = _DOCSTRING.match(source[:_HEAD_CHARACTERS])
    if found is None:
        return ""
    told = (found[1] or found[2] or found[3] or "").strip()
    first = re.split(r"\n[ \t]*\n", told)[0]
    if any(_RULE.fullmatch(line.strip()) for line in first.splitlines()):
        return first_paragraph(told)
    return shortened(" ".join(first.split()))


def go_comment(source: str) -> str:
    """What the package comment of a Go file says."""
    found = re.search(r"((?:^//[^\n]*\n)+)package \w+", source[:_HEAD_CHARACTERS], re.MULTILINE)
    if found is None:
        return ""
    return shortened(" ".join(line.removeprefix("//").strip() for line in found[1].splitlines()))


def rust_comment(source: str) -> str:
    """What the ``//!`` lines at the head of a Rust file say, up to the first empty one."""
    told: list[str] = []
    for line in source.splitlines():
        if not line.startswith("//!"):
            break
        words = line[3:].strip()
        if not words and told:
            break
        told.append(words)
    return first_paragraph("\n".join(told))


def shortened(text: str, characters: int = _MAX_CHARACTERS) -> str:
    """At most so many characters: the sentences that fit, else words and a mark."""
    if len(text) <= characters:
        return text
    ends = [end.start() + 1 for end in _SENTENCE_END.finditer(text) if characters // 3 < end.start() < characters]
    if ends:
        return text[: ends[-1]]
    head = text[:characters]
    return (head.rpartition(" ")[0] or head).rstrip(",;:. ") + " …"


def _without_markup(text: str) -> str:
    plain = text[:_HEAD_CHARACTERS].replace("\r\n", "\n")
    plain = _RST_ROLE.sub(lambda match: (match[1] or match[2]).strip(), plain)
    return _LINK.sub(r"\1", _IMAGE.sub("", _HTML.sub("", plain)))
