"""Files of other ecosystems, of which the name alone tells the usual commands."""

import re

from ..fact import Command, Purpose
from .told import Manifest, Told, text_of

_USUAL: dict[str, tuple[str, tuple[tuple[Purpose, str], ...]]] = {
    "build.gradle": ("Gradle", (("build", "gradle build"), ("test", "gradle test"))),
    "build.gradle.kts": ("Gradle", (("build", "gradle build"), ("test", "gradle test"))),
    "build.sbt": ("sbt", (("build", "sbt compile"), ("test", "sbt test"))),
    "build.zig": ("Zig", (("build", "zig build"), ("test", "zig build test"))),
    "cabal.project": ("Haskell", (("build", "cabal build"), ("test", "cabal test"))),
    "compose.yaml": ("Docker", (("run", "docker compose up"),)),
    "compose.yml": ("Docker", (("run", "docker compose up"),)),
    "composer.json": ("PHP", (("install", "composer install"),)),
    "docker-compose.yaml": ("Docker", (("run", "docker compose up"),)),
    "docker-compose.yml": ("Docker", (("run", "docker compose up"),)),
    "dune-project": ("OCaml", (("build", "dune build"), ("test", "dune test"))),
    "flake.nix": ("Nix", (("build", "nix build"),)),
    "gemfile": ("Ruby", (("install", "bundle install"),)),
    "mix.exs": ("Elixir", (("install", "mix deps.get"), ("test", "mix test"))),
    "module.bazel": ("Bazel", (("build", "bazel build //..."), ("test", "bazel test //..."))),
    "package.swift": ("Swift", (("build", "swift build"), ("test", "swift test"))),
    "pom.xml": ("Maven", (("build", "mvn package"), ("test", "mvn test"))),
    "pubspec.yaml": ("Dart", (("install", "dart pub get"), ("test", "dart test"))),
    "rakefile": ("Ruby", (("test", "bundle exec rake"),)),
    "stack.yaml": ("Haskell", (("build", "stack build"), ("test", "stack test"))),
}

NAMES = frozenset(_USUAL)

_CMD = re.compile(r"^(?:CMD|ENTRYPOINT)[ \t]+(.+)$", re.MULTILINE)


def usual(manifest: Manifest) -> Told:
    """The commands that such a project has."""
    kind, commands = _USUAL[manifest.path.rpartition("/")[2].lower()]
    runner = "./gradlew " if "gradlew" in manifest.beside else "gradle "
    told = tuple(Command(purpose, line.replace("gradle ", runner, 1), manifest.path) for purpose, line in commands)
    return Told(kind=kind, commands=told)


def dockerfile(manifest: Manifest) -> Told:
    """How to build the image, and in its comment what the image starts."""
    started = _CMD.findall(manifest.text)
    folder = manifest.path.rpartition("/")[0]
    file = "" if manifest.path.rpartition("/")[2].lower() == "dockerfile" else f"-f {manifest.path} "
    line = f"docker build {file}{folder or '.'}"
    note = f"  # starts {text_of(started[-1])}" if started else ""
    return Told(kind="Docker", commands=(Command("build", line + note, manifest.path),))


def dotnet(manifest: Manifest) -> Told:
    lines: tuple[Command, ...] = (
        Command("build", "dotnet build", manifest.path),
        Command("test", "dotnet test", manifest.path),
    )
    return Told(kind=".NET", commands=lines)
