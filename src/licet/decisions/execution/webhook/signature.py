"""How a receiver knows that a body is the engine's: the headers of Standard Webhooks 1.0.

``webhook-signature`` is ``v1,`` and the base64 of HMAC-SHA256 over ``{id}.{timestamp}.{body}``.
"""

import base64
import hashlib
import hmac


def headers(secret: bytes, delivery_id: str, at_s: int, body: bytes) -> dict[str, str]:
    """``at_s`` is seconds since 1970, so that a receiver can refuse what is old."""
    signed = b"%b.%d.%b" % (delivery_id.encode(), at_s, body)
    mac = base64.b64encode(hmac.digest(secret, signed, hashlib.sha256)).decode()
    return {"webhook-id": delivery_id, "webhook-timestamp": str(at_s), "webhook-signature": f"v1,{mac}"}


__all__ = ["headers"]
