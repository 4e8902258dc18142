"""What happens around every request: an id for it, a line in the log, a measurement, a guard, its turn."""

from __future__ import annotations

import logging
import re
import threading
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import TypeAlias
from uuid import uuid4

from csp.constants import HEADER as POLICY
from csp.utils import build_policy
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.operations import monitoring
from config.operations.logs import shown_path
from config.operations.urls import urlpatterns
from pooling.log_fields import logged_with

Answer: TypeAlias = Callable[[HttpRequest], HttpResponseBase]

REQUEST_ID = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9._-]{8,64}")
OUTBOX = "/judge/outbox/"  # how the address ends to which judges send their labels
PROBES: dict[str, Answer] = {f"/{place.pattern}": place.callback for place in urlpatterns}

log = logging.getLogger("jurypool.request")


def probes(get_response: Answer) -> Answer:
    """Answer probes first of all: they come past the proxy, without its host name and without HTTPS."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        return PROBES.get(request.path_info, get_response)(request)

    return answer


def identified(get_response: Answer) -> Answer:
    """Give a request an id, the proxy's if it has one, and log what became of it under that id."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        begun, told = perf_counter(), request.headers.get(REQUEST_ID, "")
        name = told if WELL_FORMED.fullmatch(told) else uuid4().hex
        request.META["REQUEST_ID"] = name
        with logged_with(request_id=name):
            response = get_response(request)
            response[REQUEST_ID] = name
            _log(request, response, begun)
        return response

    return answer


def _log(request: HttpRequest, response: HttpResponseBase, begun: float) -> None:
    if not log.isEnabledFor(logging.INFO):
        return
    about = {
        "method": request.method,
        "path": shown_path(request),
        "status": response.status_code,
        "ms": round((perf_counter() - begun) * 1000, 1),
    }
    # whoever a token or a session was opened for; nobody is looked up for the log
    user = getattr(request, "auth", None) or getattr(request, "_cached_user", None)
    known = {"user_id": user.pk} if user and user.pk else {}
    log.info("%s %s %s %s ms", *about.values(), extra=about | known)


def measured(get_response: Answer) -> Answer:
    """Count a request, and how long it took until its answer began."""
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def answer(request: HttpRequest) -> HttpResponseBase:
        begun = perf_counter()
        response = get_response(request)
        route = request.resolver_match.view_name if request.resolver_match else ""
        monitoring.REQUESTS.labels(route, request.method, response.status_code).observe(
            perf_counter() - begun
        )
        return response

    return answer


def guarded(get_response: Answer) -> Answer:
    """Say what a page may load and run, with one header for all answers; django-csp writes one for each."""
    policy = build_policy()
    shown_with_styles = (404, 500) if settings.DEBUG else ()  # Django's own pages about errors

    def answer(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if response.status_code not in shown_with_styles:
            response[POLICY] = policy
        return response

    return answer


def in_turn(get_response: Answer) -> Answer:
    """Take the labels that reach this process one parcel after the other; every other request goes on beside.

    Threads share one interpreter: labels that are taken at once hold each other up at every step, longest
    whoever has the database's pen. In turn no label waits for those that came after it.
    """
    turn = Turn()

    def answer(request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.endswith(OUTBOX):
            return get_response(request)
        _ = request.body  # read before: nobody waits for somebody's slow line
        with turn:
            return get_response(request)

    return answer


class Turn:
    """A lock that goes to whoever asked first; Python's goes to whoever comes by when it is free."""

    def __init__(self) -> None:
        self.one_at_a_time = threading.Lock()
        self.waiting: deque[threading.Lock] = deque()  # locks whose release says: now you; first, who has it

    def __enter__(self) -> None:
        mine = threading.Lock()
        mine.acquire()
        with self.one_at_a_time:
            self.waiting.append(mine)
            is_free = len(self.waiting) == 1
        if not is_free:
            mine.acquire()

    def __exit__(self, *_: object) -> None:
        with self.one_at_a_time:
            self.waiting.popleft()
            if self.waiting:
                self.waiting[0].release()
