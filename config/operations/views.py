"""For programs that watch the site, and the page of an error of ours."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET
from prometheus_client import CONTENT_TYPE_LATEST

from config.operations import health, prometheus

BUSY = "The database is busy or cannot be reached. Try again in a moment."
PLAIN = "text/plain; charset=utf-8"


@never_cache
@login_not_required
@require_GET
def live(request: HttpRequest) -> HttpResponse:
    """This process answers. It touches nothing."""
    return HttpResponse("alive\n", content_type=PLAIN)


@never_cache
@login_not_required
@require_GET
def ready(request: HttpRequest) -> HttpResponse:
    """This process can do its work, or 503 and why not."""
    wrong = health.first_fault()
    return HttpResponse(f"{wrong or 'ready'}\n", status=503 if wrong else 200, content_type=PLAIN)


@never_cache
@login_not_required
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Numbers for Prometheus, for who has the token; without one in the settings there is nothing here."""
    if not settings.METRICS_TOKEN:
        return HttpResponse(status=404)
    if not constant_time_compare(
        request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"
    ):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(prometheus.exposition(), content_type=CONTENT_TYPE_LATEST)


def server_error(request: HttpRequest) -> HttpResponse:
    """An error of ours, with the id under which the log has it."""
    return render(request, "500.html", {"request_id": request.META.get("REQUEST_ID", "")}, status=500)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """A request that is not answered; for a host name of another site, with the setting that allows it."""
    unknown = isinstance(exception, DisallowedHost)
    host = request.META.get("HTTP_HOST", "")[:255] if unknown else ""
    return HttpResponse(render_to_string("400.html", {"unknown_host": host}), status=400)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form that is not accepted: it comes from another address, or its page is too old."""
    came_from = request.headers.get("Origin") or request.headers.get("Referer", "")
    elsewhere = reason.startswith(("Origin checking failed", "Referer checking failed"))
    site = f"{request.scheme}://{request.get_host()}"
    context = {"elsewhere": elsewhere, "came_from": came_from[:300], "site": site}
    return render(request, "403_csrf.html", context, status=403)


def busy(request: HttpRequest) -> HttpResponse:
    """The database cannot be used now, and may be later; browsers and programs may send the request again."""
    headers = {"Retry-After": "5"}
    if request.path_info.startswith("/api/"):
        problem = {"status": 503, "title": BUSY}
        return JsonResponse(problem, status=503, headers=headers, content_type="application/problem+json")
    page = render_to_string("503.html", {"reason": BUSY})
    return HttpResponse(page, status=503, headers=headers)
