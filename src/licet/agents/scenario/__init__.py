"""Scenarios: a cast from files, a beginning, a governor; played turn by turn, so that one seed gives one story.

Every call walks the corridor of a ``ToolRegistry`` in a run with turns, every event is looked at against its agent's
``may_emit``, and both stand on the ledger under ids that can be injected.

May not enter: chance and the clock, but for a run's id where nobody gives one, and the time in an entry's trace.
"""
