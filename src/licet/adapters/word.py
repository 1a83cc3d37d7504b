"""The yes of a framework's own approval flow, as licet's approver: for one exact call, once."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from ..ports import ApprovalRequest
from ..schema.canonical import NotJson, freeze, freeze_text

MOST_PENDING = 4096
"""Questions that are remembered; an older one is answered without being held against what was asked."""

_LIMIT_BYTES = 1 << 20

Arguments = Mapping[str, Any] | str


class Word:
    """Says yes where the framework said yes to this call id, and the arguments are those that it was asked about.

    It never asks anybody itself: whoever has no yes in hand gets a no.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._asked: OrderedDict[str, bytes] = OrderedDict()
        self._given: set[str] = set()

    def ask(self, call_id: str, arguments: Arguments) -> None:
        """Remember what the framework is about to ask a person."""
        with suppress(NotJson):
            frozen = _frozen(arguments)
            self._asked.pop(call_id, None)  # asked again, it is the newest
            self._asked[call_id] = frozen
        while len(self._asked) > MOST_PENDING:
            self._asked.popitem(last=False)

    @contextmanager
    def given(self, call_id: str, arguments: Arguments) -> Iterator[None]:
        """While this lasts, the call may be approved: once, and not with arguments that nobody was asked about."""
        asked = self._asked.pop(call_id, None)
        with suppress(NotJson):
            if asked is None or asked == _frozen(arguments):
                self._given.add(call_id)
        try:
            yield
        finally:
            self._given.discard(call_id)

    async def approve(self, request: ApprovalRequest, /) -> bool:
        """Whether there is a yes for this call. Using it uses it up."""
        if request.call_id not in self._given:
            return False
        self._given.discard(request.call_id)
        return True


def _frozen(arguments: Arguments) -> bytes:
    if isinstance(arguments, str):
        return freeze_text(arguments, limit_bytes=_LIMIT_BYTES)[0]
    return freeze(dict(arguments), limit_bytes=_LIMIT_BYTES)[0]


__all__ = ["MOST_PENDING", "Word"]
