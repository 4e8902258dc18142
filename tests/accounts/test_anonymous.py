"""An account is made anonymous: its name, address and ways to sign in are gone; what the person did stays."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import ExternalIdentity, User
from accounts.services import create_token, token_of_secret
from assess.queries.integrity import release_faults
from pooling.models import Campaign, Invitation, Role
from pooling.services.people import add_member, invite, store_acceptance
from tests.support.factory import PASSWORD, Factory

pytestmark = pytest.mark.django_db


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    for name in ("alice", "bob"):
        make.make_judgment(campaign, name, "1", "D1", 1)
    return campaign


@pytest.fixture
def organiser(make: Factory) -> User:
    return make.make_user("carol")


def anonymise(name: str) -> str:
    out = StringIO()
    call_command("anonymise_account", name, stdout=out)
    return out.getvalue()


def named(make: Factory) -> User:
    bob = make.make_user("bob")
    User.objects.filter(pk=bob.pk).update(name="Robert Roe", email="roe@example.org", email_verified=True)
    bob.refresh_from_db()
    return bob


def test_nothing_shows_the_name_or_the_address_and_nobody_signs_in(
    make: Factory, campaign: Campaign, organiser: User
) -> None:
    bob = named(make)
    secret = create_token(bob, "nightly")
    ExternalIdentity.objects.create(user=bob, issuer="https://id.example.org", subject="roe")
    store_acceptance(invite(campaign, Role.JUDGE, "", organiser, "Robert Roe", "roe@example.org"), bob)
    browser = Client()
    browser.force_login(bob)
    assert f"Person {bob.pk}" in anonymise("bob")

    bob.refresh_from_db()
    assert (bob.name, bob.email, bob.is_active) == (f"Person {bob.pk}", "", False)
    assert not bob.can_sign_in and token_of_secret(secret) is None
    assert not bob.check_password(PASSWORD)
    assert browser.get("/").wsgi_request.user.is_anonymous
    assert not Invitation.objects.exclude(recipient="", email="").exists()

    page = Client()
    page.force_login(organiser)
    people = page.get(f"/campaigns/{campaign.slug}/people/").content.decode()
    assert f"Person {bob.pk}" in people and "Robert" not in people and "roe@" not in people


def test_releases_with_labels_of_the_person_stay_as_they_were(make: Factory, campaign: Campaign) -> None:
    make.make_release(campaign)
    named(make)
    anonymise("bob")
    assert [fault for faults in release_faults(campaign) for fault in faults] == []


def test_administrators_and_the_last_organiser_are_refused(
    make: Factory, campaign: Campaign, organiser: User
) -> None:
    with pytest.raises(CommandError, match="is the last organiser"):
        anonymise(organiser.username)
    add_member(campaign, make.make_user("dora"), Role.ORGANISER)
    anonymise(organiser.username)
    User.objects.filter(username="dora").update(is_superuser=True)
    with pytest.raises(CommandError, match="administrator"):
        anonymise("dora")
    with pytest.raises(CommandError, match="no user nobody"):
        anonymise("nobody")
