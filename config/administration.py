"""Django's admin under /admin/, for site administrators (`createsuperuser`): people and campaigns.

What is judged is not in it: a site administrator is a stranger in every campaign that has not made them a
member.
"""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse


class Administration(AdminSite):
    site_header = site_title = "Jurypool's site"
    index_title = "People and campaigns"
    final_catch_all_view = False

    def has_permission(self, request: HttpRequest) -> bool:
        """Allow site administrators; raise Http404 for other signed-in users."""
        if request.user.is_authenticated and not request.user.is_superuser:
            raise Http404("the site's administration is for its administrators")
        return bool(request.user.is_superuser and request.user.is_active)

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the one sign-in page, which counts wrong passwords."""
        self.has_permission(request)
        return redirect_to_login(request.GET.get("next", "/admin/"))
