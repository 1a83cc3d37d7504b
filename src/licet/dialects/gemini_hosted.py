"""What Gemini's provider runs itself: its declarations, and what an answer tells of it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..model.said import HostedItem
from .foreign import text_in
from .offer import Offer

_SEARCHES = (
    "googleSearch", "googleSearchRetrieval", "enterpriseWebSearch", "parallelAiSearch", "exaAiSearch", "googleMaps",
    "fileSearch", "retrieval",
)  # fmt: skip
_RUN_BY: Mapping[str, tuple[str, ...]] = {
    "executableCode": ("codeExecution",),
    "codeExecutionResult": ("codeExecution",),
    "groundingMetadata": _SEARCHES,
    "urlContextMetadata": ("urlContext",),
}
"""What each kind of item comes from."""

_TOOL_TYPES: Mapping[str, tuple[str, ...]] = {
    "GOOGLE_SEARCH_WEB": _SEARCHES,
    "GOOGLE_SEARCH_IMAGE": _SEARCHES,
    "URL_CONTEXT": ("urlContext",),
    "GOOGLE_MAPS": ("googleMaps",),
    "FILE_SEARCH": ("fileSearch",),
}
_SHOWS_A_SEARCH = ("webSearchQueries", "imageSearchQueries", "retrievalQueries", "groundingChunks")


def explains_nothing(declared: Mapping[str, Any]) -> str | None:
    """What is wrong with a hosted tool's declaration: it is one key, such as ``googleSearch``, with an object."""
    if len(declared) != 1 or not all(isinstance(member, Mapping) for member in declared.values()):
        return "its declaration is not one key with an object"
    kind = next(iter(declared))
    return f"{kind!r} is not run by the provider" if kind in ("functionDeclarations", "computerUse") else None


def ran(offer: Offer, candidate: Mapping[str, Any], parts: Sequence[Mapping[str, Any]]) -> list[HostedItem]:
    """Each thing that was run once: a result stands for itself only if its beginning is in no part before."""
    items: list[HostedItem] = []
    begun = 0
    for part in parts:
        for kind in ("executableCode", "toolCall", "codeExecutionResult", "toolResponse"):
            held = part.get(kind)
            if held is None:
                continue
            if kind in ("codeExecutionResult", "toolResponse") and begun:
                begun -= 1
                continue
            begun += kind in ("executableCode", "toolCall")
            inner = held if isinstance(held, Mapping) else {}
            declared = _RUN_BY.get(kind) or _TOOL_TYPES.get(text_in(inner.get("toolType")), ())
            items.append(HostedItem(_offered(offer, declared), kind, text_in(inner.get("id"))))
    grounding = candidate.get("groundingMetadata")
    if isinstance(grounding, Mapping) and any(grounding.get(key) for key in _SHOWS_A_SEARCH):
        items.append(HostedItem(_offered(offer, _SEARCHES), "groundingMetadata"))
    if candidate.get("urlContextMetadata"):
        items.append(HostedItem(_offered(offer, ("urlContext",)), "urlContextMetadata"))
    return items


def _offered(offer: Offer, kinds: Iterable[str]) -> str | None:
    wanted = frozenset(kinds)
    return next((name for name, declared in offer.hosted.items() if wanted.intersection(declared)), None)


__all__ = ["explains_nothing", "ran"]
