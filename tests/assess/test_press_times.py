"""Of several presses of a judge on a document the latest one stands, whenever they arrive."""

from __future__ import annotations

import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from assess.models import Judgment, JudgmentEvent, Progress, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import consistency, first_labels
from assess.queries.integrity import label_faults, queue_faults, release_faults
from assess.queries.judge_progress import pace_of
from assess.queries.judging import cards_of
from assess.services.judging import LabelRefused, SubmittedJudgment, record_judgment
from assess.services.queues import return_to_judges
from assess.services.releases import release_qrels
from pooling.models import Campaign, Pool
from tests.support.factory import Factory


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Two topics; the pool was frozen ten days ago."""
    campaign = make.make_pooled_campaign()
    Pool.objects.update(frozen_at=timezone.now() - timedelta(days=10))
    return campaign


@pytest.fixture
def entry(campaign: Campaign, make: Factory) -> QueueEntry:
    return make.entry(campaign, "alice", "1", "D1")


def press(
    entry: QueueEntry, relevance: int | None, seconds_ago: float | None = None, **more: str
) -> JudgmentEvent:
    (card,) = cards_of([entry])
    reason = "broken" if relevance is None else ""
    pressed = SubmittedJudgment(
        uuid.uuid4(), card.docno, card.text_hash, relevance, reason, seconds_ago=seconds_ago
    )
    return record_judgment(entry, pressed._replace(**more))  # type: ignore[arg-type]


def seconds_before_arrival(event: JudgmentEvent) -> float:
    return (event.at - event.pressed_at).total_seconds()


def faults(campaign: Campaign) -> list[object]:
    checks = label_faults, queue_faults, release_faults
    return [fault for check in checks for looked in check(campaign) for fault in looked]


def test_the_time_of_a_press_is_stored(entry: QueueEntry) -> None:
    event = press(entry, 2, seconds_ago=3600)
    assert seconds_before_arrival(event) == pytest.approx(3600, abs=5)
    assert seconds_before_arrival(press(entry, 2)) == pytest.approx(0, abs=5)


@pytest.mark.parametrize("seconds_ago", [-86_400.0, -0.5, 0.0])
def test_no_press_is_in_the_future(entry: QueueEntry, seconds_ago: float) -> None:
    assert seconds_before_arrival(press(entry, 2, seconds_ago)) == pytest.approx(0, abs=5)


@pytest.mark.parametrize("seconds_ago", [11 * 86_400.0, 1e18])
def test_no_press_is_from_before_its_pool_was_frozen(entry: QueueEntry, seconds_ago: float) -> None:
    event = press(entry, 2, seconds_ago)
    assert event.pressed_at >= entry.pooled.pool.frozen_at - timedelta(seconds=1)


def test_of_two_devices_the_later_press_stands(campaign: Campaign, entry: QueueEntry, make: Factory) -> None:
    press(entry, 3, seconds_ago=300)
    press(entry, 0, seconds_ago=3600)  # of a computer that was offline
    assert Judgment.objects.get().relevance == 3
    release = release_qrels(campaign, make.make_user("carol"))
    with release.file.open("rb") as file:
        assert file.read() == b"1 0 D1 3\n"
    assert faults(campaign) == []
    counts = Progress.objects.get()
    assert (counts.labels, counts.refused) == (1, 0)
    (card,) = cards_of([make.entry(campaign, "alice", "1", "D1")])
    assert card.mine and card.mine.relevance == 3


def test_a_correction_stands_although_its_request_was_the_faster_one(entry: QueueEntry) -> None:
    press(entry, 0)  # on the way for five seconds
    press(entry, 3, seconds_ago=4.5)
    assert Judgment.objects.get().relevance == 3


def test_a_late_press_leaves_the_document_open_that_was_returned_since(
    campaign: Campaign, entry: QueueEntry, make: Factory
) -> None:
    refused = press(entry, None, seconds_ago=300)
    return_to_judges(JudgmentEvent.objects.filter(pk=refused.pk), make.make_user("carol"))
    press(entry, 3, seconds_ago=3600)
    entry.refresh_from_db()
    assert not Judgment.objects.exists() and entry.state == QueueEntry.State.OPEN
    assert faults(campaign) == []
    assert (Progress.objects.get().labels, Progress.objects.get().refused) == (0, 0)
    press(entry, 1)
    assert Judgment.objects.get().relevance == 1 and faults(campaign) == []


def test_the_pace_counts_documents_labelled_today(
    campaign: Campaign, entry: QueueEntry, make: Factory
) -> None:
    press(entry, 1, seconds_ago=2 * 86_400)
    assert pace_of(entry.judge, campaign).today == 0
    second = make.entry(campaign, "alice", "1", "D2")
    press(second, 1)
    press(second, 2)  # a correction
    assert pace_of(entry.judge, campaign).today == 1
    second.kind = QueueEntry.Kind.REPEAT
    second.save()
    press(second, 1)  # it must not show in the count that a document is a repeat
    assert pace_of(entry.judge, campaign).today == 2


def test_consistency_takes_labels_in_the_order_of_the_presses(campaign: Campaign, make: Factory) -> None:
    for docno, ago in (("D1", 100.0), ("D2", 5000.0), ("D3", 900.0)):
        press(make.entry(campaign, "alice", "1", docno), 1, ago)
    (alice,) = consistency(CampaignReads(campaign))
    assert alice.labels == 3
    topic = campaign.topics.get(number="1")

    stream = first_labels(campaign, topic, alice.judge.pk)
    assert stream
    events = JudgmentEvent.objects.in_bulk(stream.keys)
    assert [events[key].pooled.docno for key in stream.keys] == ["D2", "D3", "D1"]


@pytest.mark.parametrize(
    "other", [{"relevance": 3}, {"relevance": None, "reason": "broken"}, {"comment": "A comment."}]
)
def test_the_same_press_with_another_label_is_refused(entry: QueueEntry, other: dict[str, object]) -> None:
    (card,) = cards_of([entry])
    first = SubmittedJudgment(uuid.uuid4(), card.docno, card.text_hash, 0)
    event = record_judgment(entry, first)
    assert record_judgment(entry, first) == event
    with pytest.raises(LabelRefused, match="The label of D1 was already stored .* grade 0"):
        record_judgment(entry, first._replace(**other))  # type: ignore[arg-type]
    assert Judgment.objects.get().relevance == 0 and JudgmentEvent.objects.count() == 1
