"""Sign-in at an OpenID Connect provider: the authorization code flow with PKCE, done by Authlib.

Authlib checks the state, the nonce, and the signature and the times of the ID token. Here are the checks
that it leaves to its user: the issuer of the metadata, the algorithms of the signature, and that the ID token
is of this issuer and for this client.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.base_client import MismatchingStateError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.http import HttpRequest
from django.urls import reverse
from joserfc.errors import JoseError
from requests import RequestException

log = logging.getLogger("jurypool.accounts")

# Signatures with a public key of the provider. Providers may also offer "none", which anybody can write.
ALGORITHMS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"}
TIMEOUT = 10  # seconds for each answer of the provider
MOST_STARTED = 5  # sign-ins of one session that can still be finished: those of the last tabs


class ProviderRefusal(Exception):
    """A sign-in at the provider that ended without a person; its text is for the person who tried."""


class ProviderIdentity(NamedTuple):
    """What the provider says about a person; issuer and subject together are unique."""

    issuer: str
    subject: str
    email: str  # empty unless the provider has verified it
    name: str
    username: str


def start_sign_in(request: HttpRequest, **purpose: Any) -> str:
    """Return the address at the provider; state, nonce, code verifier and purpose are in the session."""
    with refusals():
        client = configured_client()
        callback_url = request.build_absolute_uri(reverse("accounts:provider_callback"))
        started = client.create_authorization_url(callback_url)
        client.save_authorize_data(request, redirect_uri=callback_url, purpose=purpose, **started)
        states = [name for name, _ in request.session.items() if name.startswith("_state_")]  # Authlib's
        for name in states[:-MOST_STARTED]:
            del request.session[name]
        return str(started["url"])


def finish_sign_in(request: HttpRequest) -> tuple[dict[str, Any], ProviderIdentity]:
    """Return the purpose that was stored at the start and the person. Raises ProviderRefusal."""
    with refusals():
        client = configured_client()
        started = client.framework.get_state_data(request.session, request.GET.get("state", "")) or {}
        checks = {
            "iss": {"essential": True, "value": settings.OIDC_ISSUER},
            "aud": {"essential": True, "value": settings.OIDC_CLIENT_ID},
        }
        token = client.authorize_access_token(request, claims_options=checks)
        claims = dict(token["userinfo"])  # of the ID token; KeyError without one
        if "email" not in claims and client.server_metadata.get("userinfo_endpoint"):
            more = client.userinfo(token=token)
            if more["sub"] != claims["sub"]:
                raise ValueError("the user info is of another subject than the ID token")
            claims = {**more, **claims}
        return started["purpose"], identity_of(claims)


def configured_client() -> Any:
    return client_of(settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET)


@cache
def client_of(issuer: str, client_id: str, client_secret: str) -> Any:
    """Return Authlib's client with the metadata of the provider, loaded once for each process."""
    client = OAuth().register(
        "oidc",
        client_id=client_id,
        client_secret=client_secret,
        server_metadata_url=f"{issuer.rstrip('/')}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT,
        },
    )
    metadata = client.load_server_metadata()
    if metadata["issuer"] != issuer:
        raise ValueError(
            f"JURYPOOL_OIDC_ISSUER is {issuer!r}, the provider names itself {metadata['issuer']!r}"
        )
    offered = metadata.get("id_token_signing_alg_values_supported", ["RS256"])
    metadata["id_token_signing_alg_values_supported"] = sorted(ALGORITHMS & set(offered))
    if not metadata["id_token_signing_alg_values_supported"]:
        raise ValueError(f"the provider signs by {offered!r}, none of which is in {sorted(ALGORITHMS)}")
    return client


@contextmanager
def refusals() -> Iterator[None]:
    """Turn each failure into a sentence for the person, and write its reason to the log, without tokens."""
    name = settings.OIDC_NAME
    try:
        yield
    except MismatchingStateError as error:
        raise _refusal(
            "This sign-in was started in another browser, or it was finished already. Try again.", error
        ) from None
    except AuthlibBaseError as error:
        if error.error == "access_denied":
            raise _refusal(f"{name} did not permit the sign-in.", error) from None
        raise _refusal(f"{name} refused the sign-in. Try again.", error) from None
    except JoseError as error:
        raise _refusal(f"The answer of {name} could not be verified. Nothing was changed.", error) from None
    except RequestException as error:
        raise _refusal(f"{name} does not answer at present. Try again later.", error) from None
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:  # of a malformed answer
        text = (
            f"{name} gave an answer that Jurypool does not accept. An administrator can read why in the log."
        )
        raise _refusal(text, error) from None


def _refusal(text: str, error: Exception) -> ProviderRefusal:
    log.warning("sign-in at the provider failed: %s %.300r", type(error).__name__, str(error))
    return ProviderRefusal(text)


def identity_of(claims: dict[str, Any]) -> ProviderIdentity:
    """Return the person of these claims. Raises ValueError without a usable subject."""
    subject = claims["sub"]
    if not (isinstance(subject, str) and subject.isprintable() and 0 < len(subject) <= 255):
        raise ValueError(f"expected a subject of 1 to 255 characters, found {subject!r:.300}")
    email = _text(claims, "email", 254) if claims.get("email_verified") is True else ""
    try:
        validate_email(email)
    except ValidationError:
        email = ""
    username = _text(claims, "preferred_username", 150) or email
    return ProviderIdentity(settings.OIDC_ISSUER, subject, email, _text(claims, "name", 150), username)


def _text(claims: dict[str, Any], claim: str, longest: int) -> str:
    """Return a claim as one line of printable characters; empty if it is not text or is too long."""
    value = claims.get(claim)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    return text if text.isprintable() and len(text) <= longest else ""
