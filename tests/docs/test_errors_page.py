"""The table of errors is the tree of errors."""

import ast
import re
from pathlib import Path

from licet import errors

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "errors.md"
ROW = re.compile(r"^\| `(\w+)` \| `(\w+)` \| (?:`(\w+)`)? ?\| (none|unknown)? ?\| (.+) \|$", re.MULTILINE)


def rows() -> list[tuple[str, ...]]:
    return [match.groups() for match in ROW.finditer(PAGE.read_text("utf-8"))]


def test_the_page_lists_exactly_the_codes_that_exist() -> None:
    assert [(code, name) for code, name, *_ in rows()] == [(c, cls.__name__) for c, cls in errors.BY_CODE.items()]


def test_the_page_names_the_builtin_exception_of_each_error() -> None:
    for code, _, builtin, *_ in rows():
        foreign = [base.__name__ for base in errors.BY_CODE[code].__bases__ if not issubclass(base, errors.LicetError)]
        assert foreign == ([builtin] if builtin else []) or code == "error"


def test_the_page_gives_each_branch_its_effect() -> None:
    for code, _, _, effect, _ in rows():
        cls = errors.BY_CODE[code]
        if issubclass(cls, errors.RefusedError):
            assert effect == "none", code
        if issubclass(cls, errors.ExecutionError):
            assert effect == "unknown", code


def test_the_page_names_every_finer_reason() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \| [^`|]", PAGE.read_text("utf-8"), re.MULTILINE))
    sources = [file.read_text("utf-8") for file in sorted((ROOT / "src" / "licet").rglob("*.py"))]
    given = {
        keyword.value.value
        for source in sources
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg == "reason"
        and isinstance(keyword.value, ast.Constant)
        and re.fullmatch(r"\w+", keyword.value.value)
    }
    assert given - listed == set()
    assert [reason for reason in sorted(listed) if not any(f'"{reason}"' in source for source in sources)] == []
