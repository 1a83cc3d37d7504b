"""The decisions stand in one unbroken row, each on one page, each with the check that keeps it true."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
SECTIONS = ["Status", "Context", "Decision", "Consequences", "Alternatives", "Check"]
MOST_LINES = 60


def sections(text: str) -> dict[str, str]:
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], (part.strip() for part in parts[2::2]), strict=True))


def names_in(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}


def missing_checks(check: str) -> list[str]:
    """What a Check section names and the project does not hold; a section that names nothing is missing too."""
    named = re.findall(r"`([^`]+)`", check)
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    contracts = {contract["id"] for contract in settings["tool"]["importlinter"]["contracts"]}
    missing = [] if named else ["anything"]
    for name in named:
        path, _, test = name.partition("::")
        file = ROOT / path
        if name.startswith("import contract "):
            found = name.removeprefix("import contract ") in contracts
        else:
            found = file.is_file() and (not test or test in names_in(file))
        if not found:
            missing.append(name)
    return missing


def test_decision_numbers_are_unique_and_without_gaps() -> None:
    assert DECISIONS
    assert all(re.fullmatch(r"\d{4}(-[a-z0-9]+)+\.md", file.name) for file in DECISIONS)
    assert [int(file.name[:4]) for file in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("file", DECISIONS, ids=lambda file: file.stem)
def test_decision_has_every_section_on_one_page(file: Path) -> None:
    text = file.read_text("utf-8")
    number = int(file.name[:4])
    assert re.match(rf"# {number}\. \S", text)
    found = sections(text)
    assert list(found) == SECTIONS
    assert all(found.values())
    assert re.match(r"(Accepted|Superseded by \d{4}), \d{4}-\d{2}", found["Status"])
    assert len(text.splitlines()) <= MOST_LINES


@pytest.mark.parametrize("file", DECISIONS, ids=lambda file: file.stem)
def test_decision_names_checks_that_exist(file: Path) -> None:
    assert missing_checks(sections(file.read_text("utf-8"))["Check"]) == []


def test_a_check_that_does_not_exist_is_found() -> None:
    assert missing_checks("`tests/test_decisions.py::test_a_check_that_does_not_exist_is_found`") == []
    assert missing_checks("`import contract storeys`") == []
    assert missing_checks("somebody looks") == ["anything"]
    for name in ("tests/nowhere.py", "tests/test_decisions.py::test_nothing", "import contract nothing"):
        assert missing_checks(f"`{name}`") == [name]
