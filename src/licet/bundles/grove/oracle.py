"""Draws an omen for a seed: the same one in every process, on every machine, under every version of Python."""

import hashlib

from ...model.tool import Annotations, Execution, ToolCapability, ToolSpec
from .words import PARTS


def oracle(seed: str) -> dict[str, str]:
    """The omen of a seed, and nothing else."""
    lot = int.from_bytes(hashlib.sha256(seed.encode()).digest(), "big")
    drawn = []
    for words in PARTS:
        lot, place = divmod(lot, len(words))
        drawn.append(words[place])
    colour, thing, deed, where = drawn
    return {"omen": f"A {colour} {thing} {deed} {where}."}


SPEC = ToolSpec(
    name="oracle",
    title="Oracle",
    description="Draw a cryptic omen. Params: {seed: str}.",
    input_schema={
        "type": "object",
        "properties": {
            "seed": {"type": "string", "description": "What the omen is drawn from; the same gives the same."}
        },
        "required": ["seed"],
        "additionalProperties": False,
    },
    output_schema={
        "type": "object",
        "properties": {"omen": {"type": "string"}},
        "required": ["omen"],
        "additionalProperties": False,
    },
    source="builtin",
    group="grove",
    category="utility",
    annotations=Annotations(read_only=True, destructive=False, open_world=False, idempotent=True),
    capabilities=ToolCapability(
        read_only=True,
        writes=False,
        checkpointable=False,
        idempotent=True,
        unsafe=False,
        human_approval_required=False,
    ),
    execution=Execution(mode="parallel", timeout_s=30.0, abortable=True, inline=True),
    path_access="none",
    path_arguments=(),
    tool_type="tool",
    schema_inferred=False,
    handler=oracle,
)
