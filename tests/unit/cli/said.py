"""What a command said, and the module of tools that the tests give it."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

TOOLS = '''
"""Tools of a test. What they do is written to a file, so that what they did not do is seen too."""
import os
from pathlib import Path
from licet import Runtime, Tool, ToolRegistry, ToolSpec, tool

print("said while imported")


def seen(word):
    with open(os.environ["SEEN"], "a") as file:
        file.write(word + "\\n")


@tool(read_only=True)
def greet(name: str) -> str:
    """Say hello."""
    print("said in a call")
    seen("greet")
    return f"hello {name}"


@tool(writes=True, approval=True)
def launch(what: str) -> dict:
    seen("launch")
    return {"launched": what}


@tool(writes=True)
def fails() -> dict:
    seen("fails")
    raise ValueError("a secret path")


@tool(read_only=True)
def odd() -> dict:
    return {"a\\x1b[31m": "\\x1b]0;t\\x07 \\u202e \\x9b31m \\x7f \\u00e9", "lines": "a\\nb"}


def plain(a: int, b: int = 2) -> int:
    seen("plain")
    return a + b


class Source:
    def tools(self):
        return [greet]


tools = [greet, launch, fails, odd, plain]
spec = ToolSpec(name="spelt", handler=plain)
source = Source()
runtime = Runtime([greet])
registry = ToolRegistry()
registry.register(greet)
number = 3
nothing = []
twice = [greet, greet]
'''


class Said(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """Standard output as the one JSON document that it is."""
        return json.loads(self.out)


Licet = Callable[..., Said]
