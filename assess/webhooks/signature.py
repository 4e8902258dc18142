"""The signature of a webhook request, after the specification of Standard Webhooks."""

from __future__ import annotations

import base64
import hmac


def signed_headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the headers of a request. timestamp: in seconds since 1970.

    The signature is HMAC-SHA256, with the secret as key, of id, timestamp and body with points between them.

    >>> headers = signed_headers("secret", "event-1", 1700000000, b"{}")
    >>> headers["webhook-signature"]
    'v1,ky0MqgHG7+yM4gRSeIieOTIV4WX+XadxPTO6DZnthFY='
    """
    content = b".".join([message_id.encode(), str(timestamp).encode(), body])
    signature = base64.b64encode(hmac.digest(secret.encode(), content, "sha256")).decode()
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,{signature}",
    }
