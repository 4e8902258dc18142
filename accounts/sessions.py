"""Where sessions are kept: in the database, each with whose it is and when it was last seen."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import QuerySet
from django.utils import timezone

from accounts.prepared import Prepared

if TYPE_CHECKING:
    from accounts.models import Session

SEEN_EVERY = timedelta(minutes=10)  # so that a judge's keys write labels, not sessions


class SessionStore(DatabaseStore):
    @classmethod
    def get_model_class(cls) -> type[Session]:
        from accounts.models import Session  # settings name this module before models can be loaded

        return Session

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        row = super().create_model_instance(data)
        assert isinstance(row, self.get_model_class())
        row.user_id = data.get(SESSION_KEY)
        return row

    def load(self) -> dict[str, Any]:
        for row in _sessions(self.session_key or ""):
            if row.expire_date <= timezone.now():
                break
            if timezone.now() - row.last_seen_at > SEEN_EVERY:
                self.get_model_class().objects.filter(pk=row.pk).update(last_seen_at=timezone.now())
            return self.decode(row.session_data)
        self._session_key = None
        return {}

    def decode(self, session_data: bytes | str) -> dict[str, Any]:
        return deepcopy(_decoded(session_data))


@Prepared
def _sessions(key: str) -> QuerySet[Session]:
    sessions: QuerySet[Session] = SessionStore.get_model_class().objects.filter(session_key=key)
    return sessions


@lru_cache(maxsize=1_000)
def _decoded(session_data: bytes | str) -> dict[str, Any]:
    """Check and read what a session holds; the same text once, not with each of a judge's keys."""
    found: dict[str, Any] = DatabaseStore().decode(session_data)
    return found
