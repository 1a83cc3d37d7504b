"""How a server's process is started."""

import asyncio
import os
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest

from licet.sources.mcp import spawn
from licet.sources.mcp.child import Child
from licet.sources.mcp.keeper import Keeper


def ended(started: "Future[spawn.Started]") -> tuple[int, bytes]:
    child = started.result(10)
    said = child.process.communicate(timeout=10)[0]
    spawn.forget(child.process.pid).result(10)
    return child.process.returncode, said


@pytest.fixture(params=["setpriv", "no setpriv", "no linux"])
def leash(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "no setpriv":
        monkeypatch.setattr(spawn, "_setpriv", lambda: None)
    if request.param == "no linux":
        monkeypatch.setattr(sys, "platform", "darwin")
    return str(request.param)


def test_arguments_arrive_as_they_are_and_no_shell_reads_them(leash: str, tmp_path: Path) -> None:
    args = (
        "-c",
        "import sys; print(sys.argv[1:])",
        "--",
        "-x",
        "$HOME",
        "a b",
        "; touch " + str(tmp_path / "x"),
        "",
        "*",
    )
    status, said = ended(spawn.start(sys.executable, args, None, {}))
    assert status == 0
    assert eval(said) == list(args[2:])  # noqa: S307 - our own text
    assert not list(tmp_path.iterdir())


def test_it_leads_a_session_of_its_own(leash: str) -> None:
    code = "import os; print(os.getpid() == os.getsid(0) == os.getpgid(0))"
    assert ended(spawn.start(sys.executable, ("-c", code), None, {}))[1] == b"True\n"


def test_its_working_directory_is_the_one_that_was_said(leash: str, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!{sys.executable}\nimport os; print(os.getcwd())")
    tool.chmod(0o755)
    assert ended(spawn.start("./tool", (), str(tmp_path), {}))[1].decode().strip() == str(tmp_path)


@pytest.mark.parametrize("command", ["no-such-thing", "./no-such-thing", "/etc", "/etc/passwd"])
def test_a_command_that_cannot_run_is_found_before_anything_is_started(
    command: str, leash: str, tmp_path: Path
) -> None:
    with pytest.raises(FileNotFoundError):
        spawn.start(command, (), str(tmp_path), {}).result(10)


def test_a_folder_that_does_not_exist_is_no_working_directory(leash: str) -> None:
    with pytest.raises(FileNotFoundError, match="working directory"):
        spawn.start("true", (), "/no/such/folder", {}).result(10)


def test_the_path_is_the_child_s_own(tmp_path: Path) -> None:
    tool = tmp_path / "only-here"
    tool.write_text("#!/bin/sh\nexit 7\n")
    tool.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert ended(spawn.start("only-here", (), None, {"PATH": path}))[0] == 7


def test_six_variables_are_shared_and_the_depth_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    monkeypatch.setenv("SHELL", "() { :; }")
    monkeypatch.setenv("LICET_DEPTH", "4")
    seen = spawn.environment({"MINE": "1"})
    assert "SECRET" not in seen
    assert "SHELL" not in seen
    assert seen["MINE"] == "1"
    assert seen["LICET_DEPTH"] == "5"
    monkeypatch.setenv("LICET_DEPTH", "nonsense")
    assert spawn.environment({})["LICET_DEPTH"] == "1"


def test_a_child_is_killed_and_reaped_without_a_loop_and_twice() -> None:
    child = Child(spawn.start("sleep", ("600",), None, {}).result(10), 100)
    assert child.is_alive()
    child.kill()
    assert not child.is_alive()
    assert child.status == -9
    child.kill()
    assert child.stdin.closed
    assert child.stdout.closed
    assert child.stderr.closed


async def test_of_its_standard_error_only_the_last_is_kept() -> None:
    code = "import sys; sys.stderr.write('a' * 5000 + 'the end')"
    child = Child(await asyncio.wrap_future(spawn.start(sys.executable, ("-c", code), None, {})), 100)
    while child.hear() >= 0:
        pass
    assert child.words == "a" * 93 + "the end"
    child.kill()


def test_the_shell_that_looks_after_groups_lives_as_long_as_there_are_any() -> None:
    one, other = (Child(spawn.start("sleep", ("600",), None, {}).result(10), 100) for _ in range(2))
    keeper = spawn._starter().keeper
    shell = keeper._shell
    assert shell is not None
    one.kill()
    spawn.forget(one.pid).result(10)
    assert shell.poll() is None
    other.kill()
    spawn.forget(other.pid).result(10)
    assert shell.poll() == 0
    assert keeper._shell is None


def test_a_shell_that_hears_no_more_kills_what_it_holds_and_nothing_else() -> None:
    held, released = (subprocess.Popen(["sleep", "600"], start_new_session=True) for _ in range(2))
    keeper = Keeper()
    for child in (held, released):
        keeper.hold(child.pid)
    keeper._tell("-", released.pid)
    assert keeper._shell is not None
    assert keeper._shell.stdin is not None
    keeper._shell.stdin.close()
    assert held.wait(10) == -9
    keeper._shell.wait(10)
    assert released.poll() is None
    released.kill()
    released.wait()
