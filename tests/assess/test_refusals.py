"""Cannot judge: what the organiser sees of it, and gives back."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from assess.models import JudgmentEvent, QueueEntry, ReturnedLabel
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import cards_of, next_entries
from assess.queries.labels import refusals
from assess.services.assignments import assign, move_topic
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import next_documents, return_to_judges
from pooling.checksum import NO_TEXT
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/cannot-judge/"
Refuse = Callable[[str, str, str, str], JudgmentEvent]


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> User:
    return make.make_user("carol")


@pytest.fixture
def organiser(carol: User) -> Client:
    client = Client()
    client.force_login(carol)
    return client


@pytest.fixture
def refuse(campaign: Campaign, make: Factory) -> Refuse:
    def one(judge: str, topic: str, docno: str, reason: str) -> JudgmentEvent:
        entry = make.entry(campaign, judge, topic, docno)
        (card,) = cards_of([entry])
        comment = f"{docno} is <odd>"
        return record_judgment(
            entry, SubmittedJudgment(uuid.uuid4(), docno, card.text_hash, None, reason, comment)
        )

    return one


def test_the_list_is_by_reason_judge_and_topic_with_the_comment(refuse: Refuse, organiser: Client) -> None:
    refuse("alice", "1", "D1", "broken")
    refuse("alice", "2", "D1", "language")
    refuse("bob", "1", "D2", "expertise")
    page = markup(organiser.get(URL))
    assert "3 documents" in page and "D2 is &lt;odd&gt;" in page
    for query, count in (
        ("reason=language", 1),
        ("judge=alice", 2),
        ("topic=1", 2),
        ("judge=bob&topic=2", 0),
    ):
        assert markup(organiser.get(f"{URL}?{query}")).count("open</span>") == count


def test_a_judge_finds_the_newest_of_what_they_could_not_judge(make: Factory) -> None:
    campaign, alice = make.make_forty(), make.make_user("alice")
    assign([alice], list(campaign.topics.all()))
    for number in range(22):
        entry = make.entry(campaign, "alice", "1", f"D{number:02}")
        record_judgment(entry, SubmittedJudgment(uuid.uuid4(), entry.pooled.docno, NO_TEXT, None, "broken"))
    client = Client()
    client.force_login(alice)
    page = markup(client.get("/campaigns/tiny/judge/"))
    shown = re.findall(r'<b class="docno">(D\d\d)</b>', page)
    assert shown == [f"D{number:02}" for number in range(21, 1, -1)]
    assert "and 2 older documents labelled <i>cannot judge</i>" in page
    assert re.search(r'22 <small>of 40</small>.*<td class="secondary">22 cannot judge</td>', page)


def test_what_was_chosen_goes_back_and_is_marked(refuse: Refuse, organiser: Client, make: Factory) -> None:
    first, second = refuse("alice", "1", "D1", "broken"), refuse("alice", "1", "D2", "broken")
    page = markup(organiser.post(URL, {"event": [first.pk]}, follow=True))
    assert "1 document returned" in page and "by carol, not labelled yet" in page and "1 open" in page
    alice, topic = make.make_user("alice"), first.pooled.topic
    assert [entry.pooled.docno for entry in next_entries(alice, topic, 9)] == ["D3", "D1"]
    again = markup(organiser.post(URL, {"event": [first.pk]}, follow=True))
    assert "Nothing was returned" in again
    assert list(ReturnedLabel.objects.values_list("event", flat=True)) == [first.pk] != [second.pk]


def test_all_that_is_shown_goes_back_at_once(refuse: Refuse, organiser: Client) -> None:
    refuse("alice", "1", "D1", "broken")
    refuse("alice", "1", "D2", "language")
    refuse("bob", "1", "D2", "broken")
    page = markup(organiser.post(URL, {"reason": "broken", "all": "1"}, follow=True))
    assert "2 documents returned" in page
    assert set(ReturnedLabel.objects.values_list("event__reason", flat=True)) == {"broken"}


def test_a_label_given_since_is_shown_and_a_corrected_one_needs_no_return(
    campaign: Campaign, refuse: Refuse, organiser: Client, carol: User, make: Factory
) -> None:
    event = refuse("alice", "1", "D1", "broken")
    refuse("alice", "1", "D2", "broken")
    make.make_judgment(campaign, "alice", "1", "D2", 2)  # corrected by the judge
    assert list(refusals(CampaignReads(campaign))) == [event]
    return_to_judges(JudgmentEvent.objects.filter(pk=event.pk), carol)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    assert "labelled since" in markup(organiser.get(URL))


@pytest.mark.parametrize("data", [{}, {"event": ["x", "9" * 30, "-1"]}, {"event": ["0"], "judge": "\0"}])
def test_nothing_chosen_returns_nothing(refuse: Refuse, organiser: Client, data: dict[str, object]) -> None:
    refuse("alice", "1", "D1", "broken")
    assert "Nothing was returned" in markup(organiser.post(URL, data, follow=True))
    assert not ReturnedLabel.objects.exists()


def test_documents_of_another_campaign_are_not_returned(
    refuse: Refuse, organiser: Client, carol: User, make: Factory
) -> None:
    event = refuse("alice", "1", "D1", "broken")
    make.make_campaign("other")
    organiser.post("/campaigns/other/judging/cannot-judge/", {"event": [event.pk]})
    organiser.post("/campaigns/other/judging/cannot-judge/", {"all": "1"})
    assert not ReturnedLabel.objects.exists()


def test_what_comes_back_after_the_topic_moved_goes_to_who_has_it_now(
    campaign: Campaign, refuse: Refuse, carol: User, make: Factory
) -> None:
    alice, eve = make.make_user("alice"), make.make_user("eve")
    event = refuse("alice", "1", "D1", "broken")
    topic = event.pooled.topic
    move_topic(topic, alice, eve)
    assert "D1" not in {entry.pooled.docno for entry in next_documents(eve, topic, 9)}
    return_to_judges(JudgmentEvent.objects.all(), carol)
    assert "D1" in {entry.pooled.docno for entry in next_documents(eve, topic, 9)}
    assert not QueueEntry.objects.filter(judge=alice, topic=topic, state="open").exists()


def test_returning_many_takes_as_many_queries_as_returning_few(
    make: Factory, refuse: Refuse, carol: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = Campaign.objects.get()
    make.make_run(campaign, "\n".join(f"1 E{rank:02} {100 - rank}" for rank in range(30)), tag="more")
    make.make_pool(campaign, depth=30)
    assign([make.make_user("alice")], campaign.topics.all())
    for rank in range(30):
        refuse("alice", "1", f"E{rank:02}", "broken")
    with django_assert_num_queries(17 if connection.vendor == "sqlite" else 18):  # which locks no rows
        assert return_to_judges(JudgmentEvent.objects.all(), carol) == 30
