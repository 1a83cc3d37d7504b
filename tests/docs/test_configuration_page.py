"""The page on configuration shows a file that loads, and every finding that there is."""

import json
import re
from pathlib import Path

from licet.policy.argument_rule import Rule
from licet.project.config import load
from licet.project.inspection.finding import CODES
from licet.project.inspection.inspect import inspect
from licet.project.shape import schema
from licet.project.yaml_events import MAX_DEPTH, MAX_TOKENS
from licet.project.yaml_file import MAX_BYTES

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "configuration.md").read_text("utf-8")
SAMPLE = ROOT / "docs" / "samples" / "licet.yaml"


def test_the_example_loads_and_only_has_no_lock_yet(tmp_path: Path) -> None:
    copy = tmp_path / "licet.yaml"
    copy.write_text(SAMPLE.read_text("utf-8"))
    project = load(copy)
    assert [finding.code for finding in inspect(copy).findings] == ["unpinned"]
    grants = {grant.tool: grant.rules for grant in project.agents["coder"].tools}
    assert len(grants) == 5
    assert grants["mcp/git.git_log"] == (Rule("/repo_path", equals="."), Rule("/max_count", most=50, optional=True))
    assert '--8<-- "licet.yaml"' in PAGE


def test_the_other_fragments_load(tmp_path: Path) -> None:
    blocks = [block for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL) if "licet.yaml" not in block]
    rules, limits, _hook = blocks
    copy = tmp_path / "licet.yaml"
    copy.write_text("agents:\n  a:\n    " + rules.replace("\n", "\n    ") + "\n" + limits)
    assert len(load(copy).agents["a"].tools) == 2


def test_the_table_of_findings_is_whole() -> None:
    listed = dict(re.findall(r"^\| `([a-z_]+)` \| ([^|]+) \|$", PAGE.partition("## Check")[2], re.MULTILINE))
    assert listed == CODES


def test_every_key_of_words_rules_and_agents_is_on_the_page() -> None:
    for part in ("word", "rule", "agent"):
        for key in schema()["$defs"][part]["properties"]:
            assert f"`{key}" in PAGE, f"{part}: {key}"


def test_the_limits_of_a_file_are_those_in_force() -> None:
    assert f"more than {MAX_BYTES // 1024} KiB, {MAX_TOKENS:,} words and signs, or {MAX_DEPTH} lists" in PAGE


def test_the_error_on_the_page_is_the_error_that_is_said(tmp_path: Path) -> None:
    copy = tmp_path / "licet.yaml"
    copy.write_text(json.dumps({"agents": {"coder": {"tools": ["mcp/git.*"]}}}))
    (finding,) = inspect(copy).findings
    shown = re.search(r"licet.yaml:14: (agents.coder.*)", PAGE)
    assert shown is not None
    assert shown[1] == finding.text
