"""The house keeps its rules: sizes, names, who may make a ticket, what an import may need, what stands in a file."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "licet"
MINT = PACKAGE / "runtime" / "authorize.py"
VAGUE = {"utils", "util", "common", "helpers", "helper", "base", "manager", "managers", "misc", "shared"}
WRITTEN_FOR_READERS = (
    "src",
    "docs",
    "scripts",
    "bench",
    "campaign",
    ".ci",
    "*.md",
    "Makefile",
    "mkdocs.yml",
    "pyproject.toml",
)

IMPORT_EVERYTHING = '''
"""Imports each module named on standard input, in an interpreter that has the core's dependencies and nothing else."""
import importlib, sys

ALLOWED = {*sys.stdlib_module_names, "licet", "orjson", "jsonschema_rs", "re2", "_re2", "rfc8785",
           "rich", "pygments", "markdown_it", "mdurl"}

class NothingElse:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in ALLOWED:
            raise ModuleNotFoundError(f"{name} comes with no core dependency", name=name)

sys.meta_path.insert(0, NothingElse)
for module in sys.stdin.read().split():
    importlib.import_module(module)
'''


def run(*command: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, input=given, capture_output=True, text=True, cwd=ROOT, check=False)


# --- sizes and names ---


def test_no_file_is_longer_than_400_lines() -> None:
    sizes = run(sys.executable, "scripts/sizes", "src", "tests")
    assert sizes.returncode == 0, sizes.stdout + sizes.stderr


def test_a_longer_file_is_found(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text("x = 1\n" * 400)
    assert run(sys.executable, "scripts/sizes", str(tmp_path)).returncode == 0
    (tmp_path / "long.py").write_text("x = 1\n" * 401)
    sizes = run(sys.executable, "scripts/sizes", str(tmp_path))
    assert sizes.returncode == 1
    assert "long.py has 401 lines" in sizes.stdout


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [str(file) for file in PACKAGE.rglob("*.py") if {file.stem, file.parent.name} & VAGUE] == []


def test_every_package_says_its_duty() -> None:
    packages = [file for file in PACKAGE.rglob("__init__.py") if file.parent != PACKAGE]
    assert [str(file) for file in packages if not ast.get_docstring(ast.parse(file.read_text("utf-8")))] == []


# --- one room makes tickets ---


def uses_of_the_ticket(source: str) -> Iterator[int]:
    """Lines where ``AuthorizedCall`` is more than imported, a type, or the question whether something is one."""
    tree = ast.parse(source)
    harmless: set[ast.AST] = set()
    for node in ast.walk(tree):
        places: list[ast.AST | None] = []
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                places = [node.returns]
            case ast.arg() | ast.AnnAssign():
                places = [node.annotation]
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kind]) | ast.MatchClass(cls=kind):
                places = [kind]
        harmless.update(part for place in places if place is not None for part in ast.walk(place))
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(names=names) if any(n.name == "AuthorizedCall" and n.asname for n in names):
                yield node.lineno
            case ast.Name(id="AuthorizedCall") | ast.Attribute(attr="AuthorizedCall") if node not in harmless:
                yield node.lineno


def test_only_the_authorize_room_makes_an_authorized_call() -> None:
    elsewhere = [file for file in PACKAGE.rglob("*.py") if file != MINT]
    found = {str(file): lines for file in elsewhere if (lines := list(uses_of_the_ticket(file.read_text("utf-8"))))}
    assert found == {}
    assert list(uses_of_the_ticket(MINT.read_text("utf-8"))), "no room makes a ticket: was it renamed?"


def test_a_ticket_made_elsewhere_is_found() -> None:
    for honest in (
        "from .authorize import AuthorizedCall\ndef dispatch(ticket: AuthorizedCall) -> AuthorizedCall | None: ...",
        "if isinstance(x, AuthorizedCall): pass",
        "match x:\n    case AuthorizedCall(): pass",
        "ticket: AuthorizedCall | None = None",
    ):
        assert list(uses_of_the_ticket(honest)) == []
    for forgery in (
        "AuthorizedCall(call)",
        "authorize.AuthorizedCall(call)",
        "object.__new__(AuthorizedCall)",
        "AuthorizedCall._make(parts)",
        "class Mine(AuthorizedCall): pass",
        "make = AuthorizedCall",
        "from .authorize import AuthorizedCall as Ticket",
        "def dispatch(ticket=AuthorizedCall): ...",
    ):
        assert list(uses_of_the_ticket(forgery)), forgery


# --- imports ---


def modules() -> list[str]:
    files = sorted(PACKAGE.rglob("*.py"))
    return [".".join(file.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__") for file in files]


@pytest.mark.requirement("mcp.optional-extra")
def test_every_module_imports_with_none_of_the_extras_installed() -> None:
    walked = run(sys.executable, "-c", IMPORT_EVERYTHING, given="\n".join(modules()))
    assert walked.returncode == 0, walked.stderr
    assert len(modules()) > 40


def test_a_module_that_needs_an_extra_is_found() -> None:
    for extra in ("pydantic", "mcp", "anyio", "langchain", "pydantic_ai", "hypothesis"):
        walked = run(sys.executable, "-c", IMPORT_EVERYTHING, given=f"licet.errors {extra}")
        assert walked.returncode == 1
        assert f"{extra} comes with no core dependency" in walked.stderr


# --- what a reader finds ---


def test_nothing_written_for_readers_names_the_machine_it_was_written_on() -> None:
    listed = run("git", "ls-files", "-z", "--", *WRITTEN_FOR_READERS)
    if listed.returncode:  # a source archive: there is nothing that was committed
        assert not (ROOT / ".git").exists(), listed.stderr
        return
    here = re.compile(re.escape(str(ROOT)) + r"(?![\w-])|/home/[a-z]+/|/Users/[a-z]+/", re.IGNORECASE)
    files = [ROOT / name for name in listed.stdout.split("\0") if name]
    assert files
    assert [str(file) for file in files if file.is_file() and here.search(file.read_text("utf-8", "replace"))] == []
