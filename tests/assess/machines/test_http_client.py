"""One request to an endpoint: every answer of a server, also a broken one, has a result."""

from __future__ import annotations

import datetime
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from assess.endpoints import Endpoint, PrivatePlaces
from assess.machines import http_client
from assess.machines.http_client import Outcome, Result, TimeLimits, send
from assess.machines.parameter_fallbacks import adjust, adjusted
from assess.machines.spending import Charge, Limits
from tests.support.chat_server import KEY, PRIVATE, ChatServer, Reply, completion, error, running_chat_server

BODY: dict[str, Any] = {
    "model": "m", "messages": [{"role": "user", "content": "?"}],
    "temperature": 0, "seed": 1, "max_tokens": 9,
}  # fmt: skip
QUICK = TimeLimits(connect=1, read=0.3, whole=0.5)


@pytest.fixture(scope="module")
def running() -> Iterator[ChatServer]:
    with running_chat_server() as server:
        yield server


@pytest.fixture
def server(running: ChatServer) -> ChatServer:
    running.script.clear()
    running.bodies.clear()
    running.headers.clear()
    return running


def ask(server: ChatServer, *script: Reply, limits: TimeLimits = QUICK) -> Outcome:
    server.script.extend(script)
    return send(server.endpoint(), PRIVATE, BODY, limits)


def test_a_completion_is_read_and_reasoning_is_left_apart(server: ChatServer) -> None:
    content = completion("2", message={"reasoning_content": "final score: 3"})
    outcome = ask(server, Reply(content=content))
    assert outcome.result == Result.ANSWERED
    assert outcome.completion is not None
    assert outcome.completion[:5] == ("2", "stop", "judge-1", 50, 5)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert (server.headers[0]["path"], server.bodies) == ("/v1/chat/completions", [BODY])


def test_no_key_sends_no_header_and_a_missing_usage_is_no_count(server: ChatServer) -> None:
    server.script.append(Reply(content=completion() | {"usage": None}))
    outcome = send(server.endpoint(key=""), PRIVATE, BODY, QUICK)
    assert outcome.completion is not None
    assert outcome.completion.input_tokens is None
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize(
    ("reply", "result"),
    [
        (Reply(200, b"<p>Welcome"), Result.UNREADABLE),
        (Reply(200, b'{"choices": [{"mess'), Result.UNREADABLE),
        (Reply(200, {"object": "list"}), Result.UNREADABLE),
        (Reply(200, b"[" * 100_000), Result.UNREADABLE),
        (Reply(200, b" " * (http_client.MAX_BYTES + 1)), Result.UNREADABLE),
        (Reply(200, completion(), cut=20), Result.LOST),
        (Reply(200, completion(), cut=0), Result.LOST),
        (Reply(200, completion(), slow=0.05), Result.LOST),
        (Reply(200, completion(), slow=1), Result.LOST),
        *((Reply(status, error()), Result.AGAIN) for status in (408, 409, 429, 500, 502, 503, 504)),
        (Reply(500, b"<p>Oops"), Result.AGAIN),
        (Reply(503, error(), cut=5), Result.AGAIN),
        *((Reply(status, error()), Result.FAILED) for status in (400, 404, 413, 422, 418)),
        *((Reply(status, error(KEY)), Result.STOP) for status in (401, 403)),
        (Reply(429, error(code="insufficient_quota")), Result.STOP),
        (Reply(429, error(code="rate_limit_exceeded")), Result.AGAIN),
        *((Reply(status, b"", {"Location": "/v2"}), Result.STOP) for status in (301, 302, 307, 308)),
        (Reply(400, error("Unsupported value: 'temperature' does not support 0", param="temperature")),
         Result.PARAMETER),
        (Reply(400, error("This model's maximum context length is 9. Reduce max_tokens.")), Result.FAILED),
        (Reply(422, {"error": "Unknown field: response_format"}), Result.FAILED),  # it was not sent
    ],
)  # fmt: skip
def test_every_answer_has_a_result(server: ChatServer, reply: Reply, result: Result) -> None:
    outcome = ask(server, reply, limits=QUICK if reply.slow else TimeLimits(1, 5, 5))
    assert outcome.result == result
    assert outcome.problem
    assert KEY not in repr(outcome)
    assert len(server.bodies) == 1  # neither a redirect nor a retry


