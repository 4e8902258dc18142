from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class UserRequest(HttpRequest):
    """A request with a signed-in user, which LoginRequiredMiddleware ensures."""

    user: User
    htmx: HtmxDetails


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
