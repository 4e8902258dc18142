from __future__ import annotations

import re
from typing import Any

import pytest
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from accounts.models import User
from assess.services.people import invite_to_topics
from pooling.models import Campaign, Invitation, Role
from pooling.services.people import add_member, invite, open_invitation, remove_member, store_acceptance
from tests.support.factory import PASSWORD, Factory
from tests.support.markup import markup


def invited_link(make: Factory) -> str:
    make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.post("/campaigns/tiny/people/", {"username": "", "role": "judge", "group": ""}))
    found = re.search(r"http://testserver(/invitations/\S+/)<", page)
    assert found
    return found[1]


def test_the_page_of_an_invitation_says_what_for(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    token = invite_to_topics(campaign, campaign.topics.all(), "primary", recipient="Zoe")
    Invitation.objects.update(group="lab")
    page = markup(Client().get(f"/invitations/{token}/"))
    assert "<p>You are invited as <b>judge</b> of lab for 2 topics: 1 " in page
    assert re.search(r"; 2 [^<]*\w\.</p>", page)
    campaign.topics.filter(number="2").update(title="which wings are swept .")
    assert "2 which wings are swept .</p>" in markup(Client().get(f"/invitations/{token}/"))


def test_a_link_adds_one_new_judge(make: Factory) -> None:
    link, client = invited_link(make), Client()
    assert "You are invited as <b>judge</b>.</p>" in markup(client.get(link))
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


def test_an_unknown_name_adds_no_member(make: Factory) -> None:
    campaign = make.make_campaign()
    client, before = Client(), campaign.memberships.count()
    client.force_login(make.make_user("carol"))
    page = client.post("/campaigns/tiny/people/", {"username": "nobody", "role": "judge"})
    assert b"There is no active user nobody" in page.content
    assert campaign.memberships.count() == before


def test_the_last_thing_an_organiser_can_do_is_not_to_leave(make: Factory) -> None:
    campaign = make.make_campaign()
    client = Client()
    client.force_login(make.make_user("carol"))
    own = make.make_user("carol").pk
    for address, answers in ((f"{own}/remove/", {"confirmed": "yes"}), (f"{own}/", {"roles": "reader"})):
        page = client.post(f"/campaigns/tiny/people/members/{address}", answers, follow=True)
        assert b"You cannot remove yourself" in page.content
        assert campaign.memberships.filter(user=own, role=Role.ORGANISER).exists()


def test_removing_a_judge_keeps_their_labels(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 2)
    client = Client()
    client.force_login(make.make_user("carol"))
    alice = make.make_user("alice")
    url = f"/campaigns/tiny/people/members/{alice.pk}/remove/"
    page = markup(client.post(url))  # asks, and says what stays and what ends
    assert "Labels that stay" in page and "3 documents in the queue of alice" in page
    assert campaign.memberships.filter(user=alice).exists()
    client.post(url, {"confirmed": "yes"})
    assert not alice.assignments.exists() and not alice.queue.filter(state="open").exists()
    judgment.refresh_from_db()
    assert not campaign.memberships.filter(user__username="alice").exists()


# invitations that are open


def link_of(campaign: Campaign, role: Role = Role.JUDGE, **options: Any) -> str:
    return f"/invitations/{invite(campaign, role, **options)}/"


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


NEW = {"username": "noor", "name": "Noor Haddad", "password": "a long sentence of mine"}


def test_the_people_page_lists_open_invitations_alone(make: Factory) -> None:
    campaign, carol = make.make_pooled_campaign(), make.make_user("carol")
    store_acceptance(invite(campaign, Role.READER, by=carol, recipient="the accepted one"), carol)
    invite(campaign, Role.READER, recipient="the expired one")
    campaign.invitations.filter(recipient="the expired one").update(expires_at=timezone.now())
    client = signed_in(make, "carol")
    client.post(
        "/campaigns/tiny/people/",
        {"username": "", "role": "participant", "group": "noorlab", "recipient": "Noor"},
    )
    client.post(
        "/campaigns/tiny/judging/invite/", {"topics": "2", "part": "primary", "recipient": "zoe@example.org"}
    )
    page = markup(client.get("/campaigns/tiny/people/"))
    rows = page.partition('id="invitations"')[2].partition("</table>")[0]
    for word in ("noorlab", "Noor", "carol", "judge", "zoe@example.org", "Revoke"):
        assert word in rows
    assert "<td>2</td>" in re.sub(r"\s+", "", rows)  # the number of the topic
    assert "the accepted one" not in rows and "the expired one" not in rows
    assert [entry.sentence for entry in campaign.audit_log.filter(verb="invited", user=carol)][:2] == [
        "a link: judge for zoe@example.org",
        "a link: participant for Noor",
    ]


def test_a_draft_can_be_opened_beside_a_new_invitation(make: Factory) -> None:
    make.make_pooled_campaign()
    Campaign.objects.update(state=Campaign.State.DRAFT)
    client, wish = signed_in(make, "carol"), {"topics": "2", "part": "primary"}
    page = markup(client.post("/campaigns/tiny/judging/invite/", wish))
    assert "/people/invite/?return=/campaigns/tiny/judging/" in page
    note = page.partition("Send this link")[2]
    form = re.search(r'<form method="post" action="([^"]+)".*?name="state" value="open"', note)
    assert form
    asked = markup(client.post(form[1], {"state": "open"}))
    assert "<h1>Open the campaign?</h1>" in asked
    Campaign.objects.update(state=Campaign.State.OPEN)
    assert "Open the campaign" not in markup(client.post("/campaigns/tiny/judging/invite/", wish))


def test_a_revoked_invitation_adds_no_judge(make: Factory) -> None:
    campaign = make.make_campaign()
    link = link_of(campaign, recipient="Noor")
    client, key = signed_in(make, "carol"), campaign.invitations.get().pk
    revoke = f"/campaigns/tiny/people/invitations/{key}/revoke/"
    client.post(revoke)
    entry = campaign.audit_log.get(verb="revoked an invitation")
    assert (entry.who, entry.sentence) == ("carol", "a link: judge for Noor")
    answer = Client().post(link, NEW)
    assert (answer.status_code, User.objects.filter(username="noor").exists()) == (410, False)
    assert client.post(revoke).status_code == 404


def test_an_accepted_invitation_cannot_be_revoked(make: Factory) -> None:
    campaign = make.make_campaign()
    store_acceptance(invite(campaign, Role.READER), make.make_user("mallory"))
    key = campaign.invitations.get().pk
    answer = signed_in(make, "carol").post(f"/campaigns/tiny/people/invitations/{key}/revoke/")
    assert answer.status_code == 404


def test_a_removed_organiser_cannot_come_back_by_a_link_they_made(make: Factory) -> None:
    campaign, carol, sam = make.make_campaign(), make.make_user("carol"), make.make_user("sam")
    add_member(campaign, sam, Role.ORGANISER)
    add_member(campaign, sam, Role.READER)
    theirs, unknown = link_of(campaign, Role.ORGANISER, by=sam), link_of(campaign, Role.ORGANISER)
    others = link_of(campaign, Role.READER, by=carol)
    url = f"/campaigns/tiny/people/members/{sam.pk}/"
    page = signed_in(make, "carol").post(url, {"roles": "reader"}, follow=True)
    words = "2 of their open invitations were revoked. 1 invitation by other organisers is open"
    assert words in markup(page)
    assert campaign.audit_log.filter(verb="revoked an invitation", user=carol).count() == 2
    for link, status in ((theirs, 410), (unknown, 410), (others, 302)):
        assert signed_in(make, "sam").post(link).status_code == status
    assert [m.role for m in campaign.memberships.filter(user=sam)] == [Role.READER]


def test_an_organiser_who_loses_another_role_keeps_their_invitations(make: Factory) -> None:
    campaign, sam = make.make_campaign(), make.make_user("sam")
    add_member(campaign, sam, Role.ORGANISER)
    remove_member(add_member(campaign, sam, Role.JUDGE))
    invite(campaign, Role.READER, by=sam)
    remove_member(campaign.memberships.get(user__username="alice"))
    assert campaign.invitations.open().count() == 1


# the same invitation twice


def test_a_second_click_on_an_invitation_leads_into_the_campaign(make: Factory) -> None:
    link, client = link_of(make.make_campaign()), signed_in(make, "mallory")
    answers = [client.post(link), client.post(link), client.get(link)]
    assert [(answer.status_code, answer.headers.get("Location")) for answer in answers] == [
        (302, "/campaigns/tiny/")
    ] * 3


def test_a_second_click_with_a_new_account_signs_in_with_its_password(make: Factory) -> None:
    link = link_of(make.make_campaign())
    assert Client().post(link, NEW).status_code == 302
    second = Client()  # the answer to the first click is lost, and the session with it
    answer = second.post(link, NEW, follow=True)
    assert answer.redirect_chain[0][0] == "/campaigns/tiny/"
    assert answer.status_code == 200
    for wrong in ({"password": "another long sentence"}, {"username": "alice", "password": PASSWORD}):
        answer = Client().post(link, NEW | wrong)
        assert answer.status_code == 410
        assert "accepted already" in markup(answer)


def test_a_person_who_was_removed_finds_their_invitation_spent(make: Factory) -> None:
    campaign = make.make_campaign()
    link, client = link_of(campaign), signed_in(make, "mallory")
    client.post(link)
    remove_member(campaign.memberships.get(user__username="mallory"))
    assert (client.post(link).status_code, client.get(link).status_code) == (410, 410)


def test_two_people_who_open_an_invitation_at_once_both_get_a_page(
    make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request has seen the invitation open when the first accepts it."""
    campaign = make.make_campaign()
    token = invite(campaign, Role.JUDGE)
    seen_open = open_invitation(token)
    store_acceptance(token, make.make_user("zoe"))
    monkeypatch.setattr("assess.views.people.open_invitation", lambda token: seen_open)
    answer = signed_in(make, "mallory").post(f"/invitations/{token}/")
    assert (answer.status_code, "accepted already" in markup(answer)) == (410, True)
    assert Client().post(f"/invitations/{token}/", NEW).status_code == 410
    assert not User.objects.filter(username="noor").exists()


# names and passwords of new accounts


@pytest.mark.parametrize("name", ["ａlice", "ALICE", "alice"])  # the first begins with a full-width letter
def test_a_spelling_of_a_taken_name_is_refused_in_the_form(make: Factory, name: str) -> None:
    answer = Client().post(link_of(make.make_campaign()), NEW | {"username": name})
    assert answer.status_code == 200
    assert "That name is taken" in markup(answer)


@pytest.mark.parametrize("name", [".", "..", "a／b", "．．"])
def test_a_name_that_no_address_can_hold_is_refused(make: Factory, name: str) -> None:
    answer = Client().post(link_of(make.make_campaign()), NEW | {"username": name})
    assert answer.status_code == 200
    assert "stands in files and in URLs" in markup(answer)


def test_the_same_new_name_at_the_same_moment_is_refused_in_the_form(
    make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name was free when it was looked up, and taken when it was stored."""
    link = link_of(make.make_campaign())
    monkeypatch.setattr(QuerySet, "exists", lambda self: False)
    answer = Client().post(link, NEW | {"username": "alice"})
    assert answer.status_code == 200
    assert "That name is taken" in markup(answer)


@pytest.mark.parametrize(
    "about", [{"username": "quicksilver"}, {"name": "Quick Silver"}, {"email": "quicksilver@example.org"}]
)
def test_a_password_like_the_persons_name_or_address_is_refused(make: Factory, about: dict[str, str]) -> None:
    answer = Client().post(link_of(make.make_campaign()), NEW | about | {"password": "quicksilver"})
    assert answer.status_code == 200
    assert "The password is too similar to" in markup(answer)
