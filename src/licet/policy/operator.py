"""The operator's word on a tool: what the runtime relies on, derived once from it and from what the source claims."""

from dataclasses import replace
from typing import Literal, NamedTuple

from ..model.tool import Annotations, ToolCapability, ToolSpec
from .argument_rule import Rule, argument_rules


class Word(NamedTuple):
    """What an operator says of a tool; None where nothing was said.

    ``read_only="hinted"`` believes the hints that are pinned. ``approval`` is ``"ask"`` or true (a person says yes to
    each call), ``"client"`` (the served client's own prompt is enough) or false. ``timeout_s`` is in seconds.
    ``withheld`` names arguments that no model may see or set, which a profile says.
    """

    read_only: bool | Literal["hinted"] | None = None
    approval: bool | Literal["ask", "client"] | None = None
    idempotent: bool | None = None
    timeout_s: float | None = None
    withheld: tuple[str, ...] | None = None


NOTHING_SAID = Word()


def capabilities_of(annotations: Annotations, word: Word | None, *, remote: bool) -> ToolCapability:
    """What a tool may be taken for. A stranger's hint widens nothing by itself, and what is absent counts as writing.

    A remote tool is read-only by the operator's word alone, and asks if it says that it destroys, until the operator
    lifts that. Its hints decide whether a broken call is tried again. The author of a tool in process is believed, and
    such a tool asks by the operator's word only.
    """
    said = word or NOTHING_SAID
    believed: object = said.read_only if said.read_only is not None or remote else "hinted"
    hinted = annotations.read_only is True and annotations.destructive is not True
    read_only = believed is True or (believed == "hinted" and hinted)
    repeatable = annotations.idempotent is True or (annotations.read_only is True and said.read_only is not False)
    destroys = remote and annotations.destructive is True
    return ToolCapability(
        read_only=read_only,
        writes=not read_only,
        idempotent=repeatable if said.idempotent is None else said.idempotent is True,
        human_approval_required=destroys if said.approval is None else said.approval not in (False, "client"),
    )


def classified(spec: ToolSpec, word: Word | None) -> ToolSpec:
    """A remote tool with the capabilities and the timeout that follow from the operator's word, or from its absence.

    Raises:
        ConfigurationError: the timeout is none.
    """
    execution = spec.execution
    if word is not None and word.timeout_s is not None:
        execution = replace(execution, timeout_s=word.timeout_s)
    never = spec.never_model_facing if word is None or word.withheld is None else word.withheld
    capabilities = capabilities_of(spec.annotations, word, remote=True)
    return replace(spec, capabilities=capabilities, execution=execution, never_model_facing=never)


__all__ = ["NOTHING_SAID", "Rule", "Word", "argument_rules", "capabilities_of", "classified"]
