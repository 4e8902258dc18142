"""What is summed up topic by topic is what all labels at once would give, whatever comes in between."""

from __future__ import annotations

import random

import numpy as np
import pytest
from django.core.cache import cache
from hypothesis import given
from hypothesis import strategies as st

from assess.disputes import Wanted, queue_of
from assess.event_columns import KINDS, EventColumns, event_columns
from assess.kappa import OF_ALL, REGISTRY, by_topic, coefficients
from assess.models import Judgment, JudgmentEvent
from assess.queries import Headlines, agreement_report, event_logs, jury_of, scope_of_agreement
from assess.queries.disputes import _open_labels
from assess.queries.event_logs import log_of, standing_of, what_counts
from assess.services import assign, load_judgments, load_probes, return_to_judges
from pooling.models import Campaign
from tests.factory import Factory
from tests.lived import refuse

JUDGES = ("alice", "bob", "ada")
EVENTS = st.lists(
    st.tuples(st.integers(1, 3), st.integers(0, 11), st.integers(-1, 3), st.sampled_from(KINDS)), max_size=60
)


def log_from(rows: list[tuple[int, int, int, str]]) -> EventColumns:
    """rows: judge, document (four of a topic), relevance, kind."""
    return event_columns(
        (
            key,
            judge,
            7 + document // 4,
            document,
            None if grade < 0 else grade,
            kind,
            "key",
            None,
            "",
            "2026-01-01",
        )
        for key, (judge, document, grade, kind) in enumerate(rows, start=1)
    )


@given(EVENTS, EVENTS, st.sets(st.integers(1, 60)), st.sets(st.integers(0, 11), max_size=3))
def test_standing_labels_follow_new_events_by_topic(
    first: list[tuple[int, int, int, str]],
    later: list[tuple[int, int, int, str]],
    returned: set[int],
    probes: set[int],
) -> None:
    before, log = log_from(first), log_from([*first, *later])
    known, now = before.newest_by_topic(), log.newest_by_topic()
    stale = [topic for topic in now if known.get(topic) != now[topic]]
    assert set(stale) == set(np.unique(log.topic[len(first) :]).tolist())
    anew = log.on_topics(stale).standing(returned, probes)
    assert before.standing(returned, probes).exchanged(stale, anew).equals(log.standing(returned, probes))


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, str(number)) for number in (3, 1, 2)]
    make.make_run(campaign, "\n".join(f"{t} D{place} {9 - place}" for t in (1, 2, 3) for place in range(6)))
    make.make_pool(campaign)
    for place in range(6):
        make.make_document(campaign, f"D{place}")
    assign([make.make_user(name) for name in JUDGES], topics)
    return campaign


def agrees(campaign: Campaign) -> bool:
    """Whether figures and labels are what they are worked out from everything at once."""
    jury, counted, told = jury_of(campaign), what_counts(campaign), Headlines(campaign)
    scope = scope_of_agreement(campaign)
    whole = log_of(campaign).standing(counted.returned, counted.probes)
    return (
        standing_of(campaign).equals(whole)
        and told.labels == int((jury.people.places >= 0).sum()) + jury.refused
        and told.kappa == coefficients(jury.people, [REGISTRY["light"]])[0]
        and agreement_report(scope).topics == by_topic(scope.labels, OF_ALL)
        and told.waiting == len(queue_of(_open_labels(campaign), Wanted(), campaign.threshold))
    )


def test_figures_follow_whatever_judges_and_organisers_do(campaign: Campaign, make: Factory) -> None:
    draw, carol = random.Random(7), make.make_user("carol")
    assert agrees(campaign)
    for turn in range(40):
        judge, topic, docno = draw.choice(JUDGES), str(draw.randint(1, 3)), f"D{draw.randrange(6)}"
        if turn % 9 == 8:
            refuse(make, campaign, judge, topic, docno)
        else:
            make.make_judgment(campaign, judge, topic, docno, draw.randrange(4))
        if turn % 3 == 0:
            assert agrees(campaign)
    assert (told := Headlines(campaign)).labels > 20 and told.waiting > 3 and told.kappa.value is not None
    refused = Judgment.objects.filter(relevance=None).values("event")
    return_to_judges(JudgmentEvent.objects.filter(pk__in=refused), carol)
    assert agrees(campaign)
    load_judgments(campaign, carol, b"2 0 D1 1\n1 0 D1 3\n", "more.qrels", "aaa")
    assert agrees(campaign)
    load_probes(campaign, carol, "gold", b"1 D9 2\n")
    assert agrees(campaign)


def test_after_a_label_one_topic_is_worked_out_anew(
    campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for judge in JUDGES:
        for topic in "123":
            make.make_judgment(campaign, judge, topic, "D1", 1)
    assert agrees(campaign)
    make.make_judgment(campaign, "bob", "2", "D2", 3)
    seen: list[int] = []
    standing = EventColumns.standing

    def counted(log: EventColumns, *told: tuple[int, ...]) -> EventColumns:
        seen.append(len(log.key))
        return standing(log, *told)

    monkeypatch.setattr(EventColumns, "standing", counted)
    assert Headlines(campaign).labels == 10 and len(standing_of(campaign).key) == 10
    assert seen == [4, 4]  # of topic 2


def test_a_label_reads_one_event(campaign: Campaign, make: Factory, monkeypatch: pytest.MonkeyPatch) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 1)
    log_of(campaign)
    make.make_judgment(campaign, "bob", "2", "D2", 3)
    read = event_columns
    seen: list[int] = []

    def counted(*rows: object) -> EventColumns:
        found = read(*rows)  # type: ignore[arg-type]
        seen.append(len(found.key))
        return found

    monkeypatch.setattr(event_logs, "event_columns", counted)
    log = log_of(campaign)
    assert seen == [1] and len(log.key) == 2
    cache.clear()
    assert log_of(campaign).equals(log)