@pytest.mark.parametrize("tls", [False, True])
def test_the_time_ends_between_two_bytes_of_a_header(
    tls: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    endless = b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 100
    listening = socket.create_server(("127.0.0.2", 0))
    scheme, port = "https" if tls else "http", listening.getsockname()[1]
    if tls:
        certificate = write_certificate(tmp_path, "judge.example")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate, tmp_path / "key.pem")
        listening = context.wrap_socket(listening, server_side=True)
    with listening:
        thread = threading.Thread(target=drip, args=(listening, endless), daemon=True)
        thread.start()
        endpoint = Endpoint("slow", scheme, "127.0.0.2", port, "/v1")
        outcome = send(endpoint, PRIVATE, BODY, TimeLimits(connect=5, read=5, whole=1))
    thread.join(10)
    assert outcome[:2] == (Result.LOST, http_client.NO_ANSWER)
    assert 1 <= outcome.seconds < 3  # the server would send for 6 seconds
    assert not thread.is_alive()


def drip(listening: socket.socket, content: bytes) -> None:
    """Answer one connection with a byte each 50 ms, until it is closed."""
    connected, _ = listening.accept()
    with connected:
        connected.recv(1 << 16)
        try:
            for byte in content:
                time.sleep(0.05)
                connected.sendall(bytes([byte]))
        except OSError:
            pass


def test_a_server_that_repeats_the_key_does_not_get_it_stored(server: ChatServer) -> None:
    outcome = ask(server, Reply(content=completion(f"Your key is {KEY}.")))
    assert outcome.completion is not None
    assert outcome.completion.text == "Your key is [key]."
    assert ask(server, Reply(400, error(f"Bad: {KEY}"))).problem.endswith("Bad: [key]")


def test_a_connection_that_cannot_be_opened_costs_nothing() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        endpoint = Endpoint("local", "http", "127.0.0.1", closed.getsockname()[1], "/v1")
        assert send(endpoint, PRIVATE, BODY, QUICK)[:2] == (Result.AGAIN, http_client.UNREACHABLE)


def test_a_refused_address_is_not_connected_to(server: ChatServer) -> None:
    outcome = send(server.endpoint(), PrivatePlaces(), BODY, QUICK)
    assert outcome.result == Result.STOP
    assert server.bodies == []


def test_no_proxy_of_the_environment_is_used(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(server).result == Result.ANSWERED


def test_the_name_is_resolved_once_and_the_certificate_must_be_of_it(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The connection goes to the checked address, with the name of the host."""
    asked: list[str] = []
    real = socket.getaddrinfo

    def resolve(host: str, *more: Any, **words: Any) -> Any:
        asked.append(host)
        return real("127.0.0.1" if host.endswith(".example") else host, *more, **words)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    certificate = write_certificate(tmp_path, "judge.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, tmp_path / "key.pem")
    with running_chat_server_with(context) as secure:
        outcomes = [
            send(Endpoint("a", "https", host, secure.server_port, "/v1"), PRIVATE, BODY, QUICK)
            for host in ("judge.example", "other.example")
        ]
        assert secure.headers[0]["Host"] == f"judge.example:{secure.server_port}"
    assert [outcome.result for outcome in outcomes] == [Result.ANSWERED, Result.STOP]
    assert outcomes[1].problem == http_client.CERTIFICATE
    assert [host for host in asked if host.endswith(".example")] == ["judge.example", "other.example"]


def running_chat_server_with(context: ssl.SSLContext) -> Any:
    server = ChatServer()
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *args: None  # type: ignore[method-assign]  # a client that ends the handshake
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


def write_certificate(folder: Path, host: str) -> Path:
    """Write a certificate that signs itself, and its key. Return the path of the certificate."""
    key, name = (
        ec.generate_private_key(ec.SECP256R1()),
        x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)]),
    )
    day = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(host), x509.IPAddress(ip_address("127.0.0.2"))])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(day - datetime.timedelta(1))
    builder = builder.not_valid_after(day + datetime.timedelta(1)).add_extension(names, critical=False)
    signed = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    (folder / "certificate.pem").write_bytes(
        signed.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    )
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    (folder / "key.pem").write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    return folder / "certificate.pem"


def test_a_parameter_is_dropped_and_the_limit_of_tokens_gets_its_other_name_once() -> None:
    first = adjust({}, "max_tokens")
    assert first == {"max_tokens": "max_completion_tokens"}
    assert adjust(first, "max_completion_tokens") is None
    both = adjust(first, "seed")
    assert both is not None
    assert adjusted(BODY, both) == {
        "model": "m", "messages": BODY["messages"], "temperature": 0, "max_completion_tokens": 9,
    }  # fmt: skip


def test_a_charge_that_is_exactly_the_ceiling_does_not_pass_it() -> None:
    limits = Limits(10, Decimal("0.15"), Decimal("0.60"), Decimal("0.75"))
    assert limits.problem(Charge(10, 1_000_000, 1_000_000)) == ""
    assert "ceiling of 0.75" in limits.problem(Charge(10, 1_000_001, 1_000_000))
    assert "10 requests" in limits.problem(Charge(11, 0, 0))
    assert Limits(10).problem(Charge(10, 10**9, 10**9)) == ""
