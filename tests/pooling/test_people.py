from __future__ import annotations

import re

from django.test import Client

from accounts.models import User
from pooling.models import Role
from tests.factory import Factory


def invited_link(make: Factory) -> str:
    make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    page = client.post(
        "/campaigns/tiny/people/", {"username": "", "role": "judge", "group": ""}
    ).content.decode()
    found = re.search(r"http://testserver(/invitations/\S+/)<", page)
    assert found
    return found[1]


def test_a_link_brings_in_somebody_new_once(make: Factory) -> None:
    link, client = invited_link(make), Client()
    assert "You are invited as <b>judge</b>" in client.get(link).content.decode()
    answer = {"username": "noor", "name": "Noor Haddad", "password": "a long sentence of mine"}
    response = client.post(link, answer, follow=True)
    assert response.redirect_chain[-1][0] == "/campaigns/tiny/judge/"
    noor = User.objects.get(username="noor")
    assert [m.role for m in noor.memberships.all()] == [Role.JUDGE]
    assert Client().get(link).status_code == 410


def test_a_poor_password_or_a_taken_name_makes_no_account_and_spends_no_link(make: Factory) -> None:
    link = invited_link(make)
    for answer in (
        {"username": "noor", "name": "Noor", "password": "password"},
        {"username": "ALICE", "name": "Alice", "password": "a long sentence of mine"},
        {"username": "a b", "name": "A", "password": "a long sentence of mine"},
    ):
        assert Client().post(link, answer).status_code == 200
    assert not User.objects.filter(username__in=["noor", "ALICE", "a b"]).exists()
    assert Client().get(link).status_code == 200


def test_who_is_signed_in_joins_as_themselves(make: Factory) -> None:
    link, client = invited_link(make), Client()
    client.force_login(make.make_user("mallory"))
    client.post(link)
    assert User.objects.get(username="mallory").memberships.get().role == Role.JUDGE


def test_nobody_is_added_by_a_name_that_nobody_has(make: Factory) -> None:
    campaign = make.make_campaign()
    client, before = Client(), campaign.memberships.count()
    client.force_login(make.make_user("carol"))
    page = client.post("/campaigns/tiny/people/", {"username": "nobody", "role": "judge"})
    assert b"Nobody signs in as nobody" in page.content
    assert campaign.memberships.count() == before


def test_the_last_thing_an_organiser_can_do_is_not_to_leave(make: Factory) -> None:
    campaign = make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    own = campaign.memberships.get(user__username="carol")
    page = client.post(f"/campaigns/tiny/people/{own.pk}/remove/", follow=True)
    assert b"You cannot remove yourself" in page.content
    assert campaign.memberships.filter(pk=own.pk).exists()


def test_removing_a_judge_keeps_their_labels(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 2)
    client = Client()
    client.force_login(make.make_user("carol"))
    alice = campaign.memberships.get(user__username="alice")
    client.post(f"/campaigns/tiny/people/{alice.pk}/remove/")
    judgment.refresh_from_db()
    assert not campaign.memberships.filter(user__username="alice").exists()
