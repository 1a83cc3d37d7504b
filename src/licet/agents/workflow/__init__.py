"""What becomes of the commands: their application to a state, and the same again from a ledger.

May not enter: a model, a tool, a clock, chance. ``apply``, ``change`` and ``replay`` do no I/O at all.
"""

from .apply import apply, begin, end, reply
from .attenuate import AttenuationError, Scope, attenuate
from .behind import Behind
from .not_applied import NotAppliedError
from .notes import notes
from .replay import Replayed, ReplayError, replay
from .skills import SkillFolders
from .task import Driver

__all__ = [
    "AttenuationError",
    "Behind",
    "Driver",
    "NotAppliedError",
    "ReplayError",
    "Replayed",
    "Scope",
    "SkillFolders",
    "apply",
    "attenuate",
    "begin",
    "end",
    "notes",
    "replay",
    "reply",
]
