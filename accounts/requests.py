from __future__ import annotations

from django.http import HttpRequest
from django.views.decorators.http import require_http_methods
from django_htmx.middleware import HtmxDetails

from accounts.models import User


class UserRequest(HttpRequest):
    """A request behind the door: LoginRequiredMiddleware let it in, so there is a person."""

    user: User
    htmx: HtmxDetails


get_or_post = require_http_methods(["GET", "POST"])
