"""Figures are what they are worked out from everything at once, whatever comes in between."""

from __future__ import annotations

import random

import numpy as np

from assess.integrity import current_events
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients_by_topic
from assess.models import Judgment, JudgmentEvent, Progress, QueueEntry
from assess.queries.adjudication import count_unsettled
from assess.queries.agreement import agreement_report, agreement_scope
from assess.queries.campaign_reads import CampaignReads
from assess.queries.counters import derived_summaries, stored_summaries
from assess.queries.integrity import events_on
from assess.queries.judging import judged_docnos
from assess.queries.label_matrix import label_matrix
from assess.queries.labels import label_counts
from assess.queries.progress import progress_grid
from assess.services.assignments import assign
from assess.services.gold import load_gold
from assess.services.imports import load_judgments
from assess.services.queues import return_to_judges
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.finished_campaign import refuse

JUDGES = ("alice", "bob", "ada")


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    topics = [make.make_topic(campaign, str(number)) for number in (3, 1, 2)]
    make.make_run(campaign, "\n".join(f"{t} D{place} {9 - place}" for t in (1, 2, 3) for place in range(6)))
    make.make_pool(campaign)
    for place in range(6):
        make.make_document(campaign, f"D{place}")
    assign([make.make_user(name) for name in JUDGES], topics)
    return campaign


def current_label_count(campaign: Campaign) -> int:
    """How many labels stand, derived from the events."""
    stands = [key for topic in campaign.topics.all() for key in current_events(events_on(topic))]
    return sum(kind == QueueEntry.Kind.JUDGING for *_, kind in stands)


def differing(campaign: Campaign) -> int:
    """On how many documents people gave different grades."""
    grades: dict[int, set[int | None]] = {}
    labels = Judgment.objects.filter(pooled__topic__campaign=campaign, relevance__isnull=False)
    for pooled, relevance in labels.values_list("pooled", "relevance"):
        grades.setdefault(pooled, set()).add(relevance)
    return sum(len(given) > 1 for given in grades.values())


def agrees(campaign: Campaign) -> bool:
    """Whether figures and labels are what they are worked out from everything at once."""
    jury, counts, labels = (
        label_matrix(CampaignReads(campaign)),
        label_counts(CampaignReads(campaign)),
        CampaignReads(campaign).labels.all,
    )
    stored = {key: summary for key, summary in stored_summaries(campaign).items() if any(summary)}
    scope = agreement_scope(CampaignReads(campaign))
    order = np.lexsort((labels.judge, labels.pooled, labels.topic)).tolist()
    return (
        len(labels.judge) == current_label_count(campaign)
        and order == list(range(len(order)))
        and counts.labels
        == int((jury.people.places >= 0).sum()) + jury.refused
        == progress_grid(CampaignReads(campaign)).done
        and counts.judges == len({*labels.judge.tolist()})
        and stored == derived_summaries(campaign)
        and agreement_report(scope).topics == coefficients_by_topic(scope.labels, ALL_JUDGE_COEFFICIENTS)
        and count_unsettled(campaign) == differing(campaign)
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
    assert label_counts(CampaignReads(campaign)).labels > 20 and count_unsettled(campaign) > 3
    refused = Judgment.objects.filter(relevance=None).values("event")
    return_to_judges(JudgmentEvent.objects.filter(pk__in=refused), carol)
    assert agrees(campaign)
    load_judgments(campaign, carol, b"2 0 D1 1\n1 0 D1 3\n", "more.qrels", "aaa")
    assert agrees(campaign)
    version = CampaignReads(campaign).version
    load_gold(campaign, carol, "gold", b"1 D9 2\n")
    assert agrees(campaign) and CampaignReads(campaign).version != version
    assert not Progress.objects.filter(labels=0, refused__gt=0).exists()


def test_another_campaigns_labels_change_nothing_here(campaign: Campaign, make: Factory) -> None:
    before = CampaignReads(campaign).version
    other = make.make_campaign("other")
    make.make_topic(other, "1")
    make.make_run(other, "1 D1 1")
    make.make_pool(other)
    load_judgments(other, make.make_user("carol"), b"1 0 D1 1\n", "a.qrels", "reader")
    assert CampaignReads(campaign).version == before != CampaignReads(other).version


def test_the_stream_of_a_judge_has_each_document_once(campaign: Campaign, make: Factory) -> None:
    bob, topic = make.make_user("bob"), campaign.topics.get(number="1")
    for docno, grade in (("D3", 2), ("D1", 0), ("D3", 1)):
        make.make_judgment(campaign, "bob", "1", docno, grade)
    make.make_judgment(campaign, "bob", "2", "D2", 1)
    assert judged_docnos(bob, topic) == ["D3", "D1"]
