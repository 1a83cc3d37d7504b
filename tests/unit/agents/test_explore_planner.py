"""The scripted planner in place of a model: what it asks for, and what it makes of the answers."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from licet.agents.explore import listing, marks, sample
from licet.agents.explore.fact import Findings, Mark, Said, Sized
from licet.agents.explore.planner import ScriptedPlanner
from licet.model.call import Request
from licet.model.result import Rendered, ToolResult
from licet.ports import Message, Model

Answer = Callable[[Request], Any]


class RefusalError(Exception):
    """A failed answer, by its reason."""


class Project:
    """Answers as the file tools would, from memory, and counts what is asked of it."""

    def __init__(self, files: dict[str, str], *, most: int = 10**9, broken: frozenset[str] = frozenset()) -> None:
        self.files = files
        self.most = most
        self.broken = broken
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Any:
        self.asked.append(request)
        arguments = dict(request.arguments or {})  # type: ignore[arg-type]
        if request.tool in self.broken:
            raise RefusalError("timeout")
        return getattr(self, request.tool)(**arguments)

    def below(self, path: str) -> list[str]:
        return sorted(name for name in self.files if path == "." or name.startswith(f"{path}/"))

    def find(self, pattern: str, path: str, limit: int) -> dict[str, Any]:
        start = 0 if path == "." else len(path) + 1
        paths = self.below(path)
        if pattern == "/*/":
            paths = sorted({name[: name.index("/", start) + 1] for name in paths if "/" in name[start:]})
        elif pattern == "/*":
            paths = [name for name in paths if "/" not in name[start:]]
        else:
            assert pattern == "*"
        shown = paths[: min(limit, self.most)]
        return {
            "paths": shown,
            "total_seen": len(paths),
            "truncated": len(shown) < len(paths),
            "skipped": {"unreadable": 0},
        }

    def ls(self, path: str, limit: int) -> dict[str, Any]:
        start = 0 if path == "." else len(path) + 1
        names = {name[start:].split("/")[0]: "/" in name[start:] for name in self.below(path)}
        entries = [
            {"name": name, "kind": "directory", "size": None}
            if folder
            else {"name": name, "kind": "file", "size": len(self.files[(path + "/" if start else "") + name])}
            for name, folder in sorted(names.items())
        ]
        return {"entries": entries, "total": len(entries), "truncated": False}

    def grep(self, pattern: str, path: str, limit: int, glob: str | None = None) -> dict[str, Any]:
        found = []
        for name in self.below(path):
            if glob is not None and "/" in (name if path == "." else name.removeprefix(f"{path}/")):
                continue  # the only glob that is used, "/*", is of a folder's own files
            for number, line in enumerate(self.files[name].splitlines(), start=1):
                if "TODO" in line or "FIXME" in line:
                    found.append({"path": name, "line": number, "text": line})
        return {"matches": found[:limit], "files_searched": len(self.below(path)), "truncated": len(found) > limit}

    def read(self, path: str, limit: int) -> dict[str, Any]:
        text = self.files[path]
        if "\0" in text:
            raise RefusalError("binary_file")
        lines = text.splitlines(keepends=True)
        return {"text": "".join(lines[:limit]), "total_lines": len(lines)}


def result_of(request: Request, answer: Answer) -> ToolResult:
    def given(success: bool, output: Any, reason: str) -> ToolResult:
        metadata = {"reason": reason} if reason else {}
        error, code = (None, None) if success else (f"failed: {reason}", "tool_failed")
        rendered = Rendered("not read by this planner")
        return ToolResult("c", request.tool, success, output, error, code, "done", 0.1, metadata, b"", rendered)

    try:
        return given(True, answer(request), "")
    except RefusalError as refusal:
        return given(False, {}, str(refusal))


def explored(answer: Answer, name: str = "folder", most: int = 1_000) -> tuple[Findings, list[Message]]:
    """Play the loop's part: ask, answer, until no more is asked."""

    async def play() -> tuple[Findings, list[Message]]:
        planner = ScriptedPlanner(name, most)
        model: Model = planner
        conversation = [Message("user", "explore")]
        while True:
            said = await model.respond(conversation, [])
            conversation.append(said)
            if not said.calls:
                assert planner.findings is not None
                return planner.findings, conversation
            conversation.append(Message("tool", results=tuple(result_of(call, answer) for call in said.calls)))

    return asyncio.run(play())


FILES = {
    "README.md": "# Spam\n\nSpam makes eggs for everybody.\n",
    "LICENSE": "Apache License\nVersion 2.0\n",
    "pyproject.toml": "[project]\nname = 'spam'\ndescription = 'Eggs.'\nlicense = 'Apache-2.0'\n",
    "Makefile": "test:\n\tpytest\n",
    "src/spam/__init__.py": '"""What spam is made of."""\n',
    "src/spam/__main__.py": "import spam\n# TODO: more eggs\n",
    "src/spam/data.dat": "\0" * 9000,
    "src/spam/logo.png": "\0",
    "src/spam/empty.py": "",
    "web/package.json": '{"name": "web", "description": "The page.", "scripts": {"test": "x"}}',
    "broken/pyproject.toml": "[",
}


