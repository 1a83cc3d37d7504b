"""Servers that other people wrote: how each is started, what it lists, one call that it answers."""

import json
import os
import re
import select
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from peers.installed import HERE, MCP1, MCP2, NODE, OURS, PYTHON

LEGACY, MODERN = "2025-11-25", "2026-07-28"
PATIENCE_S = 60.0

Told = Callable[[], str]


class Peer(NamedTuple):
    """A server over stdio. ``granted`` is called with ``arguments`` and answers with ``says`` somewhere in its text."""

    id: str
    era: str
    command: "Callable[[Path], tuple[str, ...]]"
    tools: frozenset[str]
    granted: str
    arguments: "Callable[[Path], Mapping[str, Any]]"
    says: str
    ungranted: str
    env: "Callable[[Path], Mapping[str, str]]" = lambda folder: {}


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def repository(folder: Path) -> Path:
    """A git repository with one file that is not in it, made on first use."""
    path = folder / "repository"
    if not path.exists():
        path.mkdir()
        quiet = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "init", "--quiet", "--initial-branch=main", "."], cwd=path, env=quiet, check=True)
        (path / "new.txt").write_text("new\n")
    return path


def texts(folder: Path) -> Path:
    path = folder / "texts"
    path.mkdir(exist_ok=True)
    (path / "a.txt").write_text("what stands in a\n")
    return path


EVERYTHING = Peer(
    "everything",
    LEGACY,
    lambda folder: (NODE, str(OURS / "server-everything" / "dist" / "index.js"), "stdio"),
    words(
        "echo get-annotated-message get-env get-resource-links get-resource-reference get-structured-content get-sum "
        "get-tiny-image gzip-file-as-resource toggle-simulated-logging toggle-subscriber-updates "
        "trigger-long-running-operation"
    ),
    "echo",
    lambda folder: {"message": "hello from afar"},
    "hello from afar",
    "get-env",
)
FILESYSTEM = Peer(
    "filesystem",
    LEGACY,
    lambda folder: (NODE, str(OURS / "server-filesystem" / "dist" / "index.js"), str(texts(folder))),
    words(
        "read_file read_text_file read_media_file read_multiple_files write_file edit_file create_directory "
        "list_directory list_directory_with_sizes directory_tree move_file search_files get_file_info "
        "list_allowed_directories"
    ),
    "read_text_file",
    lambda folder: {"path": str(texts(folder) / "a.txt")},
    "what stands in a",
    "write_file",
)
MEMORY = Peer(
    "memory",
    LEGACY,
    lambda folder: (NODE, str(OURS / "server-memory" / "dist" / "index.js")),
    words(
        "create_entities create_relations add_observations delete_entities delete_observations delete_relations "
        "read_graph search_nodes open_nodes"
    ),
    "read_graph",
    lambda folder: {},
    "entities",
    "delete_entities",
    lambda folder: {"MEMORY_FILE_PATH": str(folder / "memory.jsonl")},
)
GIT = Peer(
    "git",
    MODERN,
    lambda folder: (str(MCP2 / "mcp-server-git"), "--repository", str(repository(folder))),
    words(
        "git_status git_diff_unstaged git_diff_staged git_diff git_commit git_add git_reset git_log "
        "git_create_branch git_checkout git_show git_branch"
    ),
    "git_status",
    lambda folder: {"repo_path": str(repository(folder))},
    "new.txt",
    "git_commit",
    lambda folder: {"PATH": os.environ["PATH"], "HOME": str(folder)},
)
TIME = Peer(
    "time",
    MODERN,
    lambda folder: (str(MCP2 / "mcp-server-time"), "--local-timezone", "Europe/Berlin"),
    words("get_current_time convert_time"),
    "get_current_time",
    lambda folder: {"timezone": "Asia/Tokyo"},
    "Asia/Tokyo",
    "convert_time",
)
SQLITE = Peer(
    "sqlite",
    LEGACY,
    lambda folder: (str(MCP1 / "mcp-server-sqlite"), "--db-path", str(folder / "facts.db")),
    words("read_query write_query create_table list_tables describe_table append_insight"),
    "read_query",
    lambda folder: {"query": "select 6 * 7 as answer"},
    "42",
    "write_query",
)
STDIO = (EVERYTHING, FILESYSTEM, MEMORY, GIT, TIME, SQLITE)


def relayed(command: tuple[str, ...], log: Path, *options: "str | Path") -> tuple[str, ...]:
    """The same server with a relay before it, which writes down what reaches the server."""
    return (PYTHON, str(HERE / "relay.py"), "--log", str(log), *map(str, options), *command)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@contextmanager
def listening(command: "tuple[str, ...]", port: int, **options: Any) -> Iterator["Told"]:
    """A server process of the caller's; inside, its port answers. It gives what the process tells standard error."""
    with TemporaryFile("w+") as told:
        process = subprocess.Popen(command, stderr=told, stdin=subprocess.DEVNULL, text=True, **options)

        def so_far() -> str:
            told.seek(0)
            return told.read()

        try:
            until_open(process, port, so_far)
            yield so_far
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def until_open(process: "subprocess.Popen[str]", port: int, told: Told) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, told()
        select.select([], [], [], 0.02)
    raise AssertionError(f"nothing listens on port {port} after {PATIENCE_S:g} s: {told()}")


@contextmanager
def everything_over_http() -> Iterator[str]:
    """The URL of a server-everything of its own."""
    port = free_port()
    command = (*EVERYTHING.command(Path())[:-1], "streamableHttp")
    with listening(command, port, env={"PATH": os.environ["PATH"], "PORT": str(port)}, stdout=subprocess.DEVNULL):
        yield f"http://127.0.0.1:{port}/mcp"


def text_of(blocks: tuple[Mapping[str, Any], ...]) -> str:
    """The text of a result, and what it says as JSON, as one."""
    return re.sub(r"\s+", " ", " ".join(block.get("text", json.dumps(block)) for block in blocks))
