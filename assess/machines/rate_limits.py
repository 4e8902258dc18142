"""When to send the next request to an endpoint: the waits that servers ask for, and waits before retries."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # s, of waits that no server asked for
MAX_ASKED_WAIT = 600.0  # s; a server that asks for more ends the job
DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
SECONDS = re.compile(r"\d+(?:\.\d+)?")
UNITS = (3600.0, 60.0, 1.0, 0.001)
LIMITS = ("requests", "tokens")


def duration(text: str) -> float | None:
    """Return the seconds of a duration as servers write it; None for another text.

    >>> duration("1s"), duration("6m0s"), duration("120ms"), duration("1h2m3.5s"), duration("soon")
    (1.0, 360.0, 0.12, 3723.5, None)
    """
    text = text.strip()
    if SECONDS.fullmatch(text):
        return float(text)
    match = DURATION.fullmatch(text)
    if not text or not match:
        return None
    return sum(float(part or 0) * unit for part, unit in zip(match.groups(), UNITS, strict=True))


def retry_after(text: str, now: datetime) -> float | None:
    """Return the seconds of a Retry-After header: a number or an HTTP date; None for another text."""
    if SECONDS.fullmatch(text.strip()):
        return float(text)
    try:
        date = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now.timestamp())


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that an error response asks to wait, or None. headers: names in small letters.

    Retry-After counts first. Else the longest reset of the limits that are used up, or of all.
    """
    wait = retry_after(headers["retry-after"], now) if "retry-after" in headers else None
    if wait is not None:
        return wait
    resets = {limit: duration(headers.get(f"x-ratelimit-reset-{limit}", "")) for limit in LIMITS}
    known = {limit: reset for limit, reset in resets.items() if reset is not None}
    used_up = [reset for limit, reset in known.items() if remaining(headers, limit) == 0]
    return max(used_up or known.values(), default=None)


def remaining(headers: Mapping[str, str], limit: str) -> float | None:
    """Return what is left of a limit, "requests" or "tokens"; None if the server does not say."""
    text = headers.get(f"x-ratelimit-remaining-{limit}", "").strip()
    return float(text) if SECONDS.fullmatch(text) else None


def pace_wait(headers: Mapping[str, str], others: int, tokens: int) -> float:
    """Return the seconds to wait after a response before the next request is sent.

    others: requests that are under way. tokens: the upper bound of a request.
    """
    needed = {"requests": others + 1, "tokens": tokens * (others + 1)}
    waits = [0.0]
    for limit, need in needed.items():
        left, reset = remaining(headers, limit), duration(headers.get(f"x-ratelimit-reset-{limit}", ""))
        if left is not None and reset is not None and left < need:
            waits.append(reset)
    return min(max(waits), LONGEST_WAIT)


def backoff(tries: int, random_share: float | None = None) -> float:
    """Return the seconds to wait after so many tries: exponential, with full jitter.

    >>> [backoff(tries, random_share=1) for tries in (1, 2, 3, 20)]
    [1.0, 2.0, 4.0, 60.0]
    """
    share = random.random() if random_share is None else random_share
    return share * min(LONGEST_WAIT, FIRST_WAIT * math.pow(2, min(tries, 30) - 1))
