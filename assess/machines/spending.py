"""What requests cost at most, and the ceiling that they must not pass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

TOKENS_A_REQUEST = 200  # upper bound of the tokens that a server adds to a request, such as its chat template
TOKENS_A_MESSAGE = 20
MILLION = 1_000_000


class Charge(NamedTuple):
    """Requests and tokens that were paid for, or may have been."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def plus(self, other: Charge) -> Charge:
        return Charge(*(one + more for one, more in zip(self, other, strict=True)))

    def minus(self, other: Charge) -> Charge:
        return Charge(*(one - less for one, less in zip(self, other, strict=True)))


def upper_bound(body: Mapping[str, Any]) -> Charge:
    """Return the most that a request can take. A token has at least one byte of UTF-8.

    >>> upper_bound({"messages": [{"role": "user", "content": "é" * 10}], "max_tokens": 5})
    Charge(requests=1, input_tokens=240, output_tokens=5)
    """
    messages = body["messages"]
    content = sum(len(message["content"].encode("utf-8", "surrogatepass")) for message in messages)
    extra = len(json.dumps(body["response_format"])) if "response_format" in body else 0
    output = body.get("max_completion_tokens") or body.get("max_tokens") or 0
    return Charge(1, content + extra + TOKENS_A_REQUEST + TOKENS_A_MESSAGE * len(messages), output)


class Limits(NamedTuple):
    """The most requests, and the most that they may cost at prices of a million tokens.

    Without prices and ceiling only the number of requests is limited.
    """

    requests: int
    input_price: Decimal | None = None
    output_price: Decimal | None = None
    ceiling: Decimal | None = None

    def cost(self, charge: Charge) -> Decimal | None:
        if self.input_price is None or self.output_price is None:
            return None
        total = charge.input_tokens * self.input_price + charge.output_tokens * self.output_price
        return total / MILLION

    def problem(self, charge: Charge) -> str:
        """Return which limit this charge passes, as a sentence; "" if none."""
        if charge.requests > self.requests:
            return f"The limit of {self.requests:,} requests is reached."
        cost = self.cost(charge)
        if cost is not None and self.ceiling is not None and cost > self.ceiling:
            return f"The next request could pass the ceiling of {self.ceiling:,.2f}."
        return ""
