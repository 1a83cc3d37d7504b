"""An approval by the client's own question to its user. The ledger records it as that client's word, no more."""

from contextvars import ContextVar
from typing import Protocol

from ..dialects.untrusted import escaped
from ..errors import ApprovalDeniedError
from ..ports import ApprovalRequest

MOST_SHOWN = 32 * 1024
"""Characters of a question. Nobody reads more, and what was not read was not approved."""


class Asker(Protocol):
    """Whoever can put a question to the user of one client."""

    @property
    def client(self) -> str: ...

    async def ask(self, request: ApprovalRequest, /) -> bool: ...


ASKER: ContextVar[Asker] = ContextVar("ASKER")
"""Who is asked about the call that runs in this context."""


class ClientApprover:
    """Passes the corridor's question to the client whose call it is."""

    @property
    def name(self) -> str:
        return f"client:{ASKER.get().client}"

    async def approve(self, request: ApprovalRequest, /) -> bool:
        return await ASKER.get().ask(request)


def question(request: ApprovalRequest) -> str:
    """What the user reads: all of it, and nothing that hides, acts or draws.

    Raises:
        ApprovalDeniedError: it is too long to be read.
    """
    shown = (
        f"{escaped(request.principal)} asks to run {escaped(request.tool)} ({request.mode})\n"
        f"why it asks: {escaped('; '.join(request.reasons))}\n"
        f"it is: {escaped(request.description)}\n"
        f"definition: {request.pin}\n"
        f"arguments: {escaped(request.arguments)}\n"
        "Accept to run exactly this, once. Anything else refuses it."
    )
    if len(shown) > MOST_SHOWN:
        raise ApprovalDeniedError("the question is too long to be read", tool_name=request.tool)
    return shown


__all__ = ["ASKER", "Asker", "ClientApprover", "question"]
