"""Members in place, and open invitations: changed, renewed, removed."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Session, User
from assess.queries.people import people_of
from assess.services.imports import load_judgments
from assess.services.people import change_roles, invite_to_topics, remove_person
from pooling.models import Campaign, Invitation, Role
from pooling.services.people import MemberRefused, add_member, invite, remove_member, set_roles
from tests.support.factory import Factory
from tests.support.markup import markup

PEOPLE = "/campaigns/tiny/people/"


def signed_in(make: Factory, name: str = "carol") -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def roles_of(campaign: Campaign, name: str) -> dict[str, str]:
    return dict(campaign.memberships.filter(user__username=name).values_list("role", "group"))


def change(make: Factory, name: str, **answers: object) -> str:
    url = f"{PEOPLE}members/{make.make_user(name).pk}/"
    return markup(signed_in(make).post(url, answers, follow=True))


# roles and groups


def test_a_person_is_one_row_with_all_roles(make: Factory) -> None:
    campaign = make.make_campaign()
    add_member(campaign, make.make_user("ada"), Role.JUDGE)
    page = markup(signed_in(make).get(PEOPLE))
    rows = page.partition('id="members"')[2].partition("</table>")[0]
    assert rows.count('<th scope="row">ada</th>') == 1
    assert "adjudicator, judge" in rows


def test_roles_and_a_group_change_in_place(make: Factory) -> None:
    campaign = make.make_campaign()
    assert "dave is now judge, participant." in change(
        make, "dave", roles=["judge", "participant"], group="okapi"
    )
    assert roles_of(campaign, "dave") == {"judge": "", "participant": "okapi"}
    entries = campaign.audit_log.filter(user__username="carol").values_list("verb", "sentence")[:2]
    assert set(entries) == {("changed a group", "dave from davelab to okapi"), ("gave a role", "dave, judge")}


def test_a_judge_who_becomes_a_reader_loses_the_topics_and_no_label(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    judgment = make.make_judgment(campaign, "alice", "1", "D1", 2)
    page = change(make, "alice", roles=["reader"])
    assert "2 assignments ended; every label stays. 3 documents wait for another judge." in page
    judgment.refresh_from_db()
    assert not make.make_user("alice").assignments.exists()


@pytest.mark.parametrize(
    ("name", "answers", "reason"),
    [
        ("dave", {"roles": ["participant"], "group": " "}, "A participant needs a group"),
        ("alice", {"roles": ["participant"]}, "A participant needs a group"),
        ("alice", {}, "Choose at least one role"),
        ("alice", {"roles": ["emperor"]}, "Choose roles from the list"),
        ("dave", {"roles": ["participant"], "group": "g" * 61}, "a group of at most 60 characters"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(
    make: Factory, name: str, answers: dict[str, object], reason: str
) -> None:
    campaign = make.make_campaign()
    before, entries = roles_of(campaign, name), campaign.audit_log.count()
    page = change(make, name, **answers)
    assert "Nothing was changed." in page and reason in page
    assert (roles_of(campaign, name), campaign.audit_log.count()) == (before, entries)


def test_the_last_organiser_stays(make: Factory) -> None:
    campaign, carol = make.make_campaign(), make.make_user("carol")
    for act in (
        lambda: set_roles(campaign, carol, ["reader"]),
        lambda: remove_member(campaign.memberships.get(user=carol, role=Role.ORGANISER)),
    ):
        with pytest.raises(MemberRefused, match="carol is the last organiser"):
            act()
    assert roles_of(campaign, "carol") == {"organiser": ""}
    sam = make.make_user("sam")
    add_member(campaign, sam, Role.ORGANISER)
    User.objects.filter(pk=sam.pk).update(is_active=False)  # an organiser who cannot sign in does not count
    with pytest.raises(MemberRefused):
        set_roles(campaign, carol, ["reader"])
    User.objects.filter(pk=sam.pk).update(is_active=True)
    set_roles(campaign, carol, ["reader"])
    assert roles_of(campaign, "carol") == {"reader": ""}


def test_an_account_is_added_by_its_exact_name_or_address_alone(make: Factory) -> None:
    campaign, client = make.make_campaign(), signed_in(make)
    User.objects.filter(username="mallory").update(email="Mallory@example.org")
    for written in ("mall", "MALLORY", "example.org", "allory@example.org"):
        page = client.post(PEOPLE, {"username": written, "role": "judge"})
        assert f"There is no active user {written}." in markup(page)
    client.post(PEOPLE, {"username": "mallory@example.org", "role": "judge"})
    assert roles_of(campaign, "mallory") == {"judge": ""}
    User.objects.filter(username="rita").update(email="mallory@example.org")
    page = client.post(PEOPLE, {"username": "mallory@example.org", "role": "reader"})
    assert "Several users have the address" in markup(page)


# last seen


def test_the_page_says_when_a_person_was_last_seen(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    load_judgments(campaign, make.make_user("carol"), b"1 0 D1 2\n", "x.qrels", "NIST", {})
    signed_in(make, "alice")
    Session.objects.filter(user__username="alice").update(last_seen_at=timezone.now() - timedelta(days=3))
    User.objects.filter(username="alice").update(last_login=timezone.now() - timedelta(days=9))
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    User.objects.filter(username="dave").update(is_active=False)
    page = markup(signed_in(make).get(PEOPLE))
    cell = {
        name: " ".join(re.sub(r"<[^>]*>", " ", row.rpartition('<td class="muted">')[2]).split()[:5])
        for name, row in re.findall(r'<th scope="row">(\w+)</th>(.*?)</tr>', page, re.DOTALL)
    }
    assert cell["alice"].startswith("3 days ago")
    assert cell["bob"].startswith("now") and cell["carol"].startswith("now")
    assert cell["NIST"].startswith("imported") and cell["rita"].startswith("never signed in")
    assert cell["dave"].startswith("account disabled")


def test_the_list_of_people_costs_a_fixed_number_of_queries(
    make: Factory, django_assert_num_queries: object
) -> None:
    campaign = make.make_campaign()
    with django_assert_num_queries(5):  # type: ignore[operator]
        people_of(campaign)


# invitations


def test_a_renewed_invitation_has_a_new_link_and_the_old_one_is_dead(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    token = invite_to_topics(campaign, campaign.topics.all(), "primary", recipient="Zoe")
    campaign.invitations.update(expires_at=timezone.now() + timedelta(days=1))
    key = campaign.invitations.get().pk
    page = markup(signed_in(make).post(f"{PEOPLE}invitations/{key}/renew/"))
    link = re.search(r"http://testserver(/invitations/\S+/)<", page)
    assert link and "Copy link" in page
    assert Client().get(f"/invitations/{token}/").status_code == 410
    assert "for 2 topics" in re.sub(r"\s+", " ", markup(Client().get(link[1])))
    assert campaign.invitations.get().expires_at > timezone.now() + timedelta(days=13)
    entry = campaign.audit_log.get(verb="renewed an invitation")
    assert (entry.who, entry.sentence) == ("carol", "a link: judge for Zoe")
    assert link[1].split("/")[2] not in str(entry.record)


def test_an_accepted_or_expired_invitation_is_not_renewed(make: Factory) -> None:
    campaign = make.make_campaign()
    invite(campaign, Role.READER)
    invitation = campaign.invitations.get()
    url = f"{PEOPLE}invitations/{invitation.pk}/renew/"
    Invitation.objects.update(expires_at=timezone.now())
    assert signed_in(make).post(url).status_code == 404
    Invitation.objects.update(expires_at=timezone.now() + timedelta(days=1), used_at=timezone.now())
    assert signed_in(make).post(url).status_code == 404


def test_a_link_made_on_judging_can_be_copied_and_names_its_author(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    page = markup(
        signed_in(make).post("/campaigns/tiny/judging/invite/", {"topics": "all", "part": "primary"})
    )
    assert 'data-copy="#invitation-link"' in page and "js/copy.js" in page
    assert campaign.audit_log.get(verb="invited").who == "carol"


def test_a_former_member_reads_whom_to_ask_and_a_stranger_learns_nothing(make: Factory) -> None:
    campaign = make.make_campaign()
    client = Client()
    client.force_login(make.make_user("alice"))
    home = campaign.get_absolute_url()
    assert client.get(home).status_code == 302
    remove_person(campaign, make.make_user("alice"), make.make_user("carol"))
    for place in (home, f"{home}judging/", f"{home}runs/"):
        response = client.get(place)
        assert response.status_code == 403
        shown = markup(response)
        assert "You are no longer a member of this campaign." in shown
        assert "Ask an organiser if this is a mistake: carol." in shown
    stranger = Client()
    stranger.force_login(make.make_user("mallory"))
    answers = [stranger.get(place) for place in (home, "/campaigns/no-such-campaign/")]
    assert [answer.status_code for answer in answers] == [404, 404]
    assert "carol" not in markup(answers[0])


def test_who_keeps_a_role_is_no_former_member(make: Factory) -> None:
    campaign = make.make_campaign()
    alice = make.make_user("alice")
    change_roles(campaign, alice, [Role.READER], by=make.make_user("carol"))
    client = Client()
    client.force_login(alice)
    assert client.get(campaign.get_absolute_url()).status_code == 200
