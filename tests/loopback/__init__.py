"""Servers on 127.0.0.1 that speak the wires of large providers, for SDKs that know no better."""

from .reply import Broken, Call, Cut, Hang, Mixed, Reply, Said, Status
from .server import Asked, Loopback

__all__ = ["Asked", "Broken", "Call", "Cut", "Hang", "Loopback", "Mixed", "Reply", "Said", "Status"]
