"""Who signs in, and who a session belongs to."""

from __future__ import annotations

from django.contrib.auth.backends import ModelBackend
from django.db.models import QuerySet

from accounts.models import User
from accounts.prepared import Prepared


class Backend(ModelBackend):
    """Django's own; it finds the person of a session without writing SQL."""

    def get_user(self, user_id: int) -> User | None:
        for user in _users(user_id):
            return user if self.user_can_authenticate(user) else None
        return None


@Prepared
def _users(pk: int) -> QuerySet[User]:
    return User.objects.filter(pk=pk)
