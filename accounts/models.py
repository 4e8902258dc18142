from __future__ import annotations

import hashlib
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.contrib.sessions.base_session import AbstractBaseSession, BaseSessionManager
from django.db import models
from django.utils import timezone

from accounts.sessions import SessionStore


class User(AbstractUser):
    """A person who signs in, or the named source of imported labels, which never can."""

    first_name = None  # type: ignore[assignment]  # one name: people are called differently over the world
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=150, blank=True, help_text="As colleagues know you.")
    reset_mailed_at = models.DateTimeField(
        null=True, editable=False, help_text="When a link for a new password was last mailed."
    )

    email_verified = models.BooleanField(
        "E-mail address verified",
        default=False,
        help_text="The person has opened a link that was mailed there, or the sign-in provider says so.",
    )
    wants_reminders = models.BooleanField("Reminders of open judging work", default=True)
    wants_release_mail = models.BooleanField("News of shared qrels", default=True)
    wants_digest = models.BooleanField("A weekly digest of my campaigns", default=True)

    def __str__(self) -> str:
        return self.name or self.username

    def get_full_name(self) -> str:
        return str(self)

    def get_short_name(self) -> str:
        return str(self)

    @property
    def can_sign_in(self) -> bool:
        """Whether there is a password or an identity at the provider; the account may be disabled yet."""
        return self.has_usable_password() or self.identities.exists()


class SessionQuerySet(models.QuerySet["Session"]):
    def open(self) -> SessionQuerySet:
        """Return the sessions that have not expired."""
        return self.filter(expire_date__gt=timezone.now())


class SessionManager(BaseSessionManager.from_queryset(SessionQuerySet)):  # type: ignore[misc]  # made on the spot
    pass


class Session(AbstractBaseSession):
    """A session of a user in one browser. The name of the device is in its data."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    last_seen_at = models.DateTimeField(default=timezone.now)

    objects: ClassVar[SessionManager] = SessionManager()

    class Meta:
        ordering = ["-last_seen_at"]

    def __str__(self) -> str:
        return f"{self.device}, {self.user}"

    @classmethod
    def get_session_store_class(cls) -> type[SessionStore]:
        return SessionStore

    @property
    def name(self) -> str:
        """Public identifier for URLs; the session key itself is secret."""
        return hashlib.sha256(self.session_key.encode()).hexdigest()[:16]

    @property
    def device(self) -> str:
        return str(self.get_decoded().get("device", "Unknown device"))


class ApiToken(models.Model):
    """Lets a program act as a person. The token is shown once; only its hash is kept."""

    class Scope(models.TextChoices):
        READ = "read", "Read"
        SUBMIT = "submit", "Read, and submit runs"
        ALL = "all", "All that I may do"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for, so that you know which one to revoke.")
    scope = models.CharField(max_length=6, choices=Scope, default=Scope.ALL)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_used_at = models.DateTimeField(null=True)
    counted_minute = models.PositiveBigIntegerField(
        default=0, help_text="The minute, since 1970, that `counted_requests` is about."
    )
    counted_requests = models.PositiveIntegerField(
        default=0, help_text="Requests that processes of the server were given in that minute."
    )

    class Meta:
        ordering = ["created_at"]

    def __str__(self) -> str:
        return self.name


class RequestKey(models.Model):
    """The key of a request of a user. made: the primary key of what the request made."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="request_keys")
    key = models.CharField(max_length=64)
    made = models.BigIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="one_request_a_key")]

    def __str__(self) -> str:
        return self.key


class ExternalIdentity(models.Model):
    """A person at an OpenID Connect provider, who signs in to one account."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255, help_text="The address of the provider.")
    subject = models.CharField(max_length=255, help_text="What the provider calls the person, for ever.")
    linked_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["issuer", "subject"], name="identity_of_one_account"),
            # An address that a provider gives to another person later is not linked a second time.
            models.UniqueConstraint(fields=["issuer", "user"], name="account_of_one_identity"),
        ]
        verbose_name_plural = "external identities"

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"
