"""The official conformance suite against ``licet serve``, in front of a server that has what the suite calls."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from peers.conformance import MUST_PASS, Run, run
from peers.installed import HERE, PYTHON, peers  # noqa: F401 - installs it
from peers.servers import LEGACY, MODERN, free_port, listening
from peers.serving import Project, made

BASELINE = Path(__file__).parent / "baseline.yml"
ALLOWED = (
    "resources-",
    "sep-2164-resource-",
    "prompts-",
    "completion-",
    "logging-",
    "tools-call-with-logging",
    "tools-call-sampling",
    "tools-call-elicitation",
    "elicitation-",
    "input-required-",
    "caching",
    "http-custom-header-",
)
FIXTURE = str(HERE / "fixture.py")
TOOLS = (
    *("test_simple_text", "test_image_content", "test_audio_content", "test_embedded_resource"),
    *("test_multiple_content_types", "test_error_handling", "test_tool_with_progress", "json_schema_2020_12_tool"),
    *("test_sampling", "test_elicitation", "test_missing_capability", "test_streaming_elicitation"),
    *("test_logging_tool", "test_reconnection", "test_trigger_tool_change"),
)
ERAS = pytest.mark.parametrize("era", [LEGACY, MODERN])
UPSTREAMS = {MODERN: ("stdio",), LEGACY: ("stdio", "--legacy")}


def expected() -> list[str]:
    """The scenarios of the baseline."""
    return [line.split("- ", 1)[1].strip() for line in BASELINE.read_text().splitlines() if line.startswith("  - ")]


def project(folder: Path, upstream: str, *, named: bool) -> Project:
    fixture = {"command": PYTHON, "args": [FIXTURE, *UPSTREAMS[upstream]]}
    names = {f"mcp/fixture.{tool}": tool for tool in TOOLS}
    return made(folder / "project", {"fixture": fixture}, tuple(names), names if named else None)


@pytest.fixture(scope="module")
def fixture_url() -> Iterator[str]:
    port = free_port()
    with listening((PYTHON, FIXTURE, str(port)), port):
        yield f"http://127.0.0.1:{port}/mcp"


@pytest.fixture(scope="module", params=[LEGACY, MODERN], ids=lambda era: f"upstream {era}")
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Served]":
    """licet before the fixture of one era."""
    folder = tmp_path_factory.mktemp("served")
    with project(folder, request.param, named=True).over_http() as (url, _):
        yield Served(url, folder)


class Served:
    """The URL of licet, and a run of the suite for each era, made when it is first asked for."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._folder = folder
        self._runs: dict[str, Run] = {}

    def run(self, era: str) -> Run:
        if era not in self._runs:
            self._runs[era] = run(self.url, era, self._folder / era, "--expected-failures", BASELINE)
        return self._runs[era]


def wanting(found: Run, era: str) -> dict[str, list[str]]:
    """What must pass in an era and did not, with the reasons."""
    never = {scenario: ["it did not run"] for scenario in MUST_PASS[era] - found.scenarios}
    return {scenario: checks for scenario, checks in found.bad.items() if scenario in MUST_PASS[era]} | never


@ERAS
def test_the_suite_passes_on_the_fixture_itself(era: str, fixture_url: str, tmp_path: Path) -> None:
    """The control of the harness: what licet is asked for below is there to be passed on."""
    found = run(fixture_url, era, tmp_path)
    assert wanting(found, era) == {}


@ERAS
@pytest.mark.requirement("mcp.streamable-http")
def test_licet_serve_conforms_to_both_eras_before_upstreams_of_both(era: str, served: Served) -> None:
    found = served.run(era)
    assert wanting(found, era) == {}
    assert {name: checks for name, checks in found.bad.items() if name not in expected()} == {}
    assert found.code == 0, found.output


def test_the_baseline_names_only_what_no_agents_surface_has_and_nothing_that_passes(served: Served) -> None:
    assert [name for name in expected() if not name.startswith(ALLOWED)] == []
    red = {name for era in (LEGACY, MODERN) for name in served.run(era).bad}
    assert [name for name in expected() if name not in red] == []


def test_a_stale_entry_of_the_baseline_fails_the_run(served: Served, tmp_path: Path) -> None:
    """The control of the baseline: one more entry, that passes."""
    stale = tmp_path / "stale.yml"
    stale.write_text(BASELINE.read_text() + "  - tools-list\n")
    options = ("--scenario", "tools-list", "--expected-failures", stale)
    found = run(served.url, LEGACY, tmp_path / "results", *options)
    assert (found.code, found.bad) == (1, {}), found.output


def test_without_chosen_names_the_suite_finds_none_of_its_tools(tmp_path: Path) -> None:
    """The control of the names: it is they that let the suite call through licet."""
    with project(tmp_path, MODERN, named=False).over_http() as (url, _):
        found = run(url, MODERN, tmp_path / "results")
    assert {name for name in MUST_PASS[MODERN] if name.startswith("tools-call-")} <= set(found.bad)
    assert "tools-list" not in found.bad
