"""Which documents are cases, and in which order, against a plain loop; and the letters of judges."""

from __future__ import annotations

import random
import uuid
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.adjudication import DISPUTE_KINDS, DISPUTE_ORDERS, DisputeFilter, judge_letters, nth_letter
from assess.models import Judgment, JudgmentEvent
from assess.queries.adjudication import count_unsettled, dispute_queue
from assess.services.counters import repair_counters
from pooling.models import Campaign
from tests.support.factory import Factory

JUDGES = ("alice", "bob", "carol", "dave")
Labelled = dict[int, dict[int, int | None]]  # document -> judge -> grade


def label_at_random(make: Factory, campaign: Campaign, seed: int) -> Labelled:
    """Store labels of up to four judges on every document but a few, and return them."""
    draw, labels = random.Random(seed), Labelled()
    judges = [make.make_user(name) for name in JUDGES]
    for pooled in campaign.pools.get().documents.order_by("pk"):
        for judge in draw.sample(judges, draw.randrange(len(judges) + 1)):
            grade = draw.choice([0, 1, 2, 3, None])
            event = JudgmentEvent.objects.create(
                uuid=uuid.uuid4(),
                judge=judge,
                pooled=pooled,
                relevance=grade,
                reason="broken" if grade is None else "",
            )
            Judgment.objects.create(judge=judge, pooled=pooled, event=event, relevance=grade)
            labels.setdefault(pooled.pk, {})[judge.pk] = grade
    repair_counters(campaign)
    return labels


def by_loop(labels: Labelled, wanted: DisputeFilter, threshold: int) -> list[int]:
    cases = []
    for document, own in labels.items():
        labels_given = list(own.values())
        grades = [grade for grade in labels_given if grade is not None]
        gap = max(grades) - min(grades) if grades else 0
        crosses = bool(grades) and min(grades) < threshold <= max(grades)
        shown = {"differ": gap > 0, "cross": crosses, "cannot": None in labels_given}[wanted.show]
        if shown and wanted.grades <= set(grades):
            key = (-gap, not crosses) if wanted.order == "distance" else (not crosses, -gap)
            cases.append((key, document))
    return [document for _, document in sorted(cases)]


@pytest.mark.django_db
@pytest.mark.parametrize("threshold", [1, 2, 3])
def test_the_queue_is_what_a_plain_loop_finds(make: Factory, threshold: int) -> None:
    campaign = make.make_campaign(threshold=threshold)
    make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{place:02} {60 - place}" for place in range(60)))
    make.make_pool(campaign, depth=60)
    labels, ada = label_at_random(make, campaign, seed=threshold), make.make_user("ada")
    lengths = Counter[str]()
    for show in DISPUTE_KINDS:
        for order in DISPUTE_ORDERS:
            for grades in (frozenset[int](), frozenset({0}), frozenset({1, 3})):
                wanted = DisputeFilter(show, order, grades)
                queue = dispute_queue(campaign, ada, wanted)
                assert queue == by_loop(labels, wanted, threshold), wanted
                lengths[show] += len(queue)
    assert all(lengths[show] > 20 for show in DISPUTE_KINDS)
    assert count_unsettled(campaign) == len(by_loop(labels, DisputeFilter(), threshold))


judges = st.lists(st.text(min_size=1, max_size=8), unique=True, max_size=30)


@given(judges, st.integers(0, 10**9))
def test_letters_are_one_to_one_and_do_not_hang_on_who_came_first(names: list[str], document: int) -> None:
    found = judge_letters(names, document)
    assert sorted(found.values()) == sorted(nth_letter(place) for place in range(len(names)))
    assert judge_letters(reversed(names), document) == found


def test_over_many_documents_a_judge_has_every_letter_about_as_often() -> None:
    given_to_ann = Counter(judge_letters(["ann", "bo", "cy"], document)["ann"] for document in range(3000))
    assert set(given_to_ann) == {"A", "B", "C"}
    assert all(900 < count < 1100 for count in given_to_ann.values())
