"""Sending one signed request to a host that the operator allows, at an address that was looked at."""

from .delivery import Delivery, Dial, deliver
from .target import Resolve, Target, target_of
from .terms import WebhookTerms

__all__ = ["Delivery", "Dial", "Resolve", "Target", "WebhookTerms", "deliver", "target_of"]
