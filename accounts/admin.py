from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, Permission
from django.db.models import QuerySet
from django.forms import ModelMultipleChoiceField
from django.http import HttpRequest
from django.urls import URLPattern

from accounts.lockout import unlock
from accounts.models import User
from accounts.services import remove_identities

admin.site.unregister(Group)  # roles are memberships in campaigns


@admin.register(User)
class Users(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs alone
    """Find, deactivate and reactivate users. Users join by invitation and cannot be deleted."""

    list_display = ("username", "name", "email", "is_active", "is_superuser", "last_login")
    list_filter = ("is_active", "is_superuser")
    search_fields = ("username", "name", "email")
    fieldsets = ((None, {"fields": (
        "username", "name", "email", "email_verified", "password", "is_active", "is_superuser",
        "user_permissions", "last_login", "date_joined",
    )}),)  # fmt: skip
    readonly_fields = ("username", "last_login", "date_joined")
    filter_horizontal = ()
    view_on_site = False
    actions = ["open_sign_in", "unlink"]

    @admin.action(description="Open sign-in again after wrong passwords")
    def open_sign_in(self, request: HttpRequest, users: QuerySet[User]) -> None:
        for user in users:
            unlock(user)
        self.message_user(request, f"Sign-in is open for {users.count()}.", messages.SUCCESS)

    @admin.action(description="Unlink from the sign-in provider")
    def unlink(self, request: HttpRequest, users: QuerySet[User]) -> None:
        removed = sum(remove_identities(user) for user in users)
        self.message_user(
            request, f"Unlinked {removed}. The next sign-in links by address.", messages.SUCCESS
        )

    def formfield_for_manytomany(self, *args: Any, **options: Any) -> ModelMultipleChoiceField[Any] | None:
        """Offer the permissions that have an effect outside these pages, which superusers alone can open."""
        field = super().formfield_for_manytomany(*args, **options)
        if field is not None:
            codenames = [name.partition(".")[2] for name in settings.GRANTED_BY_ADMINISTRATORS]
            field.queryset = Permission.objects.filter(codename__in=codenames).select_related("content_type")
            field.help_text = ""
        return field

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        return named_urls(super().get_urls())


def named_urls(urls: list[URLPattern]) -> list[URLPattern]:
    """Leave out the redirect from the addresses that Django 1.8 used."""
    return [url for url in urls if url.name]
