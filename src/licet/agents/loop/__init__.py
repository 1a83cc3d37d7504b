"""The one loop of all agents: a model asks for calls, the corridor answers, until it asks for none.

Whatever ends it, the conversation is one that the model's provider takes: each call in it is answered, once.
"""

from .loop import CALLS_PER_TURN, loop
from .outcome import Drive, Outcome, Stop
from .record import Record, record_for
from .spending import Bounds, Price, Spending

__all__ = [
    "CALLS_PER_TURN",
    "Bounds",
    "Drive",
    "Outcome",
    "Price",
    "Record",
    "Spending",
    "Stop",
    "loop",
    "record_for",
]
