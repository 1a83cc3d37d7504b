"""The kinds of entries that tell of a model."""

BEGUN = "model.begun"
"""Which model, what it was told first, what it was offered."""

ASKED = "model.asked"
"""The digest of everything that was sent, and the results among it that it had not seen."""

ANSWERED = "model.answered"
"""Its words and calls."""

ENDED = "model.ended"
"""Why it was asked no further."""

__all__ = ["ANSWERED", "ASKED", "BEGUN", "ENDED"]
