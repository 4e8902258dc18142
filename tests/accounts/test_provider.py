"""Sign-in at an OpenID Connect provider: what is checked, and which account a person gets."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from django.utils import timezone
from joserfc.jwk import RSAKey
from pytest_django import Settings

from accounts.models import ExternalIdentity, Session, User
from accounts.services import change_account, create_token, mark_email_verified, token_of_secret
from assess.services.invitations import invite_to_topics
from pooling.models import Invitation, Role
from pooling.services.people import invite, join_as_new_user, renew_invitation, replace_link
from tests.support.factory import Factory
from tests.support.markup import markup
from tests.support.oidc_provider import CLIENT, Provider, running_provider, use_provider

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with running_provider() as provider:
        use_provider(provider, settings)
        yield provider


def callback(client: Client, provider: Provider, page: str = "/", start: str = "") -> str:
    """Start a sign-in; return the address with which the provider sends the browser back."""
    start = start or client.get("/sign-in/provider/", {"next": page}).headers["Location"]
    asked = {name: values[0] for name, values in parse_qs(urlsplit(start).query).items()}
    assert asked["scope"] == "openid email profile" and asked["response_type"] == "code"
    return provider.agree(asked).removeprefix("http://testserver")


def attempt(client: Client, provider: Provider, page: str = "/") -> str:
    """Sign in at the provider; return where the answer leads to."""
    return client.get(callback(client, provider, page)).headers["Location"]


def who(client: Client) -> str:
    user = client.get("/sign-in/").wsgi_request.user
    return user.get_username()


def with_address(make: Factory, name: str = "rosa", email: str = "Rosa@Campus.Example") -> User:
    user = make.make_user(name)
    User.objects.filter(pk=user.pk).update(email=email, email_verified=True)
    return user


def test_a_person_signs_in_by_address_once_and_by_subject_ever_after(
    make: Factory, provider: Provider
) -> None:
    with_address(make)
    client = Client()
    assert attempt(client, provider, "/measures/") == "/measures/"
    assert who(client) == "rosa"
    provider.person["email"] = "luna@campus.example"
    assert (attempt(again := Client(), provider), who(again)) == ("/", "rosa")
    assert ExternalIdentity.objects.get().subject == "rosa-1"


def test_the_session_key_is_new_and_the_page_that_follows_is_of_this_site(
    make: Factory, provider: Provider
) -> None:
    with_address(make)
    client = Client()
    place = callback(client, provider, "https://evil.example/")
    before = client.session.session_key
    assert client.get(place).headers["Location"] == "/"
    assert client.session.session_key != before


def test_a_stranger_has_a_short_session_that_does_not_grow(make: Factory, provider: Provider) -> None:
    with_address(make)
    client = Client()
    starts = [client.get("/sign-in/provider/").headers["Location"] for _ in range(200)]
    row = Session.objects.get()
    assert len(row.session_data) < 3_000
    assert row.expire_date <= timezone.now() + timedelta(hours=1)
    assert client.cookies["sessionid"]["max-age"] == 3600
    client.get(callback(client, provider, start=starts[0]))
    assert who(client) == ""
    client.get(callback(client, provider, start=starts[-2]))  # of another tab
    assert who(client) == "rosa"
    assert Session.objects.get().expire_date > timezone.now() + timedelta(days=13)


def lie(**change: Any) -> Callable[[Provider], None]:
    return lambda provider: provider.claims.update(change)


def signed_by_another(provider: Provider) -> None:
    provider.key = RSAKey.generate_key(2048, {"kid": "one"})


def unsigned(provider: Provider) -> None:
    provider.header = {"alg": "none"}


def signed_with_the_public_key(provider: Provider) -> None:
    provider.header = {"alg": "HS256", "kid": "one"}


def other_issuer(provider: Provider) -> None:
    provider.metadata["issuer"] = "https://evil.example"


def without_metadata(provider: Provider) -> None:
    provider.metadata["jwks_uri"] = provider.issuer + "/nowhere"


def failing(provider: Provider) -> None:
    provider.status = 500


LIES: dict[str, tuple[Callable[[Provider], None], str]] = {
    "issuer": (lie(iss="https://evil.example"), "could not be verified"),
    "no issuer": (lie(iss=None), "could not be verified"),
    "audience": (lie(aud="another client"), "could not be verified"),
    "audience with our name as party": (lie(aud=["another client"], azp=CLIENT), "could not be verified"),
    "issued to another": (lie(aud=[CLIENT, "another"], azp="another"), "could not be verified"),
    "expired": (lie(exp=1_000_000_000), "could not be verified"),
    "no expiry": (lie(exp=None), "could not be verified"),
    "not yet": (lie(nbf=99_000_000_000), "could not be verified"),
    "nonce": (lie(nonce="another"), "could not be verified"),
    "no nonce": (lie(nonce=None), "could not be verified"),
    "no subject": (lie(sub=None), "could not be verified"),
    "long subject": (lie(sub="x" * 256), "does not accept"),
    "signature": (signed_by_another, "could not be verified"),
    "none": (unsigned, "could not be verified"),
    "public key as secret": (signed_with_the_public_key, "could not be verified"),
    "keys": (without_metadata, "does not answer"),
    "status": (failing, "does not answer"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_manipulated_answer_signs_nobody_in(name: str, make: Factory, provider: Provider) -> None:
    with_address(make)
    change, sentence = LIES[name]
    change(provider)
    client = Client()
    answer = client.get(callback(client, provider), follow=True)
    assert sentence in markup(answer)
    assert (who(client), ExternalIdentity.objects.count()) == ("", 0)


def test_a_provider_of_another_name_is_refused_at_the_start(provider: Provider) -> None:
    other_issuer(provider)
    answer = Client().get("/sign-in/provider/", follow=True)
    assert "does not accept" in markup(answer)


def test_an_answer_to_another_session_or_a_second_time_signs_nobody_in(
    make: Factory, provider: Provider
) -> None:
    with_address(make)
    client, victim = Client(), Client()
    place = callback(client, provider)
    assert "another browser" in markup(victim.get(place, follow=True))
    assert who(victim) == ""
    assert client.get(place).headers["Location"] == "/"
    client.post("/sign-out/")
    assert "another browser" in markup(client.get(place, follow=True))


def test_a_refusal_and_a_silent_provider_are_sentences_and_the_log_has_no_token(
    provider: Provider, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    place = "/sign-in/provider/callback/?error=access_denied&error_description=evil%0Aline"
    with caplog.at_level(logging.INFO):
        answer = Client().get(place, follow=True)
        assert "Campus did not permit the sign-in." in markup(answer)
        assert "evil" not in markup(answer)
        settings.OIDC_ISSUER = "http://127.0.0.1:9"
        assert "Campus does not answer" in markup(Client().get("/sign-in/provider/", follow=True))
    assert "access_denied" in caplog.text and "evil\nline" not in caplog.text


@pytest.mark.parametrize("case", ["unverified", "text", "two", "administrator", "other subject", "inactive"])
def test_an_address_alone_links_no_account(case: str, make: Factory, provider: Provider) -> None:
    rosa = with_address(make)
    if case in ("unverified", "text"):
        provider.person["email_verified"] = False if case == "unverified" else "true"
    if case == "two":
        with_address(make, "luna")
    if case == "administrator":
        make.make_administrator("rosa")
    if case == "other subject":
        ExternalIdentity.objects.create(user=rosa, issuer=provider.issuer, subject="rosa-0")
    if case == "inactive":
        User.objects.filter(pk=rosa.pk).update(is_active=False)
    client = Client()
    answer = client.get(callback(client, provider), follow=True)
    assert "no account here is yours" in markup(answer)
    assert (who(client), ExternalIdentity.objects.filter(subject="rosa-1").count()) == ("", 0)


def test_a_disabled_account_is_not_opened_and_not_made_again(
    make: Factory, provider: Provider, settings: Settings
) -> None:
    rosa = with_address(make)
    User.objects.filter(pk=rosa.pk).update(is_active=False)
    settings.OIDC_CREATES_ACCOUNTS = True
    client = Client()
    assert "There is an account with the address" in markup(
        client.get(callback(client, provider), follow=True)
    )
    ExternalIdentity.objects.create(user=rosa, issuer=provider.issuer, subject="rosa-1")
    assert "Your account is disabled" in markup(client.get(callback(client, provider), follow=True))
    assert who(client) == ""


def test_a_new_person_gets_an_account_where_the_site_says_so(
    make: Factory, provider: Provider, settings: Settings
) -> None:
    make.make_user("Rosa")  # the name is taken, not the address
    settings.OIDC_CREATES_ACCOUNTS = True
    assert attempt(client := Client(), provider) == "/"
    user = User.objects.get(username="rosa2")
    assert (who(client), user.name, user.email) == ("rosa2", "Rosa Luna", "rosa@campus.example")
    assert not (user.has_usable_password() or user.is_superuser or user.user_permissions.exists())
    assert user.can_sign_in
    assert "has no password" in markup(client.get("/account/password/"))
    client.post("/account/", {"name": "Rosa", "email": "victim@campus.example"})
    user.refresh_from_db()
    assert (user.name, user.email) == ("Rosa", "rosa@campus.example")


def test_the_user_info_answers_if_the_token_has_no_address(
    make: Factory, provider: Provider, settings: Settings
) -> None:
    with_address(make)
    provider.user_info = dict(provider.person)
    provider.claims = {"email": None, "email_verified": None}
    assert (attempt(client := Client(), provider), who(client)) == ("/", "rosa")
    provider.user_info["sub"] = "another"
    other = Client()
    assert "does not accept" in markup(other.get(callback(other, provider), follow=True))


def test_an_invited_person_joins_without_a_password(make: Factory, provider: Provider) -> None:
    campaign = make.make_campaign()
    topic = make.make_topic(campaign, "9")
    link = f"/invitations/{invite_to_topics(campaign, [topic], 'all', make.make_user('carol'))}/"
    client = Client()
    assert "Sign in with Campus" in markup(client.get(link))
    assert attempt(client, provider, link) == link
    assert "Rosa Luna (rosa@campus.example)" in markup(client.get(link))
    assert client.post(link, {"provider": "1"}).status_code == 302
    rosa = User.objects.get(username="rosa")
    assert (who(client), rosa.memberships.get().role) == ("rosa", Role.JUDGE)
    assert rosa.identities.get().subject == "rosa-1"
    assert client.post(f"/invitations/{invite(campaign, Role.READER)}/", {"provider": "1"}).status_code == 302
    assert User.objects.filter(name="Rosa Luna").count() == 1


def test_an_invitation_makes_no_second_account_of_an_address(make: Factory, provider: Provider) -> None:
    campaign = make.make_campaign()
    with_address(make, "luna")
    with_address(make, "rosa")
    link = f"/invitations/{invite(campaign, Role.JUDGE)}/"
    client = Client()
    attempt(client, provider, link)
    assert client.post(link, {"provider": "1"}).status_code == 409
    assert Invitation.objects.open().count() == 1


def test_a_signed_in_person_links_and_unlinks_and_keeps_a_way_in(make: Factory, provider: Provider) -> None:
    alice = make.make_user("alice")
    client = Client()
    client.force_login(alice)
    page = client.post("/account/provider/link/")
    url = callback(client, provider, start=page.context["url"])
    assert client.get(url).headers["Location"] == "/account/"
    assert alice.identities.get().subject == "rosa-1"
    bob = Client()
    bob.force_login(make.make_user("bob"))
    page = bob.post("/account/provider/link/")
    url = callback(bob, provider, start=page.context["url"])
    assert "Nothing was changed" in markup(bob.get(url, follow=True))
    assert "no longer linked" in markup(client.post("/account/provider/unlink/", follow=True))
    assert not alice.identities.exists()
    alice.set_unusable_password()
    alice.save()
    ExternalIdentity.objects.create(user=alice, issuer=provider.issuer, subject="rosa-1")
    client.force_login(alice)
    assert "could not sign in" in markup(client.post("/account/provider/unlink/", follow=True))
    assert alice.identities.exists()


def test_another_site_starts_no_sign_in(provider: Provider) -> None:
    answer = Client().get("/sign-in/provider/", headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.headers["Location"] == "/sign-in/?next=%2F"


def test_without_a_provider_there_is_no_trace_of_one(make: Factory) -> None:
    client = Client()
    assert "Sign in with" not in markup(client.get("/sign-in/"))
    assert client.get("/sign-in/provider/").status_code == 404
    client.force_login(make.make_user("alice"))
    assert client.post("/account/provider/link/").status_code == 404
    assert "Sign-in with" not in markup(client.get("/account/"))


def test_an_administrator_unlinks_a_person_whose_subject_is_new(make: Factory, provider: Provider) -> None:
    rosa = with_address(make)
    ExternalIdentity.objects.create(user=rosa, issuer=provider.issuer, subject="rosa-0")
    client = Client()
    client.force_login(make.make_administrator("sam"))
    client.post("/admin/accounts/user/", {"action": "unlink", "_selected_action": [rosa.pk]})
    assert (attempt(client := Client(), provider), who(client)) == ("/", "rosa")


def test_an_address_that_a_member_wrote_links_nobody(make: Factory, provider: Provider) -> None:
    mallory = make.make_user("mallory")
    change_account(mallory, "Mallory", "rosa@campus.example")
    client = Client()
    attempt(client, provider)
    assert who(client) == ""
    mark_email_verified(mallory)
    change_account(User.objects.get(username="mallory"), "Mallory", "Rosa@Campus.Example")
    attempt(client, provider)
    assert (who(client), ExternalIdentity.objects.count()) == ("", 0)


@pytest.mark.parametrize("is_mailed_only", [True, False])
def test_only_a_link_that_no_page_has_shown_verifies_an_address(
    make: Factory, provider: Provider, is_mailed_only: bool
) -> None:
    """An organiser invites an address, has the link shown, and joins with it under that address."""
    campaign, address = make.make_campaign(), "rosa@campus.example"
    invite(campaign, Role.READER, email=address)
    invitation = campaign.invitations.get()
    token = replace_link(invitation, is_mailed_only=True)
    if not is_mailed_only:
        token = renew_invitation(invitation, make.make_user("carol"))
    join_as_new_user(token, "rosa-luna", "Rosa", "a password of mallory", address)
    assert User.objects.get(username="rosa-luna").email_verified == is_mailed_only
    provider.person["email"] = address
    client = Client()
    client.get(callback(client, provider), follow=True)
    assert who(client) == ("rosa-luna" if is_mailed_only else "")


def test_an_account_that_is_linked_by_its_address_has_no_other_way_in(
    make: Factory, provider: Provider
) -> None:
    rosa, mallory = with_address(make), Client()
    mallory.force_login(rosa)
    secret, client = create_token(rosa, "nightly"), Client()
    page = markup(client.get(callback(client, provider, "/account/"), follow=True))
    assert "You are linked to the account rosa, which has your address." in page
    assert (who(client), who(mallory)) == ("rosa", "")
    rosa.refresh_from_db()
    assert not rosa.has_usable_password()
    assert token_of_secret(secret) is None
    again = Client()
    assert "You are linked" not in markup(again.get(callback(again, provider, "/account/"), follow=True))
