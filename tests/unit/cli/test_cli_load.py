"""``--from MODULE:ATTR`` takes whatever holds tools, and says what is wrong with anything else."""

import sys
from pathlib import Path

import pytest
from said import Licet

from licet import Runtime
from licet.cli.load import load
from licet.errors import ConfigurationError


@pytest.mark.parametrize("attribute", ["greet", "tools", "spec", "source", "runtime", "registry", "plain"])
def test_everything_that_holds_tools_can_be_named(attribute: str, project: Path, licet: Licet) -> None:
    listed = licet("tools", "--from", f"ours:{attribute}", "--json")
    assert listed.code == 0
    assert {"greet", "plain", "spelt"} & {tool["name"] for tool in listed.document}


def test_a_runtime_is_taken_as_it_is(project: Path) -> None:
    loaded = load("ours:runtime")
    assert isinstance(loaded, Runtime)
    assert isinstance(load("ours:registry"), Runtime)


def test_an_empty_list_of_tools_lists_none(project: Path, licet: Licet) -> None:
    assert licet("tools", "--from", "ours:nothing", "--json").document == []


def test_the_working_directory_is_searched_first(project: Path) -> None:
    (project / "colorsys.py").write_text("def tint(): return {}\n")
    sys.modules.pop("colorsys", None)
    load("colorsys:tint")
    assert Path(sys.modules["colorsys"].__file__ or "") == project / "colorsys.py"


BROKEN = {
    "nowhere:x": "there is no module 'nowhere'",
    "nowhere.deep:x": "there is no module 'nowhere.deep'",
    "ours.py:tools": "there is no module 'ours.py'",
    "ours": "is not MODULE:ATTR",
    "ours:": "is not MODULE:ATTR",
    ":tools": "is not MODULE:ATTR",
    "": "is not MODULE:ATTR",
    "ours:missing": "it has the tools greet",
    "ours:greet.missing": "has no 'greet.missing'",
    "ours:number": "of type int, which holds no tool",
    "ours:Source": "the class Source, which holds no tool",
    "ours:twice": "already registered",
    "ours\udcff:x": "no module",
    "raises:x": "raised RuntimeError at",
    "misspelt:x": "raised SyntaxError at",
    "needs:x": "needs 'not_installed_anywhere', which is not installed",
    "leaves:x": "raised SystemExit at",
    "licetish:x": "raised ConfigurationError at",
    "silent:x": "raised Mute at",
}


@pytest.mark.parametrize("reference", BROKEN)
@pytest.mark.parametrize("command", [("tools",), ("why", "t"), ("call", "t")])
def test_what_cannot_be_loaded_is_a_usage_error_that_says_why(
    reference: str, command: tuple[str, ...], project: Path, home: Path, licet: Licet
) -> None:
    (project / "raises.py").write_text("raise RuntimeError('boom \\x1b[31m')\n")
    (project / "misspelt.py").write_text("def (\n")
    (project / "needs.py").write_text("import not_installed_anywhere\n")
    (project / "leaves.py").write_text("import sys; sys.exit(0)\n")
    (project / "licetish.py").write_text("from licet import tool\ntool(3)\n")
    (project / "silent.py").write_text("class Mute(Exception):\n    def __str__(self): raise OSError\nraise Mute\n")
    said = licet(*command, "--from", reference)
    assert said.code == 2
    assert BROKEN[reference] in said.err
    assert said.out == ""
    assert "\x1b" not in said.err
    assert not home.exists() or reference == "ours:twice"


def test_an_interrupt_while_a_module_is_imported_passes(project: Path, licet: Licet) -> None:
    (project / "stopped.py").write_text("raise KeyboardInterrupt\n")
    assert licet("tools", "--from", "stopped:x").code == 130


def test_what_a_module_prints_stays_out_of_the_document(project: Path, licet: Licet) -> None:
    said = licet("call", "greet", '{"name": "you"}', "--from", "ours:tools", "--grant", "greet", "--json")
    assert said.document["output"] == "hello you"
    assert "said while imported" in said.err
    assert "said in a call" in said.err


def test_a_reference_without_a_colon_is_refused_before_anything_is_imported() -> None:
    with pytest.raises(ConfigurationError, match="MODULE:ATTR"):
        load("os")
