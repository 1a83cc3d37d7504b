"""Manifests by their names: the project's own, once they are trusted, before those that come with licet."""

from pathlib import Path

import pytest

from licet.agents import manifests
from licet.errors import ConfigurationError
from licet.project.shelf import Shelf
from licet.project.trust import trust

MINE = "name: {name}\nroots: [.]\nmay_emit: [a.b]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "config" / "agents").mkdir(parents=True)
    (folder / "licet.yaml").write_text("agents: {}\n")
    return folder


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def write(project: Path, name: str, text: str = MINE) -> None:
    (project / "config" / "agents" / f"{name}.yaml").write_text(text.format(name=name))


@pytest.mark.requirement("grove.from-files")
def test_the_projects_own_file_comes_first_and_its_roots_start_from_the_project(project: Path, state: Path) -> None:
    write(project, "fortune-teller")
    trust(project / "licet.yaml", state)
    mine, theirs = manifests(["fortune-teller", "scene-whisperer"], Shelf(project, state))
    assert (mine.handler, mine.may_emit, mine.roots) == ("generic", ("a.b",), (str(project),))
    assert theirs.handler == "generic"
    assert theirs.source is not None
    assert theirs.source.name == "licet/config/agents/scene-whisperer.yaml"


@pytest.mark.requirement("grove.from-files")
def test_a_file_of_the_project_is_inert_until_it_is_trusted_and_after_each_change(project: Path, state: Path) -> None:
    write(project, "mine")
    with pytest.raises(ConfigurationError, match="licet trust"):
        manifests(["mine"], Shelf(project, state))
    trust(project / "licet.yaml", state)
    assert manifests(["mine"], Shelf(project, state))
    write(project, "mine", MINE + "tools: [oracle]\n")
    with pytest.raises(ConfigurationError, match=r"config/agents/mine.yaml changed.*licet trust"):
        manifests(["mine"], Shelf(project, state))
    assert manifests(["fortune-teller"], Shelf(project, state)), "what came with licet needs no yes"


def test_a_folder_without_licet_yaml_has_nothing_to_trust_its_manifests_with(project: Path, state: Path) -> None:
    write(project, "mine")
    (project / "licet.yaml").unlink()
    with pytest.raises(ConfigurationError, match=r"there is no licet.yaml to trust it with: write one"):
        manifests(["mine"], Shelf(project, state))


def test_an_agent_that_nobody_wrote_is_refused_with_the_nearest(project: Path, state: Path) -> None:
    with pytest.raises(
        ConfigurationError, match=r'no agent "fortune-tellr" in config/agents; did you mean fortune-tel'
    ):
        manifests(["fortune-tellr"], Shelf(project, state))
    for name in ("", ".", "..", "../agents/fortune-teller", "/etc/passwd", "fortune-teller.yaml", "x\0y"):
        with pytest.raises(ConfigurationError, match="there is no agent"):
            manifests([name], Shelf(project, state))


@pytest.mark.parametrize("own", [True, False])
def test_a_name_in_licet_yaml_and_in_a_manifest_is_refused(project: Path, state: Path, own: bool) -> None:
    (project / "licet.yaml").write_text("agents:\n  fortune-teller: {tools: [ls]}\n")
    if own:
        write(project, "fortune-teller")
    trust(project / "licet.yaml", state)
    with pytest.raises(
        ConfigurationError, match=r'licet.yaml has an agent "fortune-teller" on line 2 already; keep one'
    ):
        manifests(["fortune-teller"], Shelf(project, state))


def test_without_a_project_there_are_those_that_come_with_licet_and_nothing_else_is_looked_at(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "licet.yaml").write_text("agents:\n  fortune-teller: {tools: [ls]}\n")
    write(project, "scene-whisperer")
    monkeypatch.chdir(project)
    teller, whisperer = manifests(["fortune-teller", "scene-whisperer"], Shelf(None))
    assert (teller.handler, whisperer.may_emit) == ("fortune-teller", ("world.observed",))


def test_names_of_handlers_and_models_are_those_that_somebody_registered(project: Path, state: Path) -> None:
    write(project, "mine", MINE + "handler: mine\nmodel: mine\n")
    trust(project / "licet.yaml", state)
    with pytest.raises(ConfigurationError, match='there is no handler "mine"'):
        manifests(["mine"], Shelf(project, state))
    [held] = manifests(["mine"], Shelf(project, state), handlers=["mine"], models=["mine"])
    assert (held.handler, held.model) == ("mine", "mine")
