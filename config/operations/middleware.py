"""Middleware: health probes, request ids and log, metrics, 503 for a busy database, one state for a page."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Callable
from time import perf_counter
from typing import TypeAlias
from uuid import uuid4

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import MiddlewareNotUsed
from django.db import OperationalError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render

from config.operations import prometheus
from config.operations.logs import shown_path
from config.operations.urls import probes
from config.operations.views import busy
from pooling.campaign_states import StateRefused
from pooling.log_fields import logged_with
from pooling.queries.snapshots import snapshot

GetResponse: TypeAlias = Callable[[HttpRequest], HttpResponseBase]

REQUEST_ID = "X-Request-ID"
METHODS = {
    "GET",
    "HEAD",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
}  # other methods are counted as one, because a client could create any number of time series
READ_PAGES = re.compile(r"/campaigns/[^/]+/(?!judge/)")
REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9._-]{8,64}")
PROBES: dict[str, GetResponse] = {f"/{probe.pattern}": probe.callback for probe in probes}

log = logging.getLogger("jurypool.request")


def answer_probes(get_response: GetResponse) -> GetResponse:
    """Answer probes first of all: they come past the proxy, without its host name and without HTTPS."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        return PROBES.get(request.path_info, get_response)(request)

    return answer


def request_id(get_response: GetResponse) -> GetResponse:
    """Give a request an id, the proxy's if it has one, and log what became of it under that id."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        started, given_id = perf_counter(), request.headers.get(REQUEST_ID, "")
        name = given_id if REQUEST_ID_PATTERN.fullmatch(given_id) else uuid4().hex
        request.META["REQUEST_ID"] = name
        with logged_with(request_id=name):
            response = get_response(request)
            response[REQUEST_ID] = name
            _log(request, response, started)
        return response

    return answer


def _log(request: HttpRequest, response: HttpResponseBase, started: float) -> None:
    if not log.isEnabledFor(logging.INFO):
        return
    about = {
        "method": request.method,
        "path": shown_path(request),
        "status": response.status_code,
        "ms": round((perf_counter() - started) * 1000, 1),
    }
    user_id = _user_id(request)
    known = {"user_id": user_id} if user_id else {}
    log.info("%s %s %s %s ms", *about.values(), extra={**about, **known})


def _user_id(request: HttpRequest) -> int | None:
    """Return the user of the API token, or of the session if it was loaded; no query is made for the log."""
    if user := getattr(request, "auth", None):
        return int(user.pk)
    return getattr(getattr(request, "session", None), "user_id", None)


def request_metrics(get_response: GetResponse) -> GetResponse:
    """Count a request, and how long it took until its answer began."""
    if not settings.METRICS_TOKEN:
        raise MiddlewareNotUsed

    def answer(request: HttpRequest) -> HttpResponseBase:
        started = perf_counter()
        response = get_response(request)
        route = request.resolver_match.view_name if request.resolver_match else ""
        method = request.method if request.method in METHODS else "other"
        prometheus.REQUESTS.labels(route, method, response.status_code).observe(perf_counter() - started)
        return response

    return answer


class BusyDatabase:
    """Answer 503 instead of an error page where the database cannot be used now: it is locked, or away."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if not (isinstance(error, OperationalError) and is_temporary(error)):
            return None
        log.error("the database cannot be used now: %s", error)
        return busy(request)


class OneState:
    """Let a page of a campaign read one state of the database, so that no two of its figures differ.

    The transaction is read-only on PostgreSQL. The pages of a judge are left out: a GET of theirs may fill
    the judge's own queue.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in ("GET", "HEAD") or not READ_PAGES.match(request.path_info):
            return self.get_response(request)
        request.session.get(SESSION_KEY)  # loads it, which may store that its user was seen
        try:
            with snapshot():
                return self.get_response(request)
        except OperationalError as error:  # of the transaction itself
            if not is_temporary(error):
                raise
            return busy(request)


class RefusedByState:
    """Answer 409 with the reason where the state of the campaign does not allow what a request asks for."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if not isinstance(error, StateRefused):
            return None
        return render(request, "409.html", {"exception": str(error)}, status=409)


def is_temporary(error: OperationalError) -> bool:
    """Return whether the request may succeed later: SQLite is locked, or PostgreSQL is away or overloaded."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_SNAPSHOT)
    return True
