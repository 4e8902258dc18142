from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.middleware import HtmxDetails

from accounts.models import User
from accounts.services import hash_of


class UserRequest(HttpRequest):
    """A request with a signed-in user, which LoginRequiredMiddleware ensures."""

    user: User
    htmx: HtmxDetails


def redirect_to_top(page: str, *args: object) -> HttpResponseRedirect:
    """Redirect to the top of a page, where its messages are.

    Without a fragment a browser keeps that of the form that was sent, which is to show its errors.
    """
    return HttpResponseRedirect(f"{reverse(page, args=args)}#main")


def site_of(request: HttpRequest) -> str:
    """Return the address of the site for links in mails, such as https://pool.example.org.

    Without JURYPOOL_SITE it has the name that was asked for, which is checked, and never the port, which is
    not: behind a proxy none, otherwise the port that the request came in by.
    """
    if settings.SITE:
        return str(settings.SITE)
    name = urlsplit(f"//{request.get_host()}").hostname or ""
    host = f"[{name}]" if ":" in name else name
    port = request.get_port()
    if not settings.PROXIES and port != ("443" if request.is_secure() else "80"):
        host += f":{port}"
    return f"{request.scheme}://{host}"


def full_address(request: HttpRequest, path: str) -> str:
    """Return the address of a page on the site: that of JURYPOOL_SITE, otherwise the one asked for."""
    return f"{settings.SITE}{path}" if settings.SITE else request.build_absolute_uri(path)


def request_key(request: HttpRequest) -> str:
    """Return the key of a form, or of the header `Idempotency-Key`; "" if the request has neither.

    It holds for one address and the same values: a form that is changed after the browser's *Back* makes
    something else, although the page still has the old hidden field.
    """
    given = request.headers.get("Idempotency-Key") or request.POST.get("request_key", "")
    if not given:
        return ""
    body = request.body.decode() if request.content_type == "application/json" else ""
    files = [(name, file.name, _digest(file)) for name, many in request.FILES.lists() for file in many]
    values = [(name, many) for name, many in request.POST.lists() if name != "csrfmiddlewaretoken"]
    return hash_of(json.dumps([given, request.path, body, values, files]))


def _digest(file: UploadedFile[Any]) -> str:
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256").hexdigest()
    file.seek(0)
    return digest


get_or_post = require_http_methods(["GET", "POST"])


def post_from(page: str, *parts: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Let a view that shows a page answer only POST. A GET leads to the page that has the button.

    Somebody who reloads or bookmarks the address of a question would otherwise see an error of the browser.
    parts: of the URL, besides the campaign, that the page needs too.
    """

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, **given: Any) -> HttpResponse:
            if request.method == "POST":
                return view(request, **given)
            if request.method not in ("GET", "HEAD"):
                return HttpResponseNotAllowed(["POST"])
            known = {part: given[part] for part in ("slug", *parts) if part in given}
            return HttpResponseRedirect(reverse(page, kwargs=known))

        return answer

    return decorate
