"""What the report looks like: short, complete when asked, and with nothing of the project's that acts."""

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from licet.agents.explore.document import document
from licet.agents.explore.fact import (
    Account,
    Command,
    EntryPoint,
    Findings,
    Folder,
    Language,
    Mark,
    Pipeline,
    Report,
    Said,
    Sized,
)
from licet.agents.explore.markdown import code, markdown
from licet.agents.explore.page import page

ALLOWED = {
    *("heading_open", "heading_close", "blockquote_open", "blockquote_close", "paragraph_open", "paragraph_close"),
    *("bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close", "inline"),
    *("text", "code_inline", "strong_open", "strong_close", "text_special", "softbreak"),
}
ACTS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]")

ACCOUNT = Account(
    planner="scripted planner, no model",
    run_id="r1-1",
    principal="explorer",
    mode="read_only",
    calls=1234,
    by_tool=(("find", 1), ("read", 1233)),
    refused=0,
    failed=2,
    seconds=1.5,
    ledger="/state/ledger.db",
    head="ab" * 32,
    entries=2468,
    verified=True,
    verification="2468 entries are sound",
)


def findings(word: str = "w", many: int = 20) -> Findings:
    """Findings in which every text of the project is the same."""
    return Findings(
        name=word,
        descriptions=(Said(word, word), Said(word + ".", word)),
        files=many,
        lines=1000,
        estimated=0,
        languages=tuple(Language(word + str(i), 1, 50, 0) for i in range(many)),
        licences=(Said(word, word),),
        commands=tuple(
            Command(purpose, f"{word} {i}", word)
            for purpose in ("install", "build", "run", "test", "check")
            for i in range(many)
        ),
        pipelines=tuple(Pipeline(word, (word, word)) for _ in range(many)),
        folders=tuple(Folder(f"{word}{i:02}", 1, many - i, Said(word, word)) for i in range(many)),
        entry_points=tuple(EntryPoint(word, word + "t", word) for _ in range(many)),
        biggest=tuple(Sized(word, 10**i, i) for i in range(many)),
        marks=tuple(Mark(word, i, word) for i in range(many)),
        notes=(word,),
    )


def report(found: Findings) -> Report:
    return Report(root="/project", findings=found, account=ACCOUNT)


def kinds(text: str) -> set[str]:
    found: set[str] = set()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text):
        found.add(token.type)
        found |= {child.type for child in token.children or ()}
    return found


def test_the_report_fits_on_a_screen_and_says_what_it_leaves_out() -> None:
    text = markdown(page(report(findings())))
    assert len(text.splitlines()) <= 36
    assert "## Folders (7 of 20)" in text
    assert "## TODO and FIXME (3 of 20)" in text
    assert "and 14 more" in text  # languages
    assert "scripted planner, no model" in text
    assert ": **1,234 calls** (1 find, 1,233 read), 0 refused, 2 failed, 1.50 s" in text
    assert "2,468 entries verified" in text
    assert kinds(text) <= ALLOWED


def test_full_leaves_nothing_out() -> None:
    text = markdown(page(report(findings()), full=True))
    assert " more" not in text
    assert text.count("- `w") == 40


def test_an_empty_project_is_one_line_and_the_account() -> None:
    nothing = Findings(
        name="e",
        descriptions=(),
        files=0,
        lines=0,
        estimated=0,
        languages=(),
        licences=(),
        commands=(),
        pipelines=(),
        folders=(),
        entry_points=(),
        biggest=(),
        marks=(),
        notes=(),
    )
    text = markdown(page(report(nothing)))
    assert text.startswith("# e\n- **Size:** no files\n\n## How this was found\n")


def test_a_damaged_ledger_is_not_called_verified() -> None:
    broken = replace(ACCOUNT, verified=False, verification="Broken at entry 7: it was changed")
    text = markdown(page(Report(root="/p", findings=findings(), account=broken)))
    assert "Broken at entry 7" in text
    assert "verified" not in text


@pytest.mark.parametrize(
    "hostile",
    [
        "a\nb\r\n# heading",
        "\x1b[31mred\x1b]0;title\x07",
        "\u202eevil\u2066\u200b\ufeff\U000e0041",
        "`` ` ``` ",
        "<script>alert(1)</script><img src=x onerror=y>",
        "[text](javascript:alert(1)) ![i](http://x.example/i.png) [r][r]",
        "https://evil.example www.evil.example a@evil.example @everyone mailto:x@y.example <https://x.example>",
        "**bold** *it* _em_ __x__ ~~no~~ &lt;b&gt; &#60;",
        "\\`escape\\* \\[x](y)",
        "# title",
        "- item",
        "1. item",
        "1) item",
        "> quote",
        "=====",
        "|a|b|\n|-|-|",
        "    code",
        "```\nfence",
        "",
        " ",
        "[x]: http://evil.example",
        "x\x00y\x7f\x9b31m",
    ],
)
def test_no_text_of_a_project_is_markup(hostile: str) -> None:
    for full in (False, True):
        text = markdown(page(report(findings(hostile, many=4)), full=full))
        assert not ACTS.search(text)
        assert kinds(text) <= ALLOWED
        assert text.count("\n") == markdown(page(report(findings("w", many=4)), full=full)).count("\n")


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_no_text_at_all_is_markup(text: str) -> None:
    shown = markdown(page(report(findings(text, many=2))))
    assert not ACTS.search(shown)
    assert kinds(shown) <= ALLOWED


@given(st.text(alphabet="`a \\*", min_size=1, max_size=12))
def test_a_span_of_code_shows_exactly_its_text(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse("x" + code(text) + "x")[1].children or []
    shown = [token.content for token in tokens if token.type == "code_inline"]
    assert shown == ([text] if text.strip() else [])


def test_the_document_is_complete_and_is_json() -> None:
    value = json.loads(json.dumps(document(report(findings()))))
    assert value["root"] == "/project"
    assert len(value["findings"]["marks"]) == 20
    assert value["findings"]["folders"][0] == {
        "path": "w00",
        "depth": 1,
        "files": 20,
        "purpose": {"text": "w", "source": "w"},
    }
    assert value["account"]["planner"] == "scripted planner, no model"
    assert value["account"]["by_tool"] == [["find", 1], ["read", 1233]]
