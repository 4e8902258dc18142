"""What pages count over columns is what the lines of a release say, and follows every label."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assess.consensus import MAJORITY, majority
from assess.consensus_columns import majorities
from assess.queries import agreed_grades, judging_order_of
from assess.queries.pooled_columns import agreed_columns, order_of_judging, pooled_columns
from assess.services import assign
from pooling.models import Campaign
from tests.factory import Factory

SCALE = [0, 1, 3]


@given(st.lists(st.lists(st.sampled_from(SCALE), min_size=1, max_size=6), max_size=5))
def test_a_majority_over_columns_is_that_of_each_document(labels: list[list[int]]) -> None:
    items = np.repeat(np.arange(len(labels)), [len(given) for given in labels])
    relevance = np.array([grade for given in labels for grade in given], dtype=np.int64)
    assert majorities(items, relevance, len(labels), SCALE).tolist() == list(map(majority, labels))


def by_name(campaign: Campaign) -> dict[tuple[str, str], int]:
    agreed, documents = agreed_columns(campaign), pooled_columns(campaign).where
    numbers = list(campaign.topics.values_list("number", flat=True))
    rows = documents(agreed.documents)
    pairs = [(numbers[topic], docno.decode()) for topic, docno in zip(rows.topic, rows.docno, strict=True)]
    return dict(zip(pairs, agreed.grades.tolist(), strict=True))


def told(campaign: Campaign) -> dict[tuple[str, str], int]:
    return {(row.topic, row.docno): row.relevance for row in agreed_grades(campaign, MAJORITY)}


def test_columns_say_what_the_lines_say_while_labels_and_pools_come_in(make: Factory) -> None:
    campaign = make.make_campaign()
    first, second = make.make_topic(campaign, "2"), make.make_topic(campaign, "1")
    make.make_run(campaign, "2 A 3\n2 B 2\n1 A 1\n1 C 0", tag="sloop")
    make.make_pool(campaign)
    assign([make.make_user("alice"), make.make_user("bob")], [first, second])
    assert by_name(campaign) == {}
    for judge, topic, docno, grade in (
        ("alice", "1", "C", 2),
        ("alice", "2", "B", 3),
        ("bob", "2", "B", 0),
        ("alice", "2", "A", 1),
        ("alice", "1", "C", 1),
    ):
        make.make_judgment(campaign, judge, topic, docno, grade)
        assert by_name(campaign) == told(campaign)
    make.make_run(campaign, "1 D 3", tag="later")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [second])
    make.make_judgment(campaign, "alice", "1", "D", 3)
    assert by_name(campaign) == told(campaign)
    assert by_name(campaign)["1", "D"] == 3
    ordered = pooled_columns(campaign).where(order_of_judging(campaign))
    numbers = list(campaign.topics.values_list("number", flat=True))
    named = [(numbers[t], d.decode()) for t, d in zip(ordered.topic, ordered.docno, strict=True)]
    assert named == judging_order_of(campaign)
