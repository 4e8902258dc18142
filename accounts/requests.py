from __future__ import annotations

from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest
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
