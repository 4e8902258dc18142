from __future__ import annotations

from django.contrib.auth.models import AbstractUser
from django.db import models


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
