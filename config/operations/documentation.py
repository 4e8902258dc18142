"""The documentation under /docs/: WhiteNoise serves the built files, this module answers for the rest."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET


@login_not_required
@require_GET
def missing_page(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer for every address under /docs/ that has no file: all of them if the site was not built."""
    context = {"built": settings.WHITENOISE_ROOT is not None}
    return render(request, "documentation_missing.html", context, status=404)
