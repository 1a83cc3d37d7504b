"""An agent at work: turns until its task is done, sub-tasks by agents of their own, a pause where it asks somebody.

Nothing of it lives in a process: where a run stands is what its ledger says, and whoever goes on begins from there.

May not enter: what a person types, how something is shown.
"""
