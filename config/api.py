"""The API under /api/: the floors' routers, tokens at the door, errors as problem details (RFC 9457)."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from ninja import NinjaAPI
from ninja.errors import ValidationError
from ninja.security import HttpBearer

from accounts.models import User
from accounts.services import user_of_token
from pooling.api import router as pooling_router
from pooling.submission import Refused
from pooling.textfile import BadFile


class Token(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        user = user_of_token(token)
        if user:
            request.user = user
        return user


api = NinjaAPI(
    title="Jurypool",
    version="1",
    description="Send `Authorization: Bearer` and a token of yours.",
    auth=Token(),
    urls_namespace="api",
    docs_url="docs/",
)
api.add_router("campaigns/", pooling_router)


def problem(request: HttpRequest, status: int, title: str, **more: object) -> HttpResponse:
    body = {"status": status, "title": title, **more}
    response = api.create_response(request, body, status=status)
    response["Content-Type"] = "application/problem+json"
    return response


@api.exception_handler(BadFile)
def refused(request: HttpRequest, error: BadFile) -> HttpResponse:
    errors = [found._asdict() for found in error.errors] if isinstance(error, Refused) else []
    return problem(
        request, 422, "The file was refused; nothing of it was stored", detail=str(error), errors=errors
    )


@api.exception_handler(ValidationError)
def malformed(request: HttpRequest, error: ValidationError) -> HttpResponse:
    return problem(request, 422, "The request is not as the API expects it", errors=error.errors)


@api.exception_handler(Http404)
def missing(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(request, 404, "There is nothing here, or it is not yours to see")


@api.exception_handler(PermissionDenied)
def denied(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return problem(request, 403, str(error))


urls = api.urls
for pattern in urls[0]:  # a token opens this door, not a session: no redirect to the sign-in page
    if pattern.callback:
        login_not_required(pattern.callback)
