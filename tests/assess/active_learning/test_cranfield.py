"""Continuous active learning on Cranfield: the effort of another implementation, within its spread."""

from __future__ import annotations

import numpy as np
import pytest

from assess.active_learning.cal import Review, review
from assess.active_learning.effort import RecallEffort, recall_effort
from assess.active_learning.simulation import first_stops
from tests.assess.active_learning.labelled_texts import cranfield_features, cranfield_topics
from tests.metrics.shared_data import needs

pytestmark = [pytest.mark.slow, needs("cranfield")]

RECALLS = {(1, 0): 0.3591, (2, 0): 0.5192, (2, 100): 0.7499, (4, 100): 0.7676}
EFFORTS = {0.95: 396.6, 0.8: 177.0}
WSS = 0.6667
STOPS: dict[tuple[str, float], tuple[float | None, float]] = {  # rule, target -> effort, recall
    ("knee", 0.8): (None, 0.982),
    ("budget", 0.8): (1072, 0.987),
    ("chm_order", 0.95): (None, 0.998),
    ("chm_order", 0.8): (1053, 0.994),
    ("misses", 0.8): (None, 0.716),
}
"""Three efforts are not compared. 50 misses were looked for after each document there. For the knee it was
871, with the same recalls; here more than half of the topics never stop. For CHM at 0.95 it was 1,124: but
with fewer than 19 relevant documents one missed document is too much, and p is below 0.05 only after 1,330
of 1,400 documents."""


@pytest.fixture(scope="module")
def reviews() -> list[tuple[Review, RecallEffort]]:
    matrix, none = cranfield_features().matrix, np.zeros(0, dtype=np.int64)
    found = []
    for topic, relevant in cranfield_topics():
        order = review(matrix, relevant, topic, none)
        found.append((order, recall_effort(order.relevant, int(relevant.sum()), len(relevant))))
    return found


def test_the_collection(reviews: list[tuple[Review, RecallEffort]]) -> None:
    assert len(reviews) == 171 and cranfield_features().matrix.shape[0] == 1400
    assert np.mean([effort.relevant for _, effort in reviews]) == pytest.approx(9.72, abs=0.005)
    # The other implementation has 2,818 terms: its stemmer or its reader differs in a few words.
    assert cranfield_features().matrix.shape[1] == pytest.approx(2818, abs=5)


def test_recall_and_effort(reviews: list[tuple[Review, RecallEffort]]) -> None:
    for (a, b), expected in RECALLS.items():
        recalls = [effort.recall_at(a, b) for _, effort in reviews]
        assert np.mean(np.array(recalls, dtype=float)) == pytest.approx(expected, abs=0.02), (a, b)
    for recall, expected in EFFORTS.items():
        efforts = [effort.effort_for(recall) for _, effort in reviews]
        assert np.mean(np.array(efforts, dtype=float)) == pytest.approx(expected, rel=0.05), recall
    efforts = [effort.effort_for(0.95) for _, effort in reviews]
    assert np.median(np.array(efforts, dtype=float)) == pytest.approx(266, rel=0.05)
    saved = [effort.wss() for _, effort in reviews]
    assert np.mean(np.array(saved, dtype=float)) == pytest.approx(WSS, abs=0.02)


@pytest.mark.parametrize(("rule", "target"), STOPS)
def test_stopping_rules(rule: str, target: float, reviews: list[tuple[Review, RecallEffort]]) -> None:
    stops = [first_stops(order, 1400, None, target, [rule])[rule] for order, _ in reviews]
    recalls = np.array(
        [stop.found / effort.relevant for stop, (_, effort) in zip(stops, reviews, strict=True)]
    )
    effort, recall = STOPS[rule, target]
    if effort is not None:
        assert np.mean([stop.effort for stop in stops]) == pytest.approx(effort, rel=0.05)
    assert recalls.mean() == pytest.approx(recall, abs=0.02)
    if rule == "knee":
        assert (recalls >= 0.8).mean() == pytest.approx(0.977, abs=0.02)
    if rule == "misses":
        assert (recalls >= 0.8).mean() == pytest.approx(0.61, abs=0.03)


def test_an_intercept_finds_them_with_fewer_documents(reviews: list[tuple[Review, RecallEffort]]) -> None:
    matrix, none = cranfield_features().matrix, np.zeros(0, dtype=np.int64)
    efforts = []
    for topic, relevant in cranfield_topics():
        order = review(matrix, relevant, topic, none, intercept=True)
        efforts.append(recall_effort(order.relevant, int(relevant.sum()), len(relevant)).effort_for(0.95))
    without = [effort.effort_for(0.95) for _, effort in reviews]
    assert sum(map(float, filter(None, efforts))) < 0.6 * sum(map(float, filter(None, without)))
