"""Two runs side by side: sides by seed, votes that are never lost, names that never show."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.document.highlighting import topic_terms
from assess.document.layout import excerpt
from assess.models import Panel, PanelVote
from assess.panels.queries import current_votes
from assess.panels.services import PanelRefused, Vote, VoteRefused, create_panel, record_vote
from assess.panels.sides import run_of_side, shown_left, side_of_run
from pooling.models import Campaign, Role
from pooling.services.people import add_member
from tests.support.factory import Factory
from tests.support.markup import markup

TOPICS = st.lists(st.text("0123456789A", min_size=1, max_size=4), unique=True, max_size=30)


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for number in "1234":
        make.make_topic(campaign, number, f"title {number}")
    make.make_run(campaign, "\n".join(f"{n} P1 2\n{n} P2 1" for n in "1234"), tag="zebra-left")
    make.make_run(campaign, "1 P2 2\n1 P1 1\n2 P3 1\n3 P4 1\n4 P1 2\n4 P2 1", tag="zebra-right")
    make.make_document(campaign, "P1", "A paper on title pages. " * 40, title="Title pages")
    return campaign


@pytest.fixture
def panel(campaign: Campaign, make: Factory) -> Panel:
    return make.make_panel(campaign)


@pytest.fixture
def alice(campaign: Campaign, make: Factory) -> Client:
    return signed_in(make, "alice")


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def url(panel: Panel, topic: str = "1") -> str:
    return f"/campaigns/tiny/panels/{panel.pk}/topics/{topic}/"


def plain(docno: str) -> str:
    return f'<span class="docno">{docno}</span>'


def vote_fields(**changed: Any) -> dict[str, Any]:
    return {"uuid": uuid.uuid4(), "choice": "left", "reason": "", "source": "key"} | changed


@given(st.integers(0, 2**31), st.integers(1, 99), TOPICS)
def test_each_run_stands_left_on_half_of_a_judges_topics(seed: int, judge: int, topics: list[str]) -> None:
    left = shown_left(seed, judge, topics)
    assert set(left) == set(topics)
    firsts = sum(side == "first" for side in left.values())
    assert abs(2 * firsts - len(topics)) <= 1
    assert shown_left(seed, judge, reversed(topics)) == left


def test_sides_differ_from_judge_to_judge_and_by_seed() -> None:
    topics = [str(number) for number in range(40)]
    first, of_another_judge, of_another_seed = (
        shown_left(seed, judge, topics) for seed, judge in ((1, 1), (1, 2), (2, 1))
    )
    assert first != of_another_judge and first != of_another_seed and of_another_judge != of_another_seed
    always = [shown_left(seed, 1, ["1"])["1"] for seed in range(200)]
    assert 70 < always.count("first") < 130


@given(st.sampled_from(["left", "right", "equal"]), st.sampled_from(["first", "second"]))
def test_a_side_and_the_run_that_stood_there_are_one(choice: str, left: str) -> None:
    assert side_of_run(run_of_side(choice, left), left) == choice


def test_topics_on_which_both_show_the_same_are_left_out(panel: Panel, campaign: Campaign) -> None:
    assert [topic.number for topic in panel.topics.all()] == ["1", "2", "3"]
    first = campaign.runs.get(tag="zebra-left")
    second = campaign.runs.get(tag="zebra-right")
    for runs, topics in (((first, first), "1"), ((first, second), "4")):
        with pytest.raises(PanelRefused):
            create_panel(campaign, panel.made_by, runs, 10, campaign.topics.filter(number=topics), 7)


def test_the_lists_stand_as_the_seed_says_and_a_docno_stands_for_a_missing_text(
    panel: Panel, alice: Client, make: Factory
) -> None:
    left = shown_left(7, make.make_user("alice").pk, ["1", "2", "3"])
    for topic in "123":
        page = markup(alice.get(url(panel, topic)))
        lists = [re.findall(r"<h3[^>]*>(.*?)</h3>", part) for part in page.split('id="list-')[1:]]
        first = ["Title pages", plain("P2")]
        second = {"1": first[::-1], "2": [plain("P3")], "3": [plain("P4")]}[topic]
        assert lists == ([first, second] if left[topic] == "first" else [second, first])
        assert "No text was loaded" in page


def test_a_vote_is_for_the_run_that_stood_there(panel: Panel, alice: Client, make: Factory) -> None:
    left = shown_left(7, make.make_user("alice").pk, ["1", "2", "3"])
    for topic in "123":
        alice.post(url(panel, topic), vote_fields(choice="right", reason="clearer"))
    for vote in panel.votes.all():
        assert vote.shown_left == left[vote.topic.number]
        assert vote.choice != vote.shown_left and vote.reason == "clearer" and vote.source == "key"


def test_a_vote_goes_on_to_what_waits_and_at_last_to_the_list(panel: Panel, alice: Client) -> None:
    assert alice.post(url(panel, "2"), vote_fields())["Location"] == url(panel, "1")
    assert alice.post(url(panel, "1"), vote_fields())["Location"] == url(panel, "3")
    assert alice.post(url(panel, "3"), vote_fields())["Location"] == "/campaigns/tiny/panels/"
    page = markup(alice.get("/campaigns/tiny/panels/"))
    assert "3 <small>of 3</small>" in page and "You have voted on all topics" in page


def test_the_same_press_twice_is_one_vote(panel: Panel, alice: Client) -> None:
    press = vote_fields()
    for _ in range(2):
        assert alice.post(url(panel), press).status_code == 302
    assert PanelVote.objects.count() == 1


def test_a_press_that_says_something_else_under_the_same_name_is_refused(
    panel: Panel, alice: Client, make: Factory
) -> None:
    press = vote_fields()
    alice.post(url(panel), press)
    page = alice.post(url(panel), press | {"choice": "equal"})
    assert page.status_code == 200 and b"This page has already sent another vote" in page.content
    with pytest.raises(VoteRefused):
        vote = Vote(press["uuid"], "left")
        record_vote(panel, panel.topics.get(number="2"), make.make_user("alice"), vote)
    assert PanelVote.objects.count() == 1


def test_votes_of_the_outbox_bring_the_next_pairs(panel: Panel, alice: Client, make: Factory) -> None:
    topic = panel.topics.get(number="1")
    vote = vote_fields(panel=panel.pk, topic="1", uuid=f"{uuid.uuid4()}")
    payload = {"judge": make.make_user("alice").pk, "topic": f"{panel.pk}", "have": [topic.pk], "want": 3}
    for labels in ([vote], [vote, vote | {"choice": "equal"}, vote | {"panel": 999}]):
        response = alice.post(
            "/campaigns/tiny/panels/outbox/", payload | {"labels": labels}, "application/json"
        )
    page = markup(response)
    assert PanelVote.objects.count() == 1
    assert page.count("data-problem") == 2 and "Topic 1: This page has already sent another vote" in page
    assert page.count("<article") == 2 and "1 of 3 topics voted" in page


def test_a_changed_mind_is_a_new_vote_and_the_last_counts(panel: Panel, alice: Client) -> None:
    alice.post(url(panel), vote_fields(choice="left"))
    alice.post(url(panel), vote_fields(choice="equal"))
    assert PanelVote.objects.count() == 2
    assert [vote.choice for vote in current_votes(panel.votes.all())] == ["equal"]
    page = markup(alice.get(url(panel)))
    assert re.search(r'value="equal" aria-pressed="true"', page)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"choice": "best"}, "Select a valid choice"),
        ({"uuid": "x"}, "valid UUID"),
        ({"source": "guess"}, "Select a valid choice"),
        ({"reason": "x" * 5001}, "at most 5000 characters"),
    ],
)
def test_a_bad_vote_keeps_the_page_and_records_nothing(
    panel: Panel, alice: Client, changed: dict[str, Any], expected: str
) -> None:
    page = alice.post(url(panel), vote_fields(**changed))
    assert page.status_code == 200 and expected in markup(page)
    assert not PanelVote.objects.exists()


def test_a_text_opens_from_the_list_and_only_from_the_list(
    panel: Panel, alice: Client, make: Factory
) -> None:
    left = shown_left(7, make.make_user("alice").pk, ["1", "2", "3"])
    side = "left" if left["1"] == "first" else "right"
    assert b"A paper on" in alice.get(f"{url(panel)}{side}/1/").content
    for place in (f"{side}/2/", f"{side}/9/", "middle/1/"):
        assert alice.get(url(panel) + place).status_code == 404


@pytest.mark.parametrize("place", ["panels/", "panels/{pk}/topics/1/"])
def test_who_may_vote(panel: Panel, make: Factory, client: Client, place: str) -> None:
    where = "/campaigns/tiny/" + place.format(pk=panel.pk)
    assert client.get(where).status_code == 302
    for name, status in (("mallory", 404), ("dave", 403), ("bob", 200)):
        assert signed_in(make, name).get(where).status_code == status
    assert signed_in(make, "bob").get(url(panel, "4")).status_code == 404
    assert signed_in(make, "bob").get("/campaigns/tiny/panels/999/topics/1/").status_code == 404


@pytest.mark.parametrize(
    ("role", "group", "status"),
    [
        (Role.ORGANISER, "", 404),
        (Role.ADJUDICATOR, "", 404),
        (Role.READER, "", 404),
        (Role.PARTICIPANT, "carolab", 404),  # whose runs they are
        (Role.PARTICIPANT, "davelab", 200),
    ],
)
def test_a_judge_who_may_see_a_runs_name_has_no_vote(
    panel: Panel, make: Factory, role: Role, group: str, status: int
) -> None:
    add_member(panel.campaign, make.make_user("bob"), role, group=group)
    bob = signed_in(make, "bob")
    assert bob.get(url(panel)).status_code == status
    bob.post(url(panel), vote_fields())
    assert PanelVote.objects.exists() == (status == 200)
    listed = markup(bob.get("/campaigns/tiny/panels/"))
    assert (str(panel) in listed) == (status == 200)


def test_no_vote_and_no_name_reaches_another_judge(panel: Panel, make: Factory, alice: Client) -> None:
    make.make_vote(panel, "bob", "1", "left", "bob's own words")
    for place in (url(panel), "/campaigns/tiny/panels/", "/campaigns/tiny/judge/"):
        page = markup(alice.get(place))
        assert "zebra" not in page and "bob" not in page
    assert "3 pairs of result lists to compare" in markup(alice.get("/campaigns/tiny/judge/"))


def test_the_organiser_makes_a_panel(campaign: Campaign, make: Factory) -> None:
    carol, where = signed_in(make, "carol"), "/campaigns/tiny/judging/panels/"
    form = {"first": "zebra-left", "second": "zebra-right", "depth": 5, "topics": "all", "seed": ""}
    page = markup(carol.post(where, form, follow=True))
    assert "judges can vote on 3 topics" in page and "1 topic skipped" in page
    panel = Panel.objects.get()
    assert (panel.first.tag, panel.second.tag, panel.depth) == ("zebra-left", "zebra-right", 5)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"second": "zebra-left"}, "Choose two different runs"),
        ({"second": "nobody"}, "Select a valid choice"),
        ({"depth": 0}, "greater than or equal to 1"),
        ({"topics": "1 99"}, "This campaign has no topic 99"),
        ({"topics": "4"}, "both runs have the same first 10 documents"),
    ],
)
def test_an_invalid_panel_shows_an_error(
    campaign: Campaign, make: Factory, changed: dict[str, Any], expected: str
) -> None:
    form = {"first": "zebra-left", "second": "zebra-right", "depth": 10, "topics": "all", "seed": 1} | changed
    page = signed_in(make, "carol").post("/campaigns/tiny/judging/panels/", form)
    assert expected in markup(page)
    assert not Panel.objects.exists()


def test_an_excerpt_is_where_the_terms_meet_or_the_beginning() -> None:
    text = "Nothing of note here. " * 40 + "Here solar sails meet wind. " + "And nothing more. " * 40
    found = "".join(span.text for span in excerpt(text, topic_terms("solar sails")))
    assert "solar sails" in found and len(found) < 400
    assert "".join(span.text for span in excerpt(text, [])).startswith("Nothing of note here. Nothing")
    assert excerpt("", []) == []