def test_the_planner_reports_what_the_answers_say() -> None:
    found, conversation = explored(Project(FILES))
    assert (found.name, found.files) == ("spam", 11)
    assert found.descriptions == (Said("Spam makes eggs for everybody.", "README.md"), Said("Eggs.", "pyproject.toml"))
    assert found.licences == (Said("Apache-2.0", "LICENSE"),)
    assert [(c.purpose, c.line, c.source) for c in found.commands] == [
        ("install", "pip install -e .", "pyproject.toml"),
        ("install", "cd web && npm install", "web/package.json"),
        ("test", "make test", "Makefile"),
        ("test", "cd web && npm test", "web/package.json"),
    ]
    assert [(f.path, f.files, f.purpose.text if f.purpose else None) for f in found.folders] == [
        ("broken", 1, None),
        ("src/spam", 5, "What spam is made of."),
        ("web", 1, "The page."),
    ]
    assert [point.name for point in found.entry_points] == ["python -m spam"]
    assert found.biggest[0] == Sized("src/spam/data.dat", 9000, None)
    assert found.marks == (Mark("src/spam/__main__.py", 2, "# TODO: more eggs"),)
    python = next(language for language in found.languages if language.name == "Python")
    assert (python.files, python.lines, python.estimated) == (3, 3, 0)
    assert found.lines == 3 + 2 + 4 + 2 + 3 + 1 + 1
    assert any("broken/pyproject.toml could not be understood" in note for note in found.notes)
    assert any("binary 1" in note and "binary by name 1" in note for note in found.notes)
    assert conversation[-1].text.startswith("# spam\n")


def test_every_fact_comes_from_an_answer_and_only_the_four_readers_are_asked() -> None:
    project = Project(FILES)
    explored(project)
    assert {request.tool for request in project.asked} == {"ls", "find", "grep", "read"}
    read = [dict(request.arguments or {})["path"] for request in project.asked if request.tool == "read"]  # type: ignore[arg-type]
    assert len(read) == len(set(read))
    assert not {"src/spam/logo.png", "src/spam/empty.py"} & set(read)
    nothing, _ = explored(Project({}), "empty")
    assert (nothing.name, nothing.files, nothing.commands, nothing.marks) == ("empty", 0, (), ())


@pytest.mark.parametrize("broken", ["find", "ls", "grep", "read"])
def test_a_tool_that_always_fails_leaves_a_report_that_says_less(broken: str) -> None:
    found, _ = explored(Project(FILES, broken=frozenset({broken})))
    if broken == "find":
        assert found.files == len(FILES)
        assert any("What is ignored was not left out" in note for note in found.notes)
    elif broken == "read":
        assert found.lines == 0
        assert found.name == "folder"
    elif broken == "grep":
        assert found.marks == ()
    else:
        assert found.biggest == ()
    assert broken == "ls" or any("could not be listed" in n or "not" in n for n in found.notes)


def test_a_project_that_one_answer_cannot_list_is_listed_folder_by_folder() -> None:
    files = {f"f{a}/g{b}/x{c}.py": "# TODO\n" for a in range(3) for b in range(3) for c in range(3)}
    files["top.py"] = "# FIXME\n"
    whole, _ = explored(Project(files))
    pieces, _ = explored(Project(files, most=4))
    assert whole == pieces
    assert (pieces.files, pieces.lines, len(pieces.marks), pieces.notes) == (28, 28, 28, ())


def test_a_folder_that_nothing_can_split_is_reported_as_cut() -> None:
    files = {f"flat/x{i:03}.py": "x\n" for i in range(50)}
    found, _ = explored(Project(files, most=20))
    assert found.files == 20
    assert any("flat holds 50 files or more" in note and "20 are in here" in note for note in found.notes)


def test_what_is_too_much_to_look_at_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_FOLDERS", 1)
    monkeypatch.setattr(marks, "MOST_SEARCHED", 0)
    files = {f"f{i}/x.py": "x\n" for i in range(5)} | {"notes.odd": "x\n"}
    found, _ = explored(Project(files, most=3))
    told = " ".join(found.notes)
    assert "Sizes are of the first 1 of 6 folders." in told
    assert "folders were not searched" in told


def test_beyond_a_limit_lines_are_estimated_from_sizes_and_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "LEAST", 5)
    files = {f"a/f{i:03}.py": "word = 1\n" * (i + 1) for i in range(100)} | {"big.py": "x\n" * 10_000, "one.go": "x\n"}
    exact, _ = explored(Project(files))
    assert (exact.lines, exact.estimated, exact.notes) == (5050 + 10_000 + 1, 0, ())
    project = Project(files, most=10**9)
    rough, conversation = explored(project, most=20)
    assert sum(request.tool == "read" for request in project.asked) < 40
    assert 0 < rough.estimated < rough.lines
    assert abs(rough.lines - exact.lines) < 0.02 * exact.lines
    assert {language.name: language.estimated > 0 for language in rough.languages} == {"Python": True, "Go": False}
    assert any(note.startswith("The lines of ") and "estimated from their sizes" in note for note in rough.notes)
    assert "about 15,1" in conversation[-1].text
    assert rough.biggest[0].lines == 10_000  # the largest are counted


def test_lines_that_mark_something_come_before_those_that_talk_about_marks() -> None:
    files = {
        "a.py": "x = 'all TODO words'\n# TODO: do it\n# TODOS\n",
        "b.c": "// see the FIXME below\n/* FIXME */\nf(); // old. TODO: go\n",
        "c.md": "TODO\n- [ ] TODO later\nthe TODO list\n",
    }
    found, _ = explored(Project(files))
    assert [(mark.path, mark.line) for mark in found.marks][:6] == [
        *(("a.py", 2), ("b.c", 2), ("b.c", 3), ("c.md", 1), ("c.md", 2)),
        ("a.py", 1),
    ]


def test_compiled_files_are_left_out_and_counted() -> None:
    found, _ = explored(Project({"a.py": "x\n", "__pycache__/a.pyc": "y", "b/__pycache__/c.pyc": "z"}))
    assert (found.files, found.lines) == (1, 1)
    assert found.notes == ("2 compiled files in __pycache__ are left out.",)
