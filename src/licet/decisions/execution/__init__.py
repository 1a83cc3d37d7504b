"""Executing a logged decision: admission, three gates in their order, a signed webhook, a receipt."""

from .execute import Executor, Order
from .gates import Bypass, Policy, blocking
from .receipt import FIELDS, Snapshots

__all__ = ["FIELDS", "Bypass", "Executor", "Order", "Policy", "Snapshots", "blocking"]
