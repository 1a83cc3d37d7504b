"""The project that is attacked when nobody names one."""

from collections.abc import Mapping
from types import MappingProxyType

SAMPLE: Mapping[str, bytes] = MappingProxyType(
    {
        "README.md": b"# Sample\n\nA small project, made to be attacked.\n",
        "pyproject.toml": b'[project]\nname = "sample"\nversion = "1.0"\n',
        "src/sample/__init__.py": b'"""Sample."""\n',
        "src/sample/greeting.py": b'def greet(name: str) -> str:\n    return f"Hello, {name}"\n',
        "tests/test_greeting.py": b'from sample.greeting import greet\n\nassert greet("you") == "Hello, you"\n',
    }
)
"""Path -> content."""
