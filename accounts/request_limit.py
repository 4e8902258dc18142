"""How many requests a token may send in a minute, counted over all processes of the server.

A process takes requests from the row of the token in blocks and counts them down by itself, so that reading
does not write into the database each time. What a process has left at the end of a minute is lost: a token
may be refused a little before its limit, never behind it.
"""

from __future__ import annotations

import math
from threading import Lock
from time import time

from django.conf import settings
from django.db.models import F

from accounts.models import ApiToken

MINUTE = 60  # s
BLOCKS = 50  # of a limit

_lock = Lock()
_left: dict[str, tuple[int, int]] = {}  # hash of a token -> minute, requests that this process has left


class TooManyRequests(Exception):
    """The limit of a token is reached. wait: whole seconds until the next request is allowed."""

    def __init__(self, wait: int) -> None:
        super().__init__(f"This token may send {settings.API_REQUESTS:,} requests a minute.")
        self.wait = wait


def count_request(token: ApiToken) -> None:
    """Count a request of a token. Raises TooManyRequests."""
    if not settings.API_REQUESTS:
        return
    now = time()
    minute = int(now // MINUTE)
    if _counted_down(token, minute):
        return
    block = max(1, settings.API_REQUESTS // BLOCKS)
    if not _taken(token, minute, block):
        raise TooManyRequests(math.ceil(MINUTE - now % MINUTE))
    with _lock:
        _left[token.token_hash] = minute, block - 1


def _counted_down(token: ApiToken, minute: int) -> bool:
    """Use a request that this process has left; return whether there was one."""
    with _lock:
        of_minute, left = _left.get(token.token_hash, (0, 0))
        if of_minute != minute or not left:
            return False
        _left[token.token_hash] = minute, left - 1
    return True


def _taken(token: ApiToken, minute: int, block: int) -> bool:
    """Take a block of requests from the row of a token; return whether the minute had one left."""
    row = ApiToken.objects.filter(pk=token.pk)
    room = row.filter(counted_minute=minute, counted_requests__lte=settings.API_REQUESTS - block)
    if room.update(counted_requests=F("counted_requests") + block):
        return True
    return bool(row.filter(counted_minute__lt=minute).update(counted_minute=minute, counted_requests=block))
