"""Which file is a manifest, and who reads it."""

from collections.abc import Callable

from . import ci, native, node, other, python, task
from .told import Manifest, Told

Reader = Callable[[Manifest], Told]

_READERS: dict[str, Reader] = {
    "makefile": task.makefile,
    "gnumakefile": task.makefile,
    "justfile": task.justfile,
    "taskfile.yml": task.taskfile,
    "taskfile.yaml": task.taskfile,
    "pyproject.toml": python.pyproject,
    "setup.cfg": python.setup_cfg,
    "setup.py": python.setup_py,
    "package.json": node.package_json,
    "cargo.toml": native.cargo,
    "go.mod": native.go_mod,
    "cmakelists.txt": native.cmake,
    "meson.build": native.meson,
    "configure": native.configure,
    "deno.json": node.deno,
    **dict.fromkeys(sorted(other.NAMES), other.usual),
    "tox.ini": python.tox,
    "noxfile.py": python.nox,
    "requirements.txt": python.requirements,
    "dockerfile": other.dockerfile,
    "containerfile": other.dockerfile,
}

_RANK = {name: place for place, name in enumerate(_READERS)}
"""A project's own tasks before the commands that its kind of project usually has."""

_PIPELINES: dict[str, Reader] = {
    ".gitlab-ci.yml": ci.workflow,
    ".circleci/config.yml": ci.workflow,
    ".travis.yml": ci.workflow,
    ".woodpecker.yml": ci.workflow,
    "azure-pipelines.yml": ci.workflow,
    "appveyor.yml": ci.workflow,
    ".appveyor.yml": ci.workflow,
    "bitbucket-pipelines.yml": ci.workflow,
    ".buildkite/pipeline.yml": ci.workflow,
    ".cirrus.yml": ci.workflow,
    ".drone.yml": ci.workflow,
    ".ci/run": ci.script,
    "ci/run": ci.script,
    "jenkinsfile": ci.other,
    ".builds/build.yml": ci.workflow,
}

_WORKFLOWS = (".github/workflows/", ".forgejo/workflows/", ".gitea/workflows/")


def reader_of(path: str) -> Reader | None:
    """Who reads this file; None: it is no manifest. Pipelines stand where their system looks for them."""
    lower = path.lower()
    found = _PIPELINES.get(lower)
    if found is not None:
        return found
    if lower.startswith(_WORKFLOWS):
        return ci.workflow if lower.endswith((".yml", ".yaml")) else None
    name = lower.rpartition("/")[2]
    if name.endswith((".sln", ".csproj")):
        return other.dotnet
    return _READERS.get(name)


def rank_of(path: str) -> tuple[int, int, str]:
    """Sorts manifests: the project's own first, and of one folder the ones that say most."""
    return path.count("/"), _RANK.get(path.lower().rpartition("/")[2], len(_RANK)), path
