"""Configurations that the tests write."""

from pathlib import Path

from licet.project.config import Project, Reading, load, reading

WORKING = """\
plugin: mcp
mcpServers:
  git:
    command: uvx
    args: [mcp-server-git==2025.9.25, --token, "${TOKEN}"]
    env:
      AUTHOR: "${AUTHOR:-nobody}"
    cwd: repo
  web:
    type: http
    url: https://example.com/${TENANT}/mcp
    headers: {Authorization: "Bearer ${TOKEN}"}
    timeout: 90000
  off: {command: nothing, disabled: true}
tools:
  mcp/git.*: {read_only: hinted}
  mcp/git.git_reset: {read_only: false, approval: ask}
  mcp/web.search: {read_only: true, idempotent: true, timeout_s: 5}
agents:
  coder:
    mode: workspace-write
    tools:
      - mcp/git.git_status
      - mcp/git.git_log: {repo_path: {equals: .}, max_count: {least: 1, most: 50, optional: true}}
      - read
    globs: ["mcp/git.git_*", "re*"]
    groups: [read_only_builtins]
    roots: [., ../shared]
    names: {mcp/git.git_status: status}
    max_calls: 200
  reader:
    tools: [mcp/web.search]
limits:
  output_bytes: 100000
  mcp: {connect_s: 5}
"""


def write(folder: Path, text: str) -> Path:
    """A ``licet.yaml`` in the folder."""
    path = folder / "licet.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def loaded(folder: Path, text: str) -> Project:
    return load(write(folder, text))


def read(folder: Path, text: str) -> Reading:
    return reading(write(folder, text))


def told(folder: Path, text: str) -> list[str]:
    """Every problem, as a person reads it, from the line on."""
    found = read(folder, text)
    return [found.source.told(*problem).partition("licet.yaml:")[2] for problem in found.problems]
