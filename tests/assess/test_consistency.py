"""Judges against themselves and against chance: for the organiser alone."""

from __future__ import annotations

from importlib import import_module
from uuid import uuid4

import pytest
from django.test import Client
from sklearn.metrics import cohen_kappa_score

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import consistency, first_labels
from assess.queries.judging import cards_of
from assess.services.assignments import assign
from assess.services.imports import load_judgments
from assess.services.judging import SubmittedJudgment, record_judgment
from pooling.models import Campaign, Topic
from tests.support.campaign_in_judging import JUDGES, lived_in_campaign
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/consistency/"


def build_campaign(make: Factory) -> Campaign:
    return make.make_forty()


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


@pytest.fixture
def alice(make: Factory, topic: Topic) -> User:
    alice = make.make_user("alice")
    assign([alice], [topic])
    return alice


@pytest.fixture
def organiser(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def label(entry: QueueEntry, relevance: int | None, seconds: float | None = 20) -> JudgmentEvent:
    (card,) = cards_of([entry])
    reason = "" if relevance is not None else "broken"
    press = SubmittedJudgment(uuid4(), card.docno, card.text_hash, relevance, reason, active_seconds=seconds)
    return record_judgment(entry, press)


def again(entry: QueueEntry, relevance: int | None) -> None:
    """The same document, as a hidden repeat."""
    copy = QueueEntry.objects.create(
        judge=entry.judge, topic=entry.topic, pooled=entry.pooled, kind="repeat", place=entry.place
    )
    label(copy, relevance)


def test_self_agreement_is_that_of_the_repeats(campaign: Campaign, make: Factory, alice: User) -> None:
    grades = [(3, 3), (0, 0), (1, 2), (0, 1), (2, 2), (0, None)]
    for nth, (first, second) in enumerate(grades):
        entry = make.entry(campaign, "alice", "1", f"D{nth:02}")
        label(entry, first)
        again(entry, second)
    (found,) = consistency(CampaignReads(campaign))
    graded = [pair for pair in grades if pair[1] is not None]
    assert found.myself.n == 5 and found.myself.percent == 3 / 5
    oracle = cohen_kappa_score([first for first, _ in graded], [second for _, second in graded])
    assert found.myself.kappa == pytest.approx(oracle)
    assert found.labels == 6 and Judgment.objects.count() == 6


def test_a_correction_after_the_repeat_does_not_make_a_judge_agree(
    campaign: Campaign, make: Factory, alice: User
) -> None:
    entry = make.entry(campaign, "alice", "1", "D01")
    label(entry, 3)
    again(entry, 0)
    label(entry, 0)
    (found,) = consistency(CampaignReads(campaign))
    assert (found.myself.n, found.myself.percent, found.labels) == (1, 0, 1)


def test_what_is_undefined_says_why(campaign: Campaign, make: Factory, alice: User) -> None:
    entry = make.entry(campaign, "alice", "1", "D01")
    label(entry, 2)
    (found,) = consistency(CampaignReads(campaign))
    assert (found.myself.kappa, found.myself.why) == (None, "no document was repeated yet")
    again(entry, 2)
    (found,) = consistency(CampaignReads(campaign))
    assert (found.myself.kappa, found.myself.why) == (None, "one grade throughout")
    assert found.gold.rate is None and found.training.kappa is None


def test_the_median_is_of_timed_labels_only(
    campaign: Campaign, make: Factory, alice: User, topic: Topic
) -> None:
    label(make.entry(campaign, "alice", "1", "D00"), 1, None)
    (found,) = consistency(CampaignReads(campaign))
    assert (found.seconds, found.medians) == (None, {})
    for nth, seconds in enumerate([10, 60, 20], start=1):
        label(make.entry(campaign, "alice", "1", f"D{nth:02}"), 1, seconds)
    (found,) = consistency(CampaignReads(campaign))
    assert (found.labels, found.seconds, found.medians) == (4, 20, {topic.pk: 20})


def test_a_burst_is_flagged_with_a_link_to_its_labels(
    campaign: Campaign, make: Factory, alice: User, organiser: Client
) -> None:
    for nth in range(20):
        label(make.entry(campaign, "alice", "1", f"D{nth:02}"), nth % 3, 1.5 if nth >= 8 else 20)
    page = markup(organiser.get(URL))
    assert "12 labels in a row, numbers 9 to 20, took less than 2 s each." in page
    link = f"{URL}{alice.pk}/topics/1/?from=9&amp;to=20"
    assert link in page
    stream = markup(organiser.get(link.replace("&amp;", "&")))
    assert stream.count('<tr class="own">') == 12 and "D08" in stream


def test_a_page_of_labels_begins_with_that_of_the_flag(
    campaign: Campaign, make: Factory, alice: User, organiser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("assess.views.consistency"), "LABELS_A_PAGE", 4)
    for nth in range(10):
        label(make.entry(campaign, "alice", "1", f"D{nth:02}"), 1)
    url = f"{URL}{alice.pk}/topics/1/"
    assert "D00" in (first := markup(organiser.get(url))) and "D04" not in first
    marked = markup(organiser.get(f"{url}?from=6&to=7"))
    assert "D05" in marked and "D03" not in marked and "page=3" in marked
    assert 'id="no-9"' in markup(organiser.get(f"{url}?from=6&to=7&page=3"))


def test_a_stream_is_the_first_label_of_each_document_whatever_comes_after(
    campaign: Campaign, topic: Topic, make: Factory, alice: User
) -> None:
    entries = [make.entry(campaign, "alice", "1", f"D{nth:02}") for nth in range(6)]
    first = [label(entry, nth % 3) for nth, entry in enumerate(entries)]
    again(entries[1], 2)
    label(entries[0], 2)
    stream = first_labels(campaign, topic, alice.pk)
    assert stream and stream.judge == alice
    assert stream.events(0, 100) == first and stream.events(2, 4) == first[2:4]


@pytest.mark.parametrize("query", ["from=x&to=3", "from=3", "from=0&to=99999999999999999999", "from=9&to=2"])
def test_a_stretch_that_is_none_marks_nothing(
    campaign: Campaign, make: Factory, alice: User, organiser: Client, query: str
) -> None:
    label(make.entry(campaign, "alice", "1", "D01"), 2)
    page = organiser.get(f"{URL}{alice.pk}/topics/1/?{query}")
    assert page.status_code == 200 and b'class="own"' not in page.content


def test_labels_of_who_never_judged_here_are_not_found(
    campaign: Campaign, make: Factory, alice: User, organiser: Client
) -> None:
    assert organiser.get(f"{URL}{alice.pk}/topics/1/").status_code == 404
    assert organiser.get(f"{URL}{10**12}/topics/1/").status_code == 404


def test_labels_made_elsewhere_are_nobodys_pace(campaign: Campaign, make: Factory, organiser: Client) -> None:
    load_judgments(campaign, make.make_user("carol"), b"1 0 D01 3\n", "q", "NIST")
    assert consistency(CampaignReads(campaign)) == []
    assert "No labels from the judging screen yet" in markup(organiser.get(URL))


def test_judges_stand_in_the_order_of_their_names_without_a_rank(make: Factory) -> None:
    campaign = lived_in_campaign(make, share=0.5)
    assert [str(each.judge) for each in consistency(CampaignReads(campaign))] == sorted(JUDGES.values())
    client = Client()
    client.force_login(make.make_user("carol"))
    page = markup(client.get("/campaigns/covid/judging/consistency/"))
    assert "in alphabetical order, not ranked" in page and "aria-sort" not in page
    assert "M. Sato, topic" in page  # who was made to hurry
