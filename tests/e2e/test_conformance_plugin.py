"""The pytest plugin: each vector is a test of its own, which fails, passes, or is skipped with the reason."""

import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
TESTS = """
import sys
sys.path.insert(0, {folder!r})
from licet.conformance import examine
from licet_runtime import LicetRuntime

conformance_suites = ["core"]


class Careless(LicetRuntime):
    async def call(self, name, arguments, call_id):
        if arguments == {{"limit": 3}}:
            arguments = {{"limit": 3, "path": "a.txt"}}
        return await super().call(name, arguments, call_id)


def test_vector(conformance_vector):
    examine({subject}, conformance_vector)
"""


def pytest_on(tmp_path: Path, subject: str) -> "subprocess.CompletedProcess[str]":
    file = tmp_path / "test_mine.py"
    file.write_text(TESTS.format(folder=str(ROOT / "tests" / "conformance"), subject=subject))
    words = ["-m", "pytest", "-q", "-rfs", "-p", "no:cacheprovider", "-p", "licet.conformance.plugin", str(file)]
    return subprocess.run(
        [sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_runtime_passes_what_is_applicable_and_skips_the_rest_with_a_reason(tmp_path: Path) -> None:
    done = pytest_on(tmp_path, "LicetRuntime")
    assert done.returncode == 0, done.stdout
    assert "56 passed, 6 skipped" in done.stdout
    assert "not applicable: functions of this process have no source" in done.stdout


def test_a_careless_runtime_fails_the_test_of_its_vector(tmp_path: Path) -> None:
    done = pytest_on(tmp_path, "Careless")
    assert done.returncode == 1
    assert "1 failed, 55 passed, 6 skipped" in done.stdout
    assert "arguments.required: a call without an argument that is required executes nothing: failed" in done.stdout


def test_the_plugin_is_declared_under_its_own_name_so_that_it_is_never_loaded_twice() -> None:
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["pytest11"]
    assert declared == {"licet.conformance.plugin": "licet.conformance.plugin"}
    assert callable(import_module("licet.conformance.plugin").pytest_generate_tests)
