"""Lock sign-in for some minutes after wrong passwords, which django-axes counts in the database."""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address, ip_network
from math import ceil
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.models import AccessAttempt
from axes.utils import reset
from django.conf import settings
from django.core.cache import cache
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from accounts.models import User

USERS_PER_ADDRESS = 10  # judges in one room share an address: it may fail ten times as often as a person


MAX_LINK_REQUESTS = 50  # from a network in an hour; each takes a row in the queue


def client_address(request: HttpRequest) -> str | None:
    """Return the client address; in IPv6 its /64 network, because one client has 2^64 addresses.

    Each proxy adds the address that it saw to X-Forwarded-For. So the visitor's stands as many places from
    the right as there are proxies, and whatever stands left of it may be made up. None: no address at all.
    """
    seen = str(request.META.get("REMOTE_ADDR", ""))
    hops = [hop.strip() for hop in request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")]
    if 0 < settings.PROXIES <= len(hops):
        seen = hops[-settings.PROXIES]
    try:
        address = ip_address(seen)
    except ValueError:  # a Unix socket, or a proxy that writes something else
        return None
    return str(address if address.version == 4 else ip_network((address, 64), strict=False).network_address)


class LockoutHandler(AxesDatabaseHandler):  # type: ignore[misc]  # axes has no types
    """Counts for a name from an address; and, against guessing over many names, for the address alone."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        at_name: int = super().get_failures(request, credentials)
        return max(at_name, failures_at_address(request) // USERS_PER_ADDRESS)


def may_request_link(request: HttpRequest) -> bool:
    """Count a request for a mailed link; False when its network has asked for LINKS_ASKED in an hour.

    Each process of the server counts for itself.
    """
    key = f"links-asked:{client_address(request)}"
    cache.add(key, 0, timeout=3600)
    try:
        return cache.incr(key) <= MAX_LINK_REQUESTS
    except ValueError:  # the hour ended between the two lines
        return True


def failures_at_address(request: Any, **name: str) -> int:
    """Return the number of recent failed sign-ins from the address of this request."""
    recent = AccessAttempt.objects.filter(
        ip_address=request.axes_ip_address, attempt_time__gte=get_cool_off_threshold(request), **name
    )
    return recent.aggregate(total=Sum("failures_since_start"))["total"] or 0


def open_again_at(request: Any, name: str) -> datetime:
    attempts = AccessAttempt.objects.filter(ip_address=request.axes_ip_address)
    if failures_at_address(request, username=name) >= settings.AXES_FAILURE_LIMIT:
        attempts = attempts.filter(username=name)
    last: datetime = attempts.latest("attempt_time").attempt_time
    return last + settings.AXES_COOLOFF_TIME


def locked_out_response(
    request: HttpRequest, response: HttpResponse, credentials: dict[str, Any]
) -> HttpResponse:
    """Return the response to a locked sign-in, with the same text for unknown names."""
    opens = open_again_at(request, credentials["username"])
    seconds = max(1, ceil((opens - timezone.now()).total_seconds()))
    context = {"opens": opens, "minutes": ceil(seconds / 60)}
    page = render(request, "accounts/locked_out.html", context, status=429)
    page["Retry-After"] = str(seconds)
    return page


def unlock(user: User) -> None:
    """Delete the failed sign-ins of a user."""
    reset(username=user.username)
