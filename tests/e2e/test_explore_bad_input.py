"""``licet explore`` where PATH is nothing to explore, or holds what would hurt a careless reader."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from exploring import Explore, bound_by_permissions, document

# --- what PATH may be ---


def test_a_path_that_is_no_folder_is_refused_before_anything_happens(
    explore: Explore, tmp_path: Path, home: Path
) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "fifo")
    for name, problem in {
        "missing": "does not exist",
        "file": "is not a directory",
        "dangling": "is not a directory",
        "loop": "is not a directory",
        "fifo": "is not a directory",
        "nul\0": "does not exist",
        "x" * 5000: "does not exist",
    }.items():
        said = explore(tmp_path / name)
        assert said.code == 2
        assert problem in said.err
        assert "licet explore PATH" in said.err
        assert said.out == ""
    assert explore("").code == 2
    assert not home.exists()


def test_an_empty_folder_is_a_short_report(explore: Explore, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = explore(tmp_path / "empty")
    assert said.code == 0
    assert said.out.startswith("# empty\n- **Size:** no files\n")


def test_a_link_to_a_folder_is_explored(explore: Explore, project: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(project)
    assert document(explore(tmp_path / "link", "--json"))["findings"]["name"] == "spam"


def test_the_working_directory_is_the_default(explore: Explore, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert document(explore("--json"))["root"] == str(project)


def test_a_folder_that_may_not_be_read_is_refused(home: Path, closed: Path) -> None:
    said = bound_by_permissions(home, closed)
    assert (said.code, said.out) == (2, "")
    assert "cannot be read" in said.err
    assert not home.exists()


def test_what_may_not_be_read_inside_is_counted_and_the_rest_is_explored(
    home: Path, project: Path, closed: Path
) -> None:
    (project / "secret.py").write_text("x\n")
    (project / "secret.py").chmod(0)
    closed = closed.rename(project / "closed")
    found = document(bound_by_permissions(home, project, "--json"))["findings"]
    closed.rename(project.parent / "closed")
    assert found["name"] == "spam"
    assert any("not readable 1" in note for note in found["notes"])
    assert any("Folders that could not be entered" in note for note in found["notes"])


# --- what may stand in it ---


def test_hostile_names_and_contents_never_act(explore: Explore, tmp_path: Path) -> None:
    root = tmp_path / "hostile\x1b[31m\n"
    root.mkdir()
    for name in (
        "new\nline.py",
        "esc\x1b]0;title\x07.py",
        "bidi\u202eyp.py",
        "`tick`.py",
        "[link](http:\\x.example).md",
        "<img src=x>.html",
        "-rf",
        " space ",
        "c:\\windows.ini",
    ):
        (root / name).write_text("# TODO \x1b[31m <script> \u202e [x](http://x.example)\n")
    (root / "README.md").write_text("\x1b[2J <b>bold</b> \u202e [click](http://x.example) and https://x.example here\n")
    (root / "pyproject.toml").write_text("[project]\nname='\u001b[31mx'\ndescription='<script>alert(1)</script>'\n")
    with open(os.fsencode(root) + b"/bytes\xff\xfe.py", "wb") as file:
        file.write(b"x = '\xff\xfe'\n# TODO\n")
    for words in ((root,), (root, "--full")):
        said = explore(*words)
        assert said.code == 0
        assert "\u202e" not in said.out
        assert "<script>" not in "".join(said.out.split("`")[::2])
        assert "](http" not in "".join(said.out.split("`")[::2])
    said = explore(root, "--json")
    assert "\u202e" not in said.out
    paths = {one["path"] for one in document(said)["findings"]["biggest"]}
    assert {"new\nline.py", "esc\x1b]0;title\x07.py", "bidi\u202eyp.py"} <= paths


def test_a_folder_whose_name_is_no_utf_8_is_explored(explore: Explore, tmp_path: Path) -> None:
    root = os.fsdecode(os.fsencode(tmp_path) + b"/named\xff")
    os.mkdir(root)
    Path(root, "a.py").write_text("x\n")
    assert explore(root).out.startswith("# named\\udcff\n")
    assert document(explore(root, "--json"))["findings"]["lines"] == 1
    assert explore(root, "--report", root + ".md").code == 0


def test_binary_and_badly_encoded_files_are_no_text_or_counted(explore: Explore, tmp_path: Path) -> None:
    root = tmp_path / "mixed"
    root.mkdir()
    (root / "binary").write_bytes(b"\0\1\2" * 1000)
    (root / "latin.py").write_bytes("# TODO: \xe9t\xe9\n".encode("latin-1"))
    (root / "README").write_bytes(b"\xff\xfe r\x00")
    (root / "pyproject.toml").write_bytes(b"[project]\nname = '\xff'\n")
    (root / "long.js").write_text("x" * 3_000_000)
    found = document(explore(root, "--json"))["findings"]
    assert [mark["path"] for mark in found["marks"]] == ["latin.py"]
    assert any("binary 2" in note for note in found["notes"])
    assert next(one for one in found["biggest"] if one["path"] == "long.js")["lines"] == 1


def test_a_pipe_a_socket_and_links_in_a_loop_do_not_hold_it_up(explore: Explore, project: Path, tmp_path: Path) -> None:
    os.mkfifo(project / "fifo.py")
    (project / "loop").symlink_to(".")
    (project / "src" / "up").symlink_to("..")
    (project / "self").symlink_to("self")
    (project / "out.py").symlink_to("/etc/passwd")
    (tmp_path / "two").write_text("x\n")
    os.link(tmp_path / "two", project / "two.py")
    found = document(explore(project, "--json"))
    assert found["findings"]["name"] == "spam"
    told = " ".join(found["findings"]["notes"])
    assert "links 4" in told
    assert "pipes, sockets and devices 1" in told
    assert "several names" in told
    assert found["account"]["refused"] == 1  # the hard link, of which nobody knows where it leads


def test_a_huge_file_is_not_read(explore: Explore, project: Path) -> None:
    with open(project / "huge.sql", "wb") as file:
        file.truncate(5 * 1024**3)
    found = document(explore(project, "--json"))["findings"]
    assert found["biggest"][0] == {"path": "huge.sql", "bytes": 5 * 1024**3, "lines": None}
    assert any("larger than 32 MiB 1" in note for note in found["notes"])


def test_deep_folders_are_explored_as_far_as_the_tools_go(explore: Explore, tmp_path: Path) -> None:
    here = tmp_path / "deep"
    for _ in range(130):
        here = here / "d"
    here.mkdir(parents=True)
    (here / "far.py").write_text("x\n")
    (tmp_path / "deep" / "near.py").write_text("x\n")
    found = document(explore(tmp_path / "deep", "--json"))["findings"]
    assert found["files"] == 1
    assert any("Folders that could not be entered" in note for note in found["notes"])


@pytest.fixture
def in_memory(tmp_path: Path) -> Iterator[Path]:
    """A folder for many files: in memory where there is such a place, for a disk takes up to a minute for them."""
    memory = Path("/dev/shm")
    usable = os.access(memory, os.W_OK) and os.statvfs(memory).f_favail > 200_000
    with tempfile.TemporaryDirectory(dir=memory if usable else tmp_path) as folder:
        yield Path(folder)


def test_a_hundred_thousand_files_are_explored(explore: Explore, in_memory: Path) -> None:
    root = in_memory / "huge"
    for outer in range(10):
        for inner in range(10):
            folder = root / f"a{outer}" / f"b{inner}"
            folder.mkdir(parents=True)
            handle = os.open(folder, os.O_RDONLY)
            for number in range(1000):
                os.close(os.open(f"f{number}.py", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
            os.close(handle)
    (root / "a9" / "b9" / "f999.py").write_text("# TODO: the last one\n")
    found = document(explore(root, "--json"))["findings"]
    assert (found["files"], found["lines"]) == (100_000, 1)
    assert [mark["text"] for mark in found["marks"]] == ["# TODO: the last one"]
    assert found["notes"] == []
