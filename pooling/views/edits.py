from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse

from pooling.models import Campaign


def one_at_a_time(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Lock the campaign for a POST, so that the values that `EditMixin` compares stay until it has saved."""

    @wraps(view)
    def locked(request: HttpRequest, slug: str, *args: Any, **options: Any) -> HttpResponse:
        if request.method != "POST":
            return view(request, slug, *args, **options)
        with transaction.atomic():
            Campaign.objects.select_for_update().filter(slug=slug).first()
            return view(request, slug, *args, **options)

    return locked
