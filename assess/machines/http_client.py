"""Send one request to an endpoint. Every failure is a result; nothing here waits, retries or stores.

A connection carries one request: a server that closes a connection while it waits would make it unknown
whether the next request arrived. No proxy of the environment is used, and no redirect is followed.
"""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from enum import Enum
from http.client import HTTPException
from typing import Any, NamedTuple

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from assess.endpoints import (
    AddressRefused,
    Endpoint,
    HostUnknown,
    PrivatePlaces,
    allowed_addresses,
)
from assess.machines.key_masking import RUN, mask_key
from assess.machines.parameter_fallbacks import refused_parameter
from assess.machines.responses import BadResponse, Completion, read_completion
from pooling.formats.text import replace_unstorable

MAX_BYTES, CHUNK = 4 << 20, 1 << 16  # of the body of a response
MOST_WORDS = 1_000  # characters of the message of an error
AGAIN = (408, 409, 429, 500, 502, 503, 504)
KEY_REFUSED = "The endpoint refused the key."
QUOTA = "The endpoint says that the quota or the credit of its account is used up."
REDIRECT = (
    "The endpoint answered with a redirect, which is not followed. Its address in the settings is wrong."
)
CERTIFICATE = "The certificate of the endpoint is not valid for its host, or its issuer is not known here."
UNREACHABLE = "No connection to the endpoint could be opened."
NO_ANSWER = "The request was sent, but no complete answer came in time."
TOO_LONG = f"The answer was longer than {MAX_BYTES >> 20} MB."
NOT_JSON = "The answer was not JSON."


class Result(Enum):
    """What became of a request, and whether it may have been paid for."""

    ANSWERED = "answered"
    UNREADABLE = "answered, but not with a completion; may have been paid for"
    LOST = "sent, without a complete answer; may have been paid for"
    AGAIN = "not paid for; may be sent again later"
    PARAMETER = "not paid for; a parameter is not accepted"
    FAILED = "not paid for; would fail again"
    STOP = "not paid for; all other requests would fail too"


class Outcome(NamedTuple):
    """problem: a sentence. headers: of the response, names in small letters. parameter: for PARAMETER."""

    result: Result
    problem: str = ""
    completion: Completion | None = None
    headers: Mapping[str, str] = {}
    parameter: str = ""
    seconds: float = 0.0


class TimeLimits(NamedTuple):
    """Seconds: to connect, between two parts of the response, and for all of it once connected."""

    connect: float = 10.0
    read: float = 180.0
    whole: float = 300.0


LIMITS = TimeLimits()


