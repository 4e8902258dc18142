"""WSGI middleware: refuse requests in other charsets than UTF-8, and replace NUL characters."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.utils.http import parse_header_parameters

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

UTF_8 = ("utf-8", "utf8")
EXPECTED_CHARSET = "Expected a request in UTF-8; its Content-Type names another charset"
REFUSAL = "text/plain; charset=utf-8", f"{EXPECTED_CHARSET}.\n".encode()
API_REFUSAL = "application/problem+json", json.dumps({"status": 400, "title": EXPECTED_CHARSET}).encode()
NUL_REPLACEMENTS = {  # where it may stand: how it is written there, and U+FFFD
    "PATH_INFO": ("\0", "\ufffd".encode().decode("latin-1")),
    "QUERY_STRING": ("%00", "%EF%BF%BD"),
    "HTTP_COOKIE": (r"\000", "?"),  # cookies cannot hold it
}


def require_utf8(application: WSGIApplication) -> WSGIApplication:
    """Refuse a request in another charset than UTF-8; replace NUL in its address and cookies.

    Django reads a request by the charset that it names: half characters come through, or it fails, for some
    names before any middleware is asked. PostgreSQL fails on a text with NUL, even one only looked up.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if not _names_utf8(environ.get("CONTENT_TYPE", "")):
            kind, body = API_REFUSAL if environ["PATH_INFO"].startswith("/api/") else REFUSAL
            start_response("400 Bad Request", [("Content-Type", kind)])
            return [body]
        for variable, (written, instead) in NUL_REPLACEMENTS.items():
            environ[variable] = environ.get(variable, "").replace(written, instead)
        return application(environ, start_response)

    return answer


def _names_utf8(content_type: str) -> bool:
    """UTF-8, or no charset, which means the same."""
    try:
        _, parameters = parse_header_parameters(content_type)
    except ValueError:  # a parameter in an unknown charset
        return False
    return parameters.get("charset", "utf-8").lower() in UTF_8
