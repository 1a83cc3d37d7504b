"""What manifests tell: the commands, the names and the entry points, and nothing where a file is not what it says."""

import pytest

from licet.agents.explore.fact import Command, EntryPoint
from licet.agents.explore.manifests.purpose import purpose_of, telling
from licet.agents.explore.manifests.registry import rank_of, reader_of
from licet.agents.explore.manifests.told import Manifest, Told, UnreadableManifestError


def told(path: str, text: str, *beside: str) -> Told:
    reader = reader_of(path)
    assert reader is not None, path
    return reader(Manifest(path, text, frozenset(beside)))


def lines(found: Told) -> dict[str, list[str]]:
    by_purpose: dict[str, list[str]] = {}
    for command in found.commands:
        by_purpose.setdefault(command.purpose, []).append(command.line)
    return by_purpose


def test_a_pyproject_names_the_project_and_its_commands() -> None:
    found = told(
        "pyproject.toml",
        """
        [build-system]
        requires = ["hatchling"]
        [project]
        name = "spam"
        description = "Spam,\\n  and eggs."
        license = "MIT"
        [project.scripts]
        spam = "spam.cli:main"
        [dependency-groups]
        test = ["pytest>=8", {include-group = "x"}]
        [tool.ruff]
        [tool.mypy]
        """,
    )
    assert (found.name, found.description, found.licence) == ("spam", "Spam, and eggs.", "MIT")
    assert found.entry_points == (EntryPoint("spam", "spam.cli:main", "pyproject.toml"),)
    assert lines(found) == {
        "install": ["pip install -e ."],
        "build": ["python -m build"],
        "test": ["pytest"],
        "check": ["ruff check", "mypy"],
    }
    assert {command.source for command in found.commands} == {"pyproject.toml"}


def test_a_lock_file_beside_it_says_which_tool_runs_a_python_project() -> None:
    uv = told("pyproject.toml", "[project]\nname='a'\ndependencies=['pytest']", "uv.lock")
    assert lines(uv) == {"install": ["uv sync"], "test": ["uv run pytest"]}
    text = "[tool.poetry]\nname='b'\n[tool.poetry.scripts]\nb='b:m'\n[tool.poetry.group.dev.dependencies]\npytest='*'"
    poetry = told("pyproject.toml", text, "poetry.lock")
    assert lines(poetry) == {"install": ["poetry install"], "test": ["poetry run pytest"]}
    assert poetry.entry_points[0].name == "b"
    tasks = told("pyproject.toml", "[tool.poe.tasks]\ntest='x'\nserve={cmd='y'}\nodd='z'")
    assert lines(tasks) == {"test": ["poe test"], "run": ["poe serve"]}


def test_older_python_projects_are_understood_without_running_them() -> None:
    cfg = told(
        "setup.cfg",
        "[metadata]\nname = old\nlicense = BSD\n[options.entry_points]\nconsole_scripts =\n    old = old:main\n"
        "[tool:pytest]\n",
    )
    assert (cfg.name, cfg.licence) == ("old", "BSD")
    assert cfg.entry_points == (EntryPoint("old", "old:main", "setup.cfg"),)
    assert lines(cfg) == {"install": ["pip install -e ."], "test": ["pytest"]}
    assert lines(told("setup.py", "raise SystemExit('ran')")) == {"install": ["pip install -e ."]}
    assert lines(told("tox.ini", "")) == {"test": ["tox"]}
    assert lines(told("noxfile.py", "")) == {"test": ["nox"]}
    assert lines(told("requirements.txt", "")) == {"install": ["pip install -r requirements.txt"]}


