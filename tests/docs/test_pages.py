"""Every page can be reached, and every link on it leads somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
FRONT = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]


def links(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"\[[^\]]*\]\(([^)\s]+)\)", text)


@pytest.mark.parametrize("page", [*PAGES, *FRONT], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_of_a_page_lead_to_files(page: Path) -> None:
    local = [link.partition("#")[0] for link in links(page) if not re.match(r"[a-z]+:|#", link)]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_navigation_names_every_page_once() -> None:
    named = re.findall(r":\s(\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(str(page.relative_to(DOCS)) for page in PAGES)


@pytest.mark.requirement("contract.documented")
def test_the_boundary_is_described_as_tool_runtime_boundary_v1() -> None:
    evolution = (DOCS / "evolution.md").read_text("utf-8")
    entries = re.findall(r"^## (.+)$", evolution, re.MULTILINE)
    assert entries[0] == "Tool Runtime Boundary v1"
    for fact in ("builtin", "dynamic", "mcp", "hosted", "`model_tool`", "read_only_builtins", "editing_builtins"):
        assert fact in evolution
