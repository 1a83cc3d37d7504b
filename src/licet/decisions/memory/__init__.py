"""What the engine remembers, in one SQLite file that only grows: runs, decisions, executions, plans, snapshots.

Tenant by tenant: whatever is asked for is asked with a tenant, and what is another's is not found.
"""

from .facts import Decision, Execution, Plan, Standing
from .store import Memory

__all__ = ["Decision", "Execution", "Memory", "Plan", "Standing"]
