"""The API under /api/: the routers of the apps, token authentication, and errors (RFC 9457)."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.multipartparser import MultiPartParserError
from django.urls import path
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.openapi.schema import OpenAPISchema
from ninja.operation import Operation

from accounts.api_auth import BearerToken
from accounts.request_limit import TooManyRequests
from assess.api import router as assess_router
from metrics.api import router as metrics_router
from pooling.api import router as pooling_router
from pooling.api.access import InvalidForm
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.formats.run_checks import RunRefused
from pooling.refusals import Conflict, Refused
from pooling.version import VERSION

PROBLEM = "application/problem+json"

TOO_MANY = {
    "description": "Too many requests of this token",
    "headers": {
        "Retry-After": {
            "description": "Seconds until the next request is allowed.",
            "schema": {"type": "integer", "minimum": 1},
        }
    },
    "content": {PROBLEM: {"schema": {"$ref": "#/components/schemas/ProblemOut"}}},
}


class Api(NinjaAPI):
    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the name of an operation's URL: it stays if our modules move, as clients go by it."""
        return operation.view_func.__name__

    def get_openapi_schema(
        self, *, path_prefix: str | None = None, path_params: dict[str, Any] | None = None
    ) -> OpenAPISchema:
        prefix = self.get_root_path(path_params or {}) if path_prefix is None else path_prefix
        return document(prefix, settings.SITE)


@lru_cache(maxsize=2)
def document(prefix: str, site: str) -> OpenAPISchema:
    """Return the OpenAPI document, which tells that errors are problem details.

    It is made once in a process: that takes two seconds of a processor, and anybody may ask for it.
    prefix: the path of the API's root. site: the address of the site; "" is that of the document.
    """
    schema = NinjaAPI.get_openapi_schema(api, path_prefix=prefix)
    schema["servers"] = [{"url": site or "/"}]
    for operations in schema["paths"].values():
        for operation in operations.values():
            operation["responses"][429] = TOO_MANY
            for status, response in operation["responses"].items():
                content = response.get("content", {})
                if int(status) >= 400 and "application/json" in content:
                    content[PROBLEM] = content.pop("application/json")
    return schema


api = Api(
    title="Jurypool",
    version=VERSION,
    description="Send `Authorization: Bearer TOKEN`. Create a token under your name in the top bar.",
    auth=BearerToken(),
    urls_namespace="api",
    docs_url="docs/",
)


def refuse_unknown_parameters(operation: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse unknown query parameters, so that a misspelt one is not ignored."""

    @wraps(operation)
    def checked(request: HttpRequest, *args: Any, **values: Any) -> Any:
        known = {name for value in values.values() if isinstance(value, Schema) for name in value.dict()}
        if unknown := [name for name in request.GET if name not in known]:
            expected = ", ".join(sorted(known)) or "none"
            raise HttpError(422, f"Parameters: expected {expected}; found {unknown[0]!r:.60}")
        return operation(request, *args, **values)

    return checked


api.add_decorator(refuse_unknown_parameters)
for router in (pooling_router, assess_router, metrics_router):
    api.add_router("campaigns/", router)


def problem(request: HttpRequest, status: int, title: str, **more: object) -> HttpResponse:
    body = {"status": status, "title": title, **more}
    response = api.create_response(request, body, status=status)
    response["Content-Type"] = PROBLEM
    return response


@api.exception_handler(BadFile)
def bad_file(request: HttpRequest, error: BadFile) -> HttpResponse:
    errors = [{"what": error.message, "wish": "", "line": error.line}] if error.line else []
    if isinstance(error, RunRefused):
        errors = [finding._asdict() for finding in error.errors]
    return problem(
        request, 422, "The file was refused; nothing of it was stored", detail=str(error), errors=errors
    )


@api.exception_handler(StateRefused)
def not_now(request: HttpRequest, error: StateRefused) -> HttpResponse:
    return problem(request, 409, "Not possible in this state of the campaign", detail=str(error))


@api.exception_handler(Refused)
def refused(request: HttpRequest, error: Refused) -> HttpResponse:
    return problem(request, 422, "The request was refused", detail=str(error))


@api.exception_handler(Conflict)
def conflict(request: HttpRequest, error: Conflict) -> HttpResponse:
    return problem(request, 409, "The request does not fit what is stored", detail=str(error))


@api.exception_handler(InvalidForm)
def invalid_form(request: HttpRequest, error: InvalidForm) -> HttpResponse:
    return problem(request, 422, str(error), errors=error.faults)


@api.exception_handler(ValidationError)
def invalid_request(request: HttpRequest, error: ValidationError) -> HttpResponse:
    faults = [{name: fault[name] for name in ("loc", "msg", "type")} for fault in error.errors]
    return problem(request, 422, "The request is invalid", errors=faults)


@api.exception_handler(AuthenticationError)
def unauthenticated(request: HttpRequest, error: AuthenticationError) -> HttpResponse:
    answer = problem(request, 401, "Invalid or missing API token")
    answer["WWW-Authenticate"] = "Bearer"
    return answer


@api.exception_handler(TooManyRequests)
def too_many(request: HttpRequest, error: TooManyRequests) -> HttpResponse:
    answer = problem(request, 429, "Too many requests", detail=f"{error} Try again in {error.wait} s.")
    answer["Retry-After"] = str(error.wait)
    return answer


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Http404) -> HttpResponse:
    return problem(request, 404, "Not found, or not visible to you")


@api.exception_handler(PermissionDenied)
def denied(request: HttpRequest, error: PermissionDenied) -> HttpResponse:
    return problem(request, 403, str(error))


@api.exception_handler(HttpError)
def http_error(request: HttpRequest, error: HttpError) -> HttpResponse:
    return problem(request, error.status_code, error.message)


@api.exception_handler(MultiPartParserError)
def unreadable_form(request: HttpRequest, error: MultiPartParserError) -> HttpResponse:
    return problem(request, 400, "The form cannot be read", detail=str(error))


@api.exception_handler(SuspiciousOperation)
def suspicious(request: HttpRequest, error: SuspiciousOperation) -> HttpResponse:
    if isinstance(error, RequestDataTooBig):
        return problem(request, 413, "The request is too large", detail=str(error))
    return problem(request, 400, "The request cannot be read", detail=str(error))


def unknown_address(request: HttpRequest, **parameters: str) -> HttpResponse:
    """Answer for every address that no operation has."""
    return problem(request, 404, "The API has no such address; /api/docs/ lists all operations")


def with_problem_of_method(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Return a view whose refusal of a method is a problem, too."""

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **values: Any) -> HttpResponse:
        response = view(request, *args, **values)
        if not isinstance(response, HttpResponseNotAllowed):
            return response
        refusal = problem(request, 405, f"Expected {response['Allow']}, found {request.method}")
        refusal["Allow"] = response["Allow"]
        return refusal

    return answer


urls = api.urls
urls[0].append(path("<path:rest>", unknown_address, name="unknown-address"))
for pattern in urls[0]:  # authenticated by token, not by session: no redirect to the sign-in page
    if pattern.callback:
        pattern.callback = login_not_required(with_problem_of_method(pattern.callback))
