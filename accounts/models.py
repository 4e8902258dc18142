from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils import timezone


class User(AbstractUser):
    """A person who signs in, or the named source of imported labels (which never can: it has no password)."""

    first_name = None  # type: ignore[assignment]  # one name: people are called differently over the world
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=150, blank=True, help_text="As colleagues know you.")

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)


class ApiToken(models.Model):
    """Lets a program act as a person. The token is shown once; only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for, so that you know which one to revoke.")
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return self.name
