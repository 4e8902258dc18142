from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import URLPattern

from accounts.admin import named_urls
from pooling.models import Campaign, Membership

# A campaign's page shows its jobs; the queue's other tasks hold the addresses of password mails.
admin.site.unregister(apps.get_model("django_tasks_database", "DBTaskResult"))


class Members(admin.TabularInline):  # type: ignore[type-arg]  # generic in the stubs alone
    model = Membership
    fields = ("user", "role", "group")
    extra = 0

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission


@admin.register(Campaign)
class Campaigns(admin.ModelAdmin):  # type: ignore[type-arg]
    """Which campaigns there are and who is in them. To change one, be its organiser (`add_member`)."""

    list_display = ("name", "slug", "created_at")
    search_fields = ("name", "slug")
    fields = ("name", "slug", "created_at")
    inlines = [Members]
    view_on_site = False

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    has_change_permission = has_delete_permission = has_add_permission

    def get_urls(self) -> list[URLPattern]:
        return named_urls(super().get_urls())
