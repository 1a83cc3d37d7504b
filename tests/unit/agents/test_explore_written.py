"""A model's Markdown as lines of a report: its headings, items and code stay; nothing else of it acts."""

import pytest
from markdown_it import MarkdownIt

from licet.agents.explore.fact import Account, Report, Told
from licet.agents.explore.line import Line, Piece
from licet.agents.explore.markdown import markdown
from licet.agents.explore.page import page
from licet.agents.explore.written import MOST_CHARACTERS, MOST_LINES, written


def kinds(text: str) -> list[str]:
    return [line.kind for line in written(text)]


def test_headings_items_quotations_and_code_are_kept() -> None:
    text = "## Head ##\n\n- one `code` and **strong**\n2. two\n> said\nplain\n\n---\n```sh\nmake # all\n```\nend"
    assert kinds(text) == ["heading", "empty", "item", "item", "quote", "text", "empty", "item", "text"]
    assert markdown(written("- one `code` and **strong** __too__")) == "- one `code` and **strong** **too**\n"
    assert next(iter(written("## Head ##"))) == Line("heading", (Piece("text", "Head"),))


@pytest.mark.parametrize(
    "acting",
    [
        "[a link](http://evil.example)",
        "![an image](http://evil.example/x.png)",
        "<img src=x onerror=alert(1)>",
        "<script>alert(1)</script>",
        "http://evil.example/?stolen",
        "[ref]: http://evil.example",
        "| a | b |",
        "~~gone~~",
        "&lt;script&gt;",
        "`` unclosed <b>",
        "# heading <b>bold</b>",
        "- item <b>bold</b> [x](y)",
        "> quote <b> @someone",
        "** <b> **",
        "```\n<b>`` ` ```\n",
        "mail@evil.example",
    ],
)
def test_nothing_of_it_acts(acting: str) -> None:
    shown = markdown(written(acting))
    reader = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    tokens = [part for token in reader.parse(shown) for part in (token, *(token.children or []))]
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_inline", "html_block", "link_open", "image", "table_open", "s_open", "fence"}
    assert not any("://" in token.content for token in tokens if token.type == "text"), "nor is it made a link of"


def test_control_and_direction_characters_are_shown() -> None:
    shown = markdown(written("a \x1b[31m b \u202e c\x07\n`\x1b]0;t\x07`"))
    assert not any(acting in shown for acting in ("\x1b", "\u202e", "\x07"))
    assert "\\u001b" in shown


def test_what_is_long_is_cut_and_says_so() -> None:
    lines = list(written("x\n" * 5_000))
    assert len(lines) == MOST_LINES + 1
    assert lines[-1].pieces[0].text == "... and 4,600 lines more"
    (long,) = written("y" * 100_000)
    assert len(long.pieces[0].text) == MOST_CHARACTERS
    assert len(markdown(written("*" * 100_000 + "\n" + "`" * 100_000 + "\n" + "_" * 100_000))) < 20_000


def test_who_wrote_it_and_that_it_is_not_finished_stand_below() -> None:
    account = Account(
        planner="openai:m",
        run_id="s1",
        principal="explorer",
        mode="read_only",
        calls=0,
        by_tool=(),
        refused=0,
        failed=0,
        seconds=1.0,
        ledger="/l.db",
        head="00",
        entries=3,
        verified=True,
        verification="",
    )
    told = Told(model="openai:m", text="", own=True, calls=0, refused=0, failed=0, stop="max_tokens", tokens=(1_234, 5))
    shown = markdown(page(Report(root="/a/spam", findings=None, account=account, told=told)))
    assert shown.startswith("# spam\n\nIt says nothing.\n")
    assert "- **Written by:** `openai:m`; nobody checked it" in shown
    assert "- **Not finished:** it was stopped by max tokens" in shown
    assert "- **Tokens:** 1,234 sent, 5 written" in shown
    assert "**0 calls**, 0 refused" in shown
