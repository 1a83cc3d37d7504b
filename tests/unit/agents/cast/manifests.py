"""Manifests for tests: as a file would say them."""

from typing import Any

from licet.agents.cast.handlers import HANDLERS
from licet.project.manifest import Manifest
from licet.project.manifest_file import load

TELLER = """
name: fortune-teller
persona: You read the smoke.
handler: fortune-teller
tools: [oracle]
may_emit: [oracle.spoke]
"""

WHISPERER = """
name: scene-whisperer
role: observer
tools: []
subscribes_to: [oracle.spoke]
may_emit: [world.observed]
"""


def manifest(text: str = "", **options: Any) -> Manifest:
    """The manifest of a text, which is in a file of its own name."""
    whole = text if "name:" in text else f"name: someone\n{text}"
    [name] = [line.partition(":")[2].strip() for line in whole.splitlines() if line.startswith("name:")]
    options = {"stem": name, "handlers": HANDLERS, **options}
    return load(whole.encode(), f"config/agents/{name}.yaml", **options)
