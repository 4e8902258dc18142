"""Who gets which topic: in bulk, dealt out, by a link; moved, and taken back."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from assess.models import Assignment, InvitedTopics, Judgment, QueueEntry
from assess.queries.judging import next_entries, topics_of_judge
from assess.services.assignments import MoveRefused, assign, distribute_topics, move_topic, unassign_topic
from assess.services.gold import load_gold
from assess.services.people import accept_invitation, invite_to_topics
from assess.services.plans import change_plan
from assess.services.queues import next_documents
from pooling.models import Campaign, Membership, Role, Topic
from pooling.services.people import InvitationSpent, add_member
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/"
CONFIRMED = {"confirmed": "yes"}  # documents without text are assigned after a question


def build_campaign(make: Factory) -> Campaign:
    """Four topics of five documents, assigned to nobody; alice, bob and eve judge."""
    campaign = make.make_campaign()
    add_member(campaign, make.make_user("eve"), Role.JUDGE)
    for number in "1234":
        make.make_topic(campaign, number, f"topic {number}")
    make.make_run(
        campaign, "\n".join(f"{number} D{rank} {9 - rank}" for number in "1234" for rank in range(5))
    )
    make.make_pool(campaign)
    return campaign


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get(number="1")


@pytest.fixture
def organiser(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def people(make: Factory, *names: str) -> list[User]:
    return [make.make_user(name) for name in names]


def parts(campaign: Campaign) -> set[tuple[str, str, str]]:
    rows = Assignment.objects.filter(topic__campaign=campaign)
    return set(rows.values_list("topic__number", "judge__username", "part"))


def docnos(judge: User, topic: Topic) -> set[str]:
    return {entry.pooled.docno for entry in next_documents(judge, topic, 99)}


# in bulk


@pytest.mark.parametrize("part", ["primary", "shared", "second"])
def test_topics_go_to_judges_in_the_part_that_was_chosen_and_twice_is_once(
    campaign: Campaign, organiser: Client, make: Factory, part: str
) -> None:
    chosen = [judge.pk for judge in people(make, "alice", "bob")]
    for count in (4, 0):
        page = organiser.post(URL, {"judges": chosen, "topics": "1 3", "part": part} | CONFIRMED, follow=True)
        assert f"{count} new assignments." in markup(page)
    assert parts(campaign) == {(t, j, part) for t in "13" for j in ("alice", "bob")}


def test_sharing_out_deals_every_topic_once_and_again_nothing(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    chosen = {"judges": [judge.pk for judge in people(make, "alice", "bob", "eve")], "topics": "all"}
    for count in (8, 0):
        page = organiser.post(URL, chosen | {"part": "deal", "seconds": 1} | CONFIRMED, follow=True)
        assert f"{count} new assignments." in markup(page)
    for number in "1234":
        given = {part: judge for topic, judge, part in parts(campaign) if topic == number}
        assert set(given) == {"primary", "second"} and given["primary"] != given["second"]


def test_distributing_topics_changes_no_existing_assignment(campaign: Campaign, make: Factory) -> None:
    alice, bob = people(make, "alice", "bob")
    assign([alice], campaign.topics.filter(number__in="12"), "shared")
    assert distribute_topics([alice, bob], campaign.topics.all()) == 2
    assert {topic for topic, judge, _ in parts(campaign) if judge == "bob"} == {"3", "4"}


@pytest.mark.parametrize(
    ("wrong", "expected"),
    [
        ({"topics": "1 99"}, "This campaign has no topic 99."),
        ({"part": "boss"}, "boss is not one of the available choices"),
        (
            {"part": "deal", "seconds": 2},
            "The number of second judges must be below the number of chosen judges, 2.",
        ),
        ({"judges": []}, "This field is required."),
    ],
)
def test_an_invalid_assignment_shows_an_error(
    campaign: Campaign, organiser: Client, make: Factory, wrong: dict[str, Any], expected: str
) -> None:
    chosen = [judge.pk for judge in people(make, "alice", "bob")]
    page = organiser.post(URL, {"judges": chosen, "topics": "all", "part": "primary"} | wrong)
    assert expected in markup(page)
    assert not parts(campaign)


def test_a_pool_of_gold_documents_only_is_not_assigned(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    load_gold(campaign, make.make_user("carol"), "gold", b"1 G 0\n")
    assert assign(people(make, "alice"), [topic]) == 1


# by a link


def test_a_link_brings_a_new_judge_and_their_topics(
    campaign: Campaign, organiser: Client, make: Factory
) -> None:
    page = markup(organiser.post(f"{URL}invite/", {"topics": "2 4", "part": "shared"}))
    (link,) = re.findall(r"http://testserver(/invitations/\S+/)<", page)
    client = Client()
    shown = markup(client.get(link))
    assert "for 2 topics: 2 topic 2; 4 topic 4" in shown
    answer = {"username": "noor", "name": "Noor Haddad", "password": "a long sentence of mine"}
    assert "topic 4" in markup(client.post(link, answer, follow=True))
    assert parts(campaign) == {("2", "noor", "shared"), ("4", "noor", "shared")}
    assert Client().get(link).status_code == 410


def test_who_is_signed_in_gets_the_topics_of_a_link_once(campaign: Campaign, make: Factory) -> None:
    token = invite_to_topics(campaign, campaign.topics.filter(number="3"), "second")
    client = Client()
    client.force_login(make.make_user("mallory"))
    client.post(f"/invitations/{token}/")
    assert parts(campaign) == {("3", "mallory", "second")}
    client.force_login(make.make_user("zoe"))
    assert client.post(f"/invitations/{token}/").status_code == 410
    assert not Membership.objects.filter(user__username="zoe").exists()


def test_an_invitation_that_is_refused_makes_no_link(campaign: Campaign, organiser: Client) -> None:
    page = markup(organiser.post(f"{URL}invite/", {"topics": "99", "part": "shared"}))
    assert "This campaign has no topic 99." in page and "Send this link" not in page
    assert not InvitedTopics.objects.exists() and not campaign.invitations.exists()


def test_a_spent_link_assigns_no_topic(campaign: Campaign, make: Factory) -> None:
    token = invite_to_topics(campaign, campaign.topics.all(), "primary")
    accept_invitation(token, make.make_user("zoe"))
    with pytest.raises(InvitationSpent):
        accept_invitation(token, make.make_user("mallory"))
    assert {judge for _, judge, _ in parts(campaign)} == {"zoe"}


# moved and taken back


def test_a_topic_that_moves_keeps_every_label_and_the_new_judge_gets_the_rest(
    campaign: Campaign, topic: Topic, organiser: Client, make: Factory
) -> None:
    alice, bob = people(make, "alice", "bob")
    assign([alice], [topic])
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    waiting = next_entries(alice, topic, 1)[0]
    data = {"judge": alice.pk, "new_judge": bob.pk}
    page = markup(organiser.post(f"{URL}topics/1/move/", data, follow=True))
    assert "4 documents moved from alice to bob. Every label stays." in page
    assert not topics_of_judge(alice, campaign).exists()
    assert docnos(bob, topic) == {"D0", "D2", "D3", "D4"}
    make.make_judgment(campaign, "alice", "1", waiting.pooled.docno, 1)  # was under way
    assert Judgment.objects.filter(judge=alice).count() == 2
    again = markup(organiser.post(f"{URL}topics/1/move/", data, follow=True))
    assert "Choose a judge who has this topic" in again


def test_a_new_second_judge_judges_the_documents_anew(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob, eve = people(make, "alice", "bob", "eve")
    assign([alice], [topic])
    assign([bob], [topic], "second")
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    move_topic(topic, bob, eve)
    assert docnos(eve, topic) == {"D0", "D1", "D2", "D3", "D4"}


def test_documents_that_move_to_a_second_judge_of_the_topic_stay_assigned(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob = people(make, "alice", "bob")
    change_plan(campaign, overlap="share", overlap_share=20)
    assign([alice], [topic])
    assign([bob], [topic], "second")
    (given,) = docnos(bob, topic)
    make.make_judgment(campaign, "bob", "1", given, 2)
    move_topic(topic, alice, bob)
    assert docnos(bob, topic) == {"D0", "D1", "D2", "D3", "D4"} - {given}


def test_a_topic_moves_only_from_its_judge_to_another_judge(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    alice, bob = people(make, "alice", "bob")
    assign([alice], [topic])
    for previous_judge, new_judge in ((alice, alice), (bob, alice)):
        with pytest.raises(MoveRefused):
            move_topic(topic, previous_judge, new_judge)
    assert parts(campaign) == {("1", "alice", "primary")}


def test_what_is_taken_back_leaves_the_queue_and_no_label_is_lost(
    campaign: Campaign, topic: Topic, organiser: Client, make: Factory
) -> None:
    (alice,) = people(make, "alice")
    assign([alice], campaign.topics.filter(number__in="12"))
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    page = markup(organiser.post(f"{URL}topics/1/take-back/", {"judge": alice.pk}, follow=True))
    assert "alice no longer has topic 1. Open documents that left the queue: 4;" in page
    assert parts(campaign) == {("2", "alice", "primary")}
    assert Judgment.objects.count() == 1
    assert not QueueEntry.objects.filter(topic=topic, state="open").exists()
    assert unassign_topic(topic, alice) == 0
    assign([alice], [topic])
    assert docnos(alice, topic) == {"D0", "D2", "D3", "D4"}


def test_the_page_of_a_topic_names_its_judges_and_their_parts(
    campaign: Campaign, topic: Topic, organiser: Client, make: Factory
) -> None:
    alice, bob = people(make, "alice", "bob")
    assert "No judges assigned" in markup(organiser.get(f"{URL}topics/1/"))
    assign([alice, bob], [topic], "shared")
    page = markup(organiser.get(f"{URL}topics/1/"))
    assert (
        "documents of alice" in page and "Remove assignment of bob" in page and "documents of eve" not in page
    )
    assert organiser.get(f"{URL}topics/nine/").status_code == 404


@pytest.mark.parametrize("data", [{}, {"judge": "x"}, {"judge": 10**30}, {"judge": "1", "new_judge": ""}])
def test_a_move_without_judges_moves_nothing(
    campaign: Campaign, topic: Topic, organiser: Client, make: Factory, data: dict[str, Any]
) -> None:
    assign(people(make, "alice"), [topic])
    for act in ("move", "take-back"):
        page = markup(organiser.post(f"{URL}topics/1/{act}/", data, follow=True))
        assert "Choose a judge who has this topic" in page
    assert parts(campaign) == {("1", "alice", "primary")}
