"""Sessions in the database: each stores its user and when it was last used. One without a user is short."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db import OperationalError
from django.utils import timezone

if TYPE_CHECKING:
    from accounts.models import Session

LAST_SEEN_INTERVAL = timedelta(
    minutes=10
)  # the interval of writes to `last_seen_at`: not one for every request
STRANGER_SECONDS = 3600  # anybody can have such a session made, and a sign-in takes minutes


class SessionStore(DatabaseStore):
    user_id: int | None = None  # of the row that was loaded: the log names the user without a query

    def get_session_cookie_age(self) -> int:
        return super().get_session_cookie_age() if SESSION_KEY in self else STRANGER_SECONDS

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
        sessions = self.get_model_class().objects.filter(session_key=self.session_key)
        row = sessions.filter(expire_date__gt=timezone.now()).first()
        if row is None:
            return super().load()  # which discards the key, too
        if timezone.now() - row.last_seen_at > LAST_SEEN_INTERVAL:
            with suppress(OperationalError):  # while another process writes: a page need not fail for this
                sessions.update(last_seen_at=timezone.now())
        self.user_id = row.user_id
        contents: dict[str, Any] = row.get_decoded()
        return contents