def test_a_package_json_gives_its_scripts_in_the_words_of_its_package_manager() -> None:
    text = """{"name": "@s/web", "description": "d", "license": {"type": "ISC"}, "main": "index.js",
        "bin": {"web": "./cli.js"}, "scripts": {"test": "jest", "build": "x", "dev": "y",
        "lint:fix": "z", "odd": "o"}}"""
    npm = told("package.json", text)
    assert (npm.name, npm.description, npm.licence) == ("@s/web", "d", "ISC")
    assert lines(npm) == {
        "install": ["npm install"],
        "build": ["npm run build"],
        "run": ["npm run dev"],
        "test": ["npm test"],
        "check": ["npm run lint:fix"],
    }
    assert [(point.name, point.target) for point in npm.entry_points] == [("web", "./cli.js"), ("main", "index.js")]
    assert lines(told("package.json", text, "pnpm-lock.yaml"))["build"] == ["pnpm build"]
    assert lines(told("package.json", '{"packageManager": "yarn@4.1.0"}'))["install"] == ["yarn install"]
    assert told("package.json", '{"name": "@s/one", "bin": "run.js"}').entry_points[0].name == "one"
    placeholder = '{"scripts": {"test": "echo \\"Error: no test specified\\" && exit 1"}}'
    assert "test" not in lines(told("package.json", placeholder))
    assert lines(told("deno.json", '{"tasks": {"test": "deno test"}}')) == {"test": ["deno task test"]}


def test_task_runners_give_the_tasks_whose_names_tell() -> None:
    makefile = "CC := gcc\n.PHONY: all\nall build: x\n\tcc\ntest:\n\trun\n%.o: %.c\nx.o: y\nrun-it:\nserve::\nA=b: c\n"
    assert lines(told("Makefile", makefile)) == {
        "build": ["make build", "make all"],
        "run": ["make serve"],
        "test": ["make test"],
    }
    assert lines(told("GNUmakefile", "prog: prog.c\n\tcc -o prog prog.c\n")) == {"build": ["make"]}
    assert lines(told("Makefile", "X = 1\n")) == {}
    just = "set shell := ['bash']\nv := '1'\n# comment\n@test *ARGS:\n  run\nbuild target='x': dep\n  y\nlint:\n"
    assert lines(told("justfile", just)) == {"test": ["just test"], "build": ["just build"], "check": ["just lint"]}
    assert lines(told("Taskfile.yml", "version: 3\ntasks:\n  test:\n    cmds: [x]\n")) == {"test": ["task test"]}


def test_compiled_languages_have_their_usual_commands() -> None:
    cargo = told("Cargo.toml", "[package]\nname='c'\nlicense='MIT'\n[[bin]]\nname='c'\npath='src/c.rs'\n")
    assert (cargo.name, cargo.licence) == ("c", "MIT")
    assert lines(cargo) == {"build": ["cargo build"], "run": ["cargo run"], "test": ["cargo test"]}
    assert cargo.entry_points == (EntryPoint("c", "src/c.rs", "Cargo.toml"),)
    assert "run" not in lines(told("Cargo.toml", "[workspace]\nmembers=['a']\n"))
    go = told("go.mod", "// a comment\nmodule example.com/m\n\ngo 1.22\n")
    assert go.name == "example.com/m"
    assert lines(go) == {"build": ["go build ./..."], "test": ["go test ./..."]}
    cmake = told("CMakeLists.txt", 'project(thing VERSION 1 DESCRIPTION "A thing.")\nenable_testing()\n')
    assert (cmake.name, cmake.description) == ("thing", "A thing.")
    assert lines(cmake)["test"] == ["ctest --test-dir build"]
    assert told("CMakeLists.txt", "project(${NAME})").name == ""
    assert lines(told("meson.build", "project('m', 'c')"))["build"] == ["meson setup build && meson compile -C build"]
    assert lines(told("configure", "#!/bin/sh")) == {"build": ["./configure && make"]}


def test_other_ecosystems_are_known_by_name() -> None:
    assert lines(told("pom.xml", "<project/>")) == {"build": ["mvn package"], "test": ["mvn test"]}
    assert lines(told("build.gradle.kts", "", "gradlew"))["test"] == ["./gradlew test"]
    assert lines(told("build.gradle", ""))["test"] == ["gradle test"]
    assert lines(told("compose.yaml", "")) == {"run": ["docker compose up"]}
    assert lines(told("App.sln", "")) == {"build": ["dotnet build"], "test": ["dotnet test"]}
    docker = told("docker/Dockerfile", 'FROM x\nCMD ["a"]\nENTRYPOINT ["serve", "now"]\n')
    assert docker.commands == (Command("build", 'docker build docker  # starts ["serve", "now"]', "docker/Dockerfile"),)


