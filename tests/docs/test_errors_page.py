"""The table of errors is the tree of errors."""

import re
from pathlib import Path

from licet import errors

PAGE = Path(__file__).parents[2] / "docs" / "errors.md"
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