class Response(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes


class _TooLong(Exception):
    """The body of the response passes MAX_BYTES."""


def send(
    endpoint: Endpoint, private: PrivatePlaces, body: Mapping[str, Any], limits: TimeLimits = LIMITS
) -> Outcome:
    """Send a request body, and return what became of it. Never raises for what a server or network does."""
    started = time.monotonic()
    try:
        outcome = _outcome(_first_response(endpoint, private, body, limits), body, endpoint.key)
    except AddressRefused as error:
        outcome = Outcome(Result.STOP, str(error))
    except HostUnknown as error:
        outcome = Outcome(Result.AGAIN, str(error))
    except (NewConnectionError, ConnectTimeoutError):
        outcome = Outcome(Result.AGAIN, UNREACHABLE)
    except ssl.SSLCertVerificationError:
        outcome = Outcome(Result.STOP, CERTIFICATE)
    except _TooLong:
        outcome = Outcome(Result.UNREADABLE, TOO_LONG)
    except (HTTPError, HTTPException, OSError):
        outcome = Outcome(Result.LOST, NO_ANSWER)
    return outcome._replace(seconds=time.monotonic() - started)


def _first_response(
    endpoint: Endpoint, private: PrivatePlaces, body: Mapping[str, Any], limits: TimeLimits
) -> Response:
    """Return the response of the first address of the host to which a connection can be opened."""
    *others, last = allowed_addresses(endpoint, private)
    for address in others:
        try:
            return _response(endpoint, address, body, limits)
        except (NewConnectionError, ConnectTimeoutError):
            continue
    return _response(endpoint, last, body, limits)


def _response(endpoint: Endpoint, address: str, body: Mapping[str, Any], limits: TimeLimits) -> Response:
    """Connect to an address; certificate and Host header are those of the endpoint's host."""
    headers = {
        "Host": endpoint.host_header,
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Accept-Encoding": "identity",
        "Connection": "close",
        "User-Agent": "jurypool",
    }
    if endpoint.key:
        headers["Authorization"] = f"Bearer {endpoint.key}"
    with closing(_connection(endpoint, address, limits.connect)) as connection:
        connection.connect()
        connection.timeout = limits.read
        with _shut_down_after(limits.whole, connection.sock) as passed:
            with suppress(BrokenPipeError, ConnectionResetError):  # an error may come before all is sent
                connection.request(
                    "POST",
                    f"{endpoint.path}/chat/completions",
                    body=json.dumps(body).encode(),
                    headers=headers,
                    preload_content=False,
                )
            with closing(connection.getresponse()) as response:
                names = {name.lower(): value for name, value in response.headers.items()}
                return Response(response.status, names, _content(response, passed))


def _connection(endpoint: Endpoint, address: str, timeout: float) -> HTTPConnection:
    if endpoint.scheme == "http":
        return HTTPConnection(address, endpoint.port, timeout=timeout)
    return HTTPSConnection(
        address,
        endpoint.port,
        timeout=timeout,
        cert_reqs="CERT_REQUIRED",
        server_hostname=endpoint.host,  # of which the certificate must be
    )


@contextmanager
def _shut_down_after(seconds: float, connected: socket.socket) -> Iterator[threading.Event]:
    """Shut the socket down when the time has passed, and set the event first.

    Whatever waits for the next byte then reads the end of the stream, also between two bytes of a header.
    """
    passed = threading.Event()

    def shut_down() -> None:
        passed.set()
        with suppress(OSError):  # closed already
            socket.socket.shutdown(connected, socket.SHUT_RDWR)  # that of SSLSocket would turn off TLS first

    timer = threading.Timer(seconds, shut_down)
    timer.daemon = True
    timer.start()
    try:
        yield passed
    finally:
        timer.cancel()


def _content(response: urllib3.BaseHTTPResponse, passed: threading.Event) -> bytes:
    """Return the body of a response, or what came of it for a response that is an error.

    Raises _TooLong, and TimeoutError at the end of the time.
    """
    content = bytearray()
    try:
        while part := response.read1(CHUNK, decode_content=False):
            content += part
            if len(content) > MAX_BYTES:
                raise _TooLong
        if passed.is_set():  # the end that was read is not the server's
            raise TimeoutError
    except (_TooLong, HTTPError, OSError):
        if response.status == 200:
            raise
    return bytes(content)


def _outcome(response: Response, body: Mapping[str, Any], key: str) -> Outcome:
    read, status = read_json(response.content, key), response.status
    if status == 200:
        return _answered(read, response)
    error = _error(read)
    problem = _sentence(status, error, key)
    if 300 <= status < 400:
        result, problem = Result.STOP, REDIRECT
    elif status in (401, 403):
        result, problem = Result.STOP, KEY_REFUSED
    elif status == 429 and "insufficient_quota" in (error.get("code"), error.get("type")):
        result, problem = Result.STOP, QUOTA
    elif status in AGAIN:
        result = Result.AGAIN
    elif status in (400, 422) and (parameter := refused_parameter(error, body)):
        return Outcome(Result.PARAMETER, problem, None, response.headers, parameter)
    else:
        result = Result.FAILED
    return Outcome(result, problem, None, response.headers)


def _answered(read: Any, response: Response) -> Outcome:
    if read is None:
        return Outcome(Result.UNREADABLE, NOT_JSON, None, response.headers)
    try:
        return Outcome(Result.ANSWERED, "", read_completion(read), response.headers)
    except BadResponse:
        problem = "The answer was JSON, but no chat completion."
        return Outcome(Result.UNREADABLE, problem, None, response.headers)


def read_json(content: bytes, key: str) -> Any:
    """Return the JSON of a body, without the key if a server repeats it; None for what is not JSON."""
    try:
        return json.loads(mask_key(json.dumps(json.loads(content), ensure_ascii=False), key))
    except (ValueError, RecursionError):
        return None


def _error(read: Any) -> dict[str, Any]:
    error = read.get("error", read) if isinstance(read, dict) else None
    if isinstance(error, dict):
        return error
    return {"message": error} if isinstance(error, str) else {}


def _sentence(status: int, error: Mapping[str, Any], key: str) -> str:
    """Return what an organiser reads: the message alone of all that the server says, without the key."""
    message, words = error.get("message"), f"The server answered with status {status}"
    if not (message and isinstance(message, str)):
        return f"{words}."
    one_line = " ".join(message[:MOST_WORDS].split())
    return f"{words}: {replace_unstorable(mask_key(one_line, key, RUN))}"
