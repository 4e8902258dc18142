"""A small OpenID Connect provider on this machine, whose answers a test can change to lies."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey
from joserfc.jws import JWSRegistry
from pytest_django import Settings

from accounts.provider import client_of

CLIENT, SECRET = "jurypool", "a secret of the client"
PAGE = """<!doctype html><html lang="en"><title>Campus login</title><h1>Campus login</h1>
<a href="{agreed}">Continue as Rosa</a> <a href="{denied}">Cancel</a></html>"""


class Provider(ThreadingHTTPServer):
    """Knows one person. `claims`, `header`, `key`, `metadata` and `status` are for tests to change."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.issuer = f"http://127.0.0.1:{self.server_port}"
        self.published = RSAKey.generate_key(2048, {"kid": "one"})
        self.key = self.published
        self.person: dict[str, Any] = {
            "sub": "rosa-1",
            "email": "rosa@campus.example",
            "email_verified": True,
            "name": "Rosa Luna",
            "preferred_username": "rosa",
        }
        self.claims: dict[str, Any] = {}  # over the right ones of the ID token; None takes one away
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "one"}
        self.metadata: dict[str, Any] = {}
        self.user_info: dict[str, Any] = {}
        self.status = 200  # of the answer with the token
        self.asked: dict[str, dict[str, str]] = {}  # code -> the parameters of its request

    def agree(self, parameters: dict[str, str]) -> str:
        """Return where the browser goes once the person has agreed."""
        code = f"code-{len(self.asked)}"
        self.asked[code] = parameters
        return f"{parameters['redirect_uri']}?{urlencode({'code': code, 'state': parameters['state']})}"

    def token_for(self, form: dict[str, str]) -> dict[str, Any]:
        """Return the tokens for a code that is used with the right verifier, once."""
        asked = self.asked.pop(form["code"])
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        assert base64url(digest) == asked["code_challenge"]
        assert asked["code_challenge_method"] == "S256"
        assert form["redirect_uri"] == asked["redirect_uri"]
        return {"access_token": "access", "token_type": "Bearer", "id_token": self.id_token(asked["nonce"])}

    def id_token(self, nonce: str) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 60,
            "nonce": nonce,
            **self.person,
            **self.claims,
        }
        claims = {name: value for name, value in claims.items() if value is not None}
        if self.header["alg"] in ("none", "HS256"):
            return self.signed_by_hand(claims)
        registry = JWSRegistry(algorithms=[self.header["alg"]])
        return jwt.encode(self.header, claims, self.key, registry=registry)

    def signed_by_hand(self, claims: dict[str, Any]) -> str:
        """Return a token that the library refuses to make: unsigned, or with the public key as secret."""
        parts = [base64url(json.dumps(part).encode()) for part in (self.header, claims)]
        public = self.published.as_pem(private=False)
        signature = hmac.digest(public, ".".join(parts).encode(), "sha256")
        return ".".join([*parts, base64url(signature) if self.header["alg"] == "HS256" else ""])


def base64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Answers(BaseHTTPRequestHandler):
    server: Provider

    def do_GET(self) -> None:
        place, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        issuer = self.server.issuer
        if place == "/.well-known/openid-configuration":
            metadata = {
                "issuer": issuer,
                "authorization_endpoint": f"{issuer}/authorize",
                "token_endpoint": f"{issuer}/token",
                "jwks_uri": f"{issuer}/keys",
                "userinfo_endpoint": f"{issuer}/me",
                "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            }
            self.answer(metadata | self.server.metadata)
        elif place == "/keys":
            self.answer({"keys": [self.server.published.as_dict(private=False)]})
        elif place == "/me":
            self.answer(self.server.user_info)
        elif place == "/authorize":
            parameters = {name: values[0] for name, values in query.items()}
            denied = urlencode({"error": "access_denied", "state": parameters["state"]})
            links = {
                "agreed": self.server.agree(parameters),
                "denied": f"{parameters['redirect_uri']}?{denied}",
            }
            self.answer(PAGE.format(**{name: link.replace("&", "&amp;") for name, link in links.items()}))
        else:
            self.answer({}, 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        expected = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        assert self.headers["Authorization"] == f"Basic {expected}"
        self.answer(self.server.token_for(form), self.server.status)

    def answer(self, content: dict[str, Any] | str, status: int = 200) -> None:
        is_page = isinstance(content, str)
        body = content.encode() if isinstance(content, str) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_page else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Write nothing."""


@contextmanager
def running_provider() -> Iterator[Provider]:
    with Provider() as provider:
        thread = threading.Thread(target=provider.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield provider
        finally:
            provider.shutdown()
            thread.join()


def use_provider(provider: Provider, settings: Settings) -> None:
    """Let the site sign people in at this provider."""
    client_of.cache_clear()  # another provider may have had this port
    settings.OIDC_ISSUER, settings.OIDC_NAME = provider.issuer, "Campus"
    settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
