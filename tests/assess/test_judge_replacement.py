"""A judge leaves: all topics go to others in one step, and every label stays."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from accounts.models import User
from assess.models import Assignment, Judgment, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judge_replacement import leaving_judge
from assess.services.assignments import assign
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/"


def build_campaign(make: Factory) -> Campaign:
    """Eight topics of five documents: all of alice's, one label given; bob, eve and zoe judge too."""
    campaign = make.make_campaign()
    for name in ("eve", "zoe"):
        add_member(campaign, make.make_user(name), Role.JUDGE)
    numbers = "12345678"
    for number in numbers:
        make.make_topic(campaign, number, f"topic {number}")
    make.make_run(
        campaign, "\n".join(f"{number} D{rank} {9 - rank}" for number in numbers for rank in range(5))
    )
    make.make_pool(campaign)
    assign([make.make_user("alice")], campaign.topics.all())
    assign([make.make_user("bob")], campaign.topics.filter(number="1"))
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    return campaign


@pytest.fixture
def organiser(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def page_of(judge: User) -> str:
    return f"{HOME}judging/judges/{judge.pk}/replace/"


def shares(make: Factory, **by_name: float) -> dict[str, float]:
    return {f"share_{make.make_user(name).pk}": share for name, share in by_name.items()}


def topics_of(campaign: Campaign, name: str) -> int:
    return Assignment.objects.filter(topic__campaign=campaign, judge__username=name).count()


def test_the_page_shows_who_would_get_what(campaign: Campaign, organiser: Client, make: Factory) -> None:
    alice = make.make_user("alice")
    assert f'href="{page_of(alice)}"' in markup(organiser.get(f"{HOME}people/"))
    page = markup(organiser.get(page_of(alice)))
    assert "Give 8 topics to others" in page and "share_" in page
    leaving = leaving_judge(CampaignReads(campaign), alice)
    assert (leaving.labels, sum(leaving.documents.values())) == (1, 39)
    assert [each.judge.username for each in leaving.colleagues] == ["bob", "eve", "zoe"]
    assert leaving.taken == {("1", "bob")}


def test_one_press_gives_all_topics_to_others_and_ends_the_role(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    alice = make.make_user("alice")
    data = {**shares(make, bob=1, eve=1, zoe=1), "leaves": "on"}
    page = markup(organiser.post(page_of(alice), data, follow=True))
    assert "8 topics of alice went to 3 judges, 39 open documents. Every label stays." in page
    assert topics_of(campaign, "alice") == 0
    assert [topics_of(campaign, name) for name in ("bob", "eve", "zoe")] == [4, 3, 2]  # bob had one
    assert Judgment.objects.filter(judge=alice).count() == 1
    assert not QueueEntry.objects.filter(judge=alice, state=QueueEntry.State.OPEN).exists()
    assert not campaign.memberships.filter(user=alice).exists()
    assert organiser.get(page_of(alice)).status_code == 404


def test_the_second_judge_of_a_topic_is_followed_by_a_second_judge(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    """The labels of another judge who has left are no reason to judge nothing."""
    eve, topics = make.make_user("eve"), campaign.topics.filter(number__in="23")
    assign([make.make_user("bob"), eve], topics)
    for number in "23":
        for rank in range(5):
            make.make_judgment(campaign, "bob", number, f"D{rank}", 1)
    organiser.post(page_of(make.make_user("bob")), shares(make, alice=1, eve=0, zoe=0))
    page = markup(organiser.post(page_of(eve), shares(make, alice=0, bob=0, zoe=1), follow=True))
    assert "2 topics of eve went to 1 judge, 10 open documents" in page
    queue = QueueEntry.objects.filter(judge__username="zoe", topic__in=topics, state=QueueEntry.State.OPEN)
    assert queue.count() == 10


def test_who_has_a_topic_already_gets_nothing_of_it_and_the_preview_says_so(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    bob = make.make_user("bob")
    page = markup(organiser.post(page_of(bob), {**shares(make, alice=1, eve=0, zoe=0), "preview": "1"}))
    assert "1 topic goes to a judge who has it already" in page and "no other label: 1." in page
    page = markup(organiser.post(page_of(bob), shares(make, alice=1, eve=0, zoe=0), follow=True))
    assert "1 topic of bob went to 1 judge, 0 open documents" in page


def test_shares_divide_documents_and_a_share_of_0_gets_none(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    alice = make.make_user("alice")
    organiser.post(page_of(alice), shares(make, bob=0, eve=3, zoe=1))
    assert [topics_of(campaign, name) for name in ("bob", "eve", "zoe")] == [1, 6, 2]
    assert campaign.memberships.filter(user=alice, role=Role.JUDGE).exists()


def test_a_preview_moves_nothing(campaign: Campaign, organiser: Client, make: Factory) -> None:
    alice = make.make_user("alice")
    page = markup(organiser.post(page_of(alice), {**shares(make, bob=0, eve=1, zoe=0), "preview": "1"}))
    assert "1, 2, 3, 4, 5, 6, 7, 8" in page
    assert topics_of(campaign, "alice") == 8


@pytest.mark.parametrize("share", ["0", "-1", "x", "", "nan"])
def test_wrong_shares_move_nothing(campaign: Campaign, organiser: Client, make: Factory, share: str) -> None:
    alice = make.make_user("alice")
    response = organiser.post(page_of(alice), dict.fromkeys(shares(make, bob=1, eve=1, zoe=1), share))
    assert response.status_code == 200 and "alert" in markup(response)
    assert topics_of(campaign, "alice") == 8


def test_an_organiser_who_judged_stays_organiser(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    carol = make.make_user("carol")
    add_member(campaign, carol, Role.JUDGE)
    assign([carol], campaign.topics.filter(number="2"))
    organiser.post(page_of(carol), {**shares(make, alice=1, bob=1, eve=1, zoe=1), "leaves": "on"})
    assert [each.role for each in campaign.memberships.filter(user=carol)] == [Role.ORGANISER]
    assert topics_of(campaign, "carol") == 0


def test_without_another_judge_the_page_says_whom_to_invite(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    campaign.memberships.filter(role=Role.JUDGE).exclude(user__username="alice").delete()
    page = markup(organiser.get(page_of(make.make_user("alice"))))
    assert "invite a judge" in page


def test_a_finished_topic_goes_to_somebody_too_and_one_sentence_says_so(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    alice = make.make_user("alice")
    for rank in range(5):
        make.make_judgment(campaign, "alice", "8", f"D{rank}", 1)
    page = markup(organiser.get(page_of(alice)))
    assert "Give 7 topics to others" in page and "The finished topics go to other judges, too" in page
    table = page[page.index('id="preview"') : page.index("The finished topics go")]
    assert not re.search(r"<td>[^<]*8[^<]*</td>", table) and ">0</td>" not in table
    page = markup(organiser.post(page_of(alice), shares(make, bob=1, eve=1, zoe=1), follow=True))
    assert "8 topics of alice, 1 of them finished, went to 3 judges, 34 open documents." in page
    assert topics_of(campaign, "alice") == 0
    assert Assignment.objects.filter(topic__number="8", topic__campaign=campaign).count() == 1


def test_who_replaces_a_judge_can_invite_another_and_comes_back(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    back = page_of(make.make_user("alice"))
    invite = f"{HOME}people/invite/"
    assert f'href="{invite}?return={back}"' in markup(organiser.get(back))
    assert f'name="return" value="{back}"' in markup(organiser.get(invite, {"return": back}))
    data = {"lines": "Pat, pat@example.org, judge", "role": "judge", "return": back}
    checked = markup(organiser.post(invite, data))
    checksum = re.search(r'name="checked" value="(\w{64})"', checked)
    assert checksum
    links = markup(organiser.post(invite, data | {"checked": checksum[1]}))
    assert f'href="{back}"' in links
    for address in ("https://evil.example/", "//evil.example/", "/campaigns/other/people/", "javascript:x"):
        assert address not in markup(organiser.get(invite, {"return": address}))
