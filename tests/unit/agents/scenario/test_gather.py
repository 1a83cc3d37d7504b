"""Where scenarios and manifests come from: the project's own files, once trusted, then those that come with licet."""

import os
from pathlib import Path

import pytest

from licet.agents.scenario.gather import gather, place_of
from licet.errors import ConfigurationError
from licet.project.scenario import FOLDER
from licet.project.shelf import Shelf
from licet.project.trust import trust

OWN = """\
name: mine
goal: A goal.
default_seed: one
cast: [fortune-teller, helper]
genesis_text: It begins.
governor: {max_turns: 2, max_calls_per_turn: 1, max_total_calls: 2, max_total_tokens: 9000}
"""
HELPER = "name: helper\nmay_emit: [helper.said]\n"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "home" / "state"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "config" / "agents").mkdir(parents=True)
    (root / FOLDER).mkdir()
    (root / "licet.yaml").write_text("agents: {}\n")
    (root / FOLDER / "mine.yaml").write_text(OWN)
    (root / "config" / "agents" / "helper.yaml").write_text(HELPER)
    return root


def test_a_trusted_project_brings_its_own_and_the_rest_comes_with_licet(project: Path, state: Path) -> None:
    trust(project / "licet.yaml", state)
    found = gather("mine", Shelf(project, state))
    assert [manifest.name for manifest in found.cast] == ["fortune-teller", "helper"]
    assert [manifest.source.name for manifest in found.cast if manifest.source] == [
        "licet/config/agents/fortune-teller.yaml",
        str(project / "config/agents/helper.yaml"),
    ]
    assert gather("oracle-grove", Shelf(project, state)).scenario.name == "oracle-grove"


@pytest.mark.requirement("own.configuration-trust")
def test_no_file_of_a_project_is_used_before_it_is_trusted_and_after_it_was_changed(project: Path, state: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"is not trusted: .*licet trust"):
        gather("mine", Shelf(project, state))
    trust(project / "licet.yaml", state)
    shelf = Shelf(project, state)
    gather("mine", shelf)
    (project / "config" / "agents" / "helper.yaml").write_text(HELPER + "tools: [write]\n")
    with pytest.raises(ConfigurationError, match=r"config/agents/helper\.yaml"):
        gather("mine", Shelf(project, state))
    with pytest.raises(ConfigurationError, match="changed since it was looked at"):
        gather("mine", shelf)


def test_a_projects_file_stands_before_licets_own_of_that_name_trusted_or_not(project: Path, state: Path) -> None:
    own = (project / FOLDER / "mine.yaml").read_text().replace("mine", "oracle-grove")
    (project / FOLDER / "oracle-grove.yaml").write_text(own)
    with pytest.raises(ConfigurationError, match="licet trust"):
        gather("oracle-grove", Shelf(project, state))
    trust(project / "licet.yaml", state)
    assert gather("oracle-grove", Shelf(project, state)).scenario.cast == ("fortune-teller", "helper")
    assert gather("oracle-grove", Shelf(None)).scenario.cast == ("fortune-teller", "scene-whisperer")


def test_without_a_licet_yaml_nothing_can_be_trusted_and_that_is_said(project: Path, state: Path) -> None:
    (project / "licet.yaml").unlink()
    with pytest.raises(ConfigurationError, match=r"no licet.yaml to trust it with: .*licet trust"):
        gather("mine", Shelf(project, state))
    assert gather("oracle-grove", Shelf(project, state)).scenario.name == "oracle-grove"


def test_a_link_is_no_file_of_a_project(project: Path, state: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.yaml").write_text(OWN.replace("mine", "linked"))
    os.symlink(tmp_path / "outside.yaml", project / FOLDER / "linked.yaml")
    with pytest.raises(ConfigurationError):
        gather("linked", Shelf(project, state))


def test_a_name_that_there_is_not_is_told_with_the_nearest_that_there_is(project: Path, state: Path) -> None:
    shelf = Shelf(project, state)
    with pytest.raises(ConfigurationError, match='there is no scenario "oracle-grov"; did you mean oracle-grove'):
        gather("oracle-grov", shelf)
    with pytest.raises(ConfigurationError, match="there are explore, mine, oracle-grove"):
        gather("../../etc/passwd", shelf)
    with pytest.raises(ConfigurationError, match="there is no scenario"):
        gather("zzz", shelf)


@pytest.mark.requirement("grove.from-files")
def test_a_member_of_the_cast_that_there_is_not_is_told_with_file_and_key(project: Path, state: Path) -> None:
    (project / FOLDER / "mine.yaml").write_text(OWN.replace("helper", "helpr"))
    trust(project / "licet.yaml", state)
    with pytest.raises(ConfigurationError, match=r'mine.yaml:4: cast\[1\]: .*"helpr"; did you mean helper\?'):
        gather("mine", Shelf(project, state))


def test_a_manifest_that_is_wrong_is_told_with_file_and_key(project: Path, state: Path) -> None:
    (project / "config" / "agents" / "helper.yaml").write_text("name: helper\nhandlr: x\n")
    trust(project / "licet.yaml", state)
    with pytest.raises(ConfigurationError, match=r"helper.yaml:2: handlr: there is no such key; did you mean handler"):
        gather("mine", Shelf(project, state))


def test_a_path_means_the_project_that_it_lies_in(project: Path) -> None:
    assert place_of(str(project / FOLDER / "mine.yaml")) == (project, "mine")


@pytest.mark.parametrize("path", ["none.yaml", "elsewhere.yaml", "config/scenarios/text.txt"])
def test_a_path_to_another_place_is_refused(project: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.chdir(project)
    (project / "elsewhere.yaml").write_text(OWN)
    (project / FOLDER / "text.txt").write_text(OWN)
    with pytest.raises(ConfigurationError, match=r"there is no such file|licet trust"):
        place_of(path)
