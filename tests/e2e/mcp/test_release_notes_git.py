"""The release notes with a git server that somebody else wrote, named in the project's own configuration."""

import json
import subprocess
from pathlib import Path

import pytest
from process import environment, licet

import licet as package
from peers.servers import GIT

WHO = ("-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A clone, which has hardly any log of its own, with a configuration that names a git server."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q")
    for subject in ("Add spam", "Fix the eggs", "Remove ham"):
        git(origin, *WHO, "commit", "-q", "--allow-empty", "-m", subject)
        if subject == "Add spam":
            git(origin, "tag", "v1.0.0")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    folder = tmp_path / "clone"
    command = GIT.command(tmp_path)[0]
    text = f"mcpServers:\n  git: {{command: {command}, args: [--repository, .]}}\nagents: {{}}\n"
    (folder / "licet.yaml").write_text(text + "tools:\n  mcp/git.git_log: {read_only: true}\n")
    (folder / "config" / "agents").mkdir(parents=True)
    ours = (Path(package.__file__).parent / "config" / "agents" / "release-notes.yaml").read_text()
    (folder / "config" / "agents" / "release-notes.yaml").write_text(
        ours.replace("tools:\n", "tools:\n  - mcp/git.git_log\n")
    )
    return folder


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=folder, env=environment(folder), check=True)


def test_the_changes_come_from_the_git_server_that_was_granted(repository: Path) -> None:
    untrusted = licet(repository, "run", "release-notes")
    assert (untrusted.returncode, "licet trust" in untrusted.stderr) == (2, True)
    assert licet(repository, "trust", "--yes").returncode == 0
    ran = licet(repository, "run", "release-notes")
    assert ran.returncode == 0, ran.stderr
    assert "mcp/git is pinned for this run only" in ran.stderr
    run_id = next(line.split()[1] for line in ran.stderr.splitlines() if line.startswith("run "))
    calls = json.loads(licet(repository, "runs", run_id, "--json").stdout)["calls"]
    assert ("mcp/git.git_log", "completed") in [(call["tool"], call["outcome"]) for call in calls]
    told = licet(repository, "resume", "last", "1.1.0")
    assert told.returncode == 0, told.stderr
    assert "# Release 1.1.0\n\n2 changes since v1.0.0." in told.stdout
    assert "- Fix the eggs\n" in told.stdout
    assert "Add spam" not in told.stdout