WORKFLOW = """
jobs:
  test:
    steps:
      - uses: actions/checkout@v4
      - run: make test
      - name: several
        run: |
          set -e
          cd web
          npm ci
          npm test
      - run: "pytest -q"
      - run: make test
"""

GITLAB = """
test:
  script:
    - pip install tox
    - tox
  only: [main]
lint: {script: ignored}
build:
  script:
  - make build
"""


def test_pipelines_tell_the_commands_that_they_run() -> None:
    github = told(".github/workflows/test.yml", WORKFLOW).pipeline
    assert github is not None
    assert github.source == ".github/workflows/test.yml"
    assert github.commands == ("make test", "npm ci", "npm test", "pytest -q")
    gitlab = told(".gitlab-ci.yml", GITLAB).pipeline
    assert gitlab is not None
    assert gitlab.commands == ("pip install tox", "tox", "make build")
    script = told(".ci/run", "#!/bin/sh\n# why\nset -eu\ncd x\nA=1\nmake lint\n  inner\nexec make test\n").pipeline
    assert script is not None
    assert script.commands == ("make lint", "make test")
    jenkins = told("Jenkinsfile", "pipeline { sh 'rm -rf /' }").pipeline
    assert jenkins is not None
    assert jenkins.commands == ()
    assert [telling(line) for line in ("npm ci", "npm test", "make", "cat contest")] == [False, True, True, False]


def test_only_files_in_their_place_are_pipelines_or_manifests() -> None:
    for path in ("src/.github/workflows/a.yml", ".github/workflows/a.md", "main.py", "my-package.json", "README"):
        assert reader_of(path) is None, path
    paths = ["web/package.json", "pyproject.toml", "Makefile", ".github/workflows/a.yml"]
    assert sorted(paths, key=rank_of) == ["Makefile", "pyproject.toml", "web/package.json", ".github/workflows/a.yml"]
    assert [purpose_of(name) for name in ("Test", "test:unit", "type_check", "contest")] == [
        "test",
        "test",
        "check",
        None,
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "[project\n"),
        ("Cargo.toml", "= 1"),
        ("package.json", "{"),
        ("package.json", "[1]"),
        ("package.json", "[" * 200_000),
        ("pyproject.toml", "a = " + "[" * 200_000),
        ("deno.json", "// a comment"),
        ("setup.cfg", "no section"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_told_apart(path: str, text: str) -> None:
    with pytest.raises(UnreadableManifestError):
        told(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("pyproject.toml", "project = 1\ntool = []\ndependency-groups = 'x'"),
        ("pyproject.toml", "[project]\nname=1\ndescription=[]\nlicense={file='L'}\nscripts='x'\ndependencies={a=1}"),
        ("pyproject.toml", "[project.optional-dependencies]\na='pytest'\nb=[1, '']\n[tool]\npoetry=3\npoe='x'"),
        ("Cargo.toml", "package=1\nbin='x'"),
        ("Cargo.toml", "bin=[1, {name=2}, {}]"),
        ("package.json", '{"name": 1, "scripts": [], "bin": 3, "license": [], "packageManager": {}, "main": false}'),
        ("package.json", '{"scripts": {"test": 1}, "bin": {"a": null}}'),
        ("deno.json", '{"tasks": 5}'),
        ("Makefile", "\x00:\n:::\n\t:\n" + "a" * 100_000),
        (".gitlab-ci.yml", "script:\n" * 1000 + "-\n" * 1000),
        (".github/workflows/x.yml", "run: |\nrun:\nrun: >\n"),
        ("setup.cfg", ""),
        ("go.mod", ""),
        ("Dockerfile", ""),
    ],
)
def test_values_of_any_type_tell_nothing_and_break_nothing(path: str, text: str) -> None:
    found = told(path, text)
    assert found.name == ""
    assert found.entry_points == ()
