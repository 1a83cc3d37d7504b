"""Executing a logged decision: admission, three gates in their order, a signed webhook, a receipt."""

from .execute import MOST_PAYLOAD, Executor, Order
from .gates import Bypass, Policy, blocking
from .receipt import FIELDS, Snapshots

__all__ = ["FIELDS", "MOST_PAYLOAD", "Bypass", "Executor", "Order", "Policy", "Snapshots", "blocking"]
