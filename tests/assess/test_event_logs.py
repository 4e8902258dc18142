"""Events are read once, and then only those that are new: whatever happens between, nothing is missed."""

from __future__ import annotations

import pytest
from django.core.cache import cache

from assess.models import Judgment, JudgmentEvent
from assess.queries import Headlines, event_logs, headlines, judgments_with_machines, stream_of
from assess.queries.event_logs import log_of, newest_event, standing_of
from assess.services import load_judgments, load_probes, return_to_judges
from pooling.models import Campaign
from tests.factory import Factory
from tests.lived import make_lived_campaign, refuse


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def agrees(campaign: Campaign) -> bool:
    """Whether what is kept is what the tables say, and what is read from the start."""
    kept = [column.tolist() for column in log_of(campaign)]
    standing = sorted(standing_of(campaign).key.tolist())
    labels = judgments_with_machines(campaign).order_by("event").values_list("event", flat=True)
    cache.delete(f"events-{campaign.pk}")
    anew = [column.tolist() for column in log_of(campaign)]
    return standing == list(labels) and repr(kept) == repr(anew)  # repr: nan is nan


def test_every_label_is_there_whatever_was_read_before(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    assert agrees(campaign)
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    assert agrees(campaign)
    refuse(make, campaign, "bob", "1", "D3")
    return_to_judges(JudgmentEvent.objects.filter(reason="broken"), carol)
    assert agrees(campaign)
    load_judgments(campaign, carol, b"2 0 D1 1\n", "more.qrels", "more")
    assert agrees(campaign)
    load_probes(campaign, carol, "gold", b"1 D9 2\n")
    assert agrees(campaign)
    assert Headlines(campaign).labels == Judgment.objects.filter(pooled__probe=None).count() > 2


def test_labels_are_counted_anew_after_a_label_alone(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Headlines(campaign).labels
    with monkeypatch.context() as patched:
        patched.delattr(headlines, "of_topics")
        assert Headlines(campaign).labels == before
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    assert Headlines(campaign).labels == before + 1


def test_an_event_that_comes_behind_a_later_one_is_read(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL shows what was committed, and a lower key may be committed later."""
    late = make.make_judgment(campaign, "bob", "1", "D3", 2).event
    make.make_judgment(campaign, "bob", "2", "D1", 3)
    now = log_of(campaign)
    trail, newest, _ = cache.get(f"events-{campaign.pk}")
    cache.set(f"events-{campaign.pk}", (trail, newest - 1, now.where(now.key != late.pk)))
    assert agrees(campaign)
    monkeypatch.setattr(event_logs, "REREAD", 0)
    cache.set(f"events-{campaign.pk}", (trail, newest - 1, now.where(now.key != late.pk)))
    assert not agrees(campaign)


def test_another_campaigns_labels_change_nothing_here(campaign: Campaign, make: Factory) -> None:
    before = newest_event(campaign)
    other = make.make_campaign("other")
    topic = make.make_topic(other, "1")
    make.make_run(other, "1 D1 1")
    make.make_pool(other)
    load_judgments(other, make.make_user("carol"), b"1 0 D1 1\n", "a.qrels", "reader")
    assert topic.pooled.count() == 1
    assert newest_event(campaign) == before < newest_event(other)
    assert agrees(campaign)


def test_the_stream_of_a_judge_follows_each_label_once(campaign: Campaign, make: Factory) -> None:
    bob, topic = make.make_user("bob"), campaign.topics.get(number="1")
    before = stream_of(bob, topic)
    make.make_judgment(campaign, "bob", "1", "D3", 2)
    make.make_judgment(campaign, "bob", "1", "D3", 1)
    make.make_judgment(campaign, "bob", "2", "D1", 1)
    now = stream_of(bob, topic)
    assert now == [*before, *({"D3"} - set(before))]
    cache.clear()
    assert stream_of(bob, topic) == now
