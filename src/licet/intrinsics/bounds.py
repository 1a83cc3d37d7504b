"""How much of everything a workflow holds. All of it stands on the ledger, and in every later prompt."""

MOST_STEPS = 64
"""Of one plan."""

MOST_TASKS = 256
"""Of one workflow, the first one included."""

MOST_QUESTIONS = 256
MOST_SURFACES = 256
MOST_SKILLS = 32
"""Loaded at a time."""

MOST_DEPTH = 4
"""Of sub-tasks below the first task."""

NAME = 128
"""Characters of a name."""

TEXT = 4_000
"""Characters of a description, a goal, a question or an output."""

LINE = 500
"""Characters of one criterion or one option."""

PAYLOAD_BYTES = 60_000
"""Of one command as JSON: a ledger shortens larger outputs, and what is shortened cannot be replayed."""
