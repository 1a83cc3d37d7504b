"""``licet profile``: tables that stay plain in a pipe, one JSON document, and exit codes as they are documented."""

import json

import pytest

from licet.cli import main

OBSERVE = ["get_contract", "query_data", "simulate", "recommend"]


def test_show_without_a_name_is_every_tool_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "show"]) == 0
    out, err = capsys.readouterr()
    head, *rows = out.splitlines()
    assert head.split("  ")[0] == "tool"
    assert len(rows) == 7
    last = rows[-1].split()
    assert last[:5] == ["execute_decision", "algenta_execute_decision", "write", "no", "yes"]
    assert last[-2:] == ["force", "override_safety"]
    assert "\x1b" not in out
    assert "observe is 4 tools, in read_only, the default" in err
    assert "full is whatever the engine offers" in err


@pytest.mark.parametrize(("name", "count"), [("observe", 4), ("govern", 6), ("execute", 7), ("full", 7)])
def test_show_names_the_tools_of_one_profile(name: str, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "show", name, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [tool["name"] for tool in told["tools"]][:4] == OBSERVE
    assert len(told["tools"]) == count
    assert list(told["profiles"]) == [name]
    assert told["profiles"][name]["default"] is (name == "observe")
    assert (told["prefix"], told["never_model_facing"]) == ("algenta_", ["force", "override_safety"])
    assert all(tool["flat_name"] == f"algenta_{tool['name']}" for tool in told["tools"])


def test_diff_says_what_comes_and_what_goes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", "diff", "observe", "execute"]) == 1
    shown = capsys.readouterr().out.splitlines()
    assert shown[:3] == ["+ plan_decision", "+ log_decision", "+ execute_decision"]
    assert "mode: read_only -> workspace_write" in shown
    assert main(["profile", "diff", "full", "observe", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["adds"], told["removes"]) == ([], ["plan_decision", "log_decision", "execute_decision", "*"])
    assert main(["profile", "diff", "govern", "govern"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "words",
    [("show", "admin"), ("diff", "observe", "x\x1b[31m"), ("diff", "observe"), ("show", "a", "b"), (), ("list",)],
)
def test_what_is_no_profile_and_no_usage_is_two(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profile", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "licet: " in err
    assert "\x1b" not in err
