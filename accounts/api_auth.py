"""API authentication: a bearer token with a scope."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from ninja.security import HttpBearer

from accounts.models import ApiToken, User
from accounts.request_limit import count_request
from accounts.services import token_of_secret

Scope = ApiToken.Scope
METHODS_OF_SCOPE = {Scope.READ: {Scope.READ}, Scope.SUBMIT: {Scope.READ, Scope.SUBMIT}, Scope.ALL: set(Scope)}
SAFE_METHODS = {"GET", "HEAD", "OPTIONS"}


class BearerToken(HttpBearer):
    """Authenticate by API token. to_change: the scope that unsafe methods need."""

    def __init__(self, to_change: str = Scope.ALL) -> None:
        self.to_change = to_change
        super().__init__()

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        api_token = token_of_secret(token)
        if api_token is None:
            return None
        count_request(api_token)
        wanted = Scope.READ if request.method in SAFE_METHODS else self.to_change
        if wanted not in METHODS_OF_SCOPE[Scope(api_token.scope)]:
            raise PermissionDenied(
                f"This token has the scope {api_token.scope}; this needs {wanted}. Create another token."
            )
        request.user = api_token.user
        return api_token.user
