"""Figures of grades of snippets and documents, against counts by hand and scikit-learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from metrics.snippets.result import (
    ALL_RELEVANT,
    FEW_TOPICS,
    NO_RELEVANT,
    NO_SECOND,
    NO_TOPIC,
    GradedResult,
    agreement_of_judges,
    answered_topics,
    snippet_figures,
)

SCALE = (0, 1, 2, 3)


def graded(
    topic: str, rows: Sequence[tuple[int | None, bool, int | None]], judge: str = "ann"
) -> list[GradedResult]:
    return [
        GradedResult(topic, f"D{rank}", rank, judge, snippet, answers, document)
        for rank, (snippet, answers, document) in enumerate(rows, start=1)
    ]


def test_counts_by_hand() -> None:
    first = graded("1", [(3, True, 3), (0, False, 2), (2, False, 0), (1, False, 0)])
    second = graded("2", [(2, False, 2), (0, False, None), (None, False, None)])
    found = snippet_figures([*first, *second], SCALE, 2)
    assert (found.graded, found.both, found.topics, found.judges) == (6, 5, 2, 1)
    assert found.table == [[0, 0, 1, 0], [1, 0, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]]
    assert (found.missed.hits, found.missed.n) == (1, 3) and found.missed.value == pytest.approx(1 / 3)
    assert (found.attracted.hits, found.attracted.n, found.attracted.value) == (1, 2, 0.5)
    assert found.missed.note == FEW_TOPICS and found.missed.low is None
    assert (found.answered.hits, found.answered.n) == (1, 1)  # topic 2 is not finished


def test_kappas_are_those_of_scikit_learn_and_intervals_hold_the_value() -> None:
    draw = np.random.default_rng(5)
    results = []
    for topic in range(30):
        documents = draw.integers(0, 4, 8)
        snippets = np.where(draw.random(8) < 0.6, documents, draw.integers(0, 4, 8))
        rows = [(int(a), bool(a == 3), int(b)) for a, b in zip(snippets, documents, strict=True)]
        results += graded(f"{topic}", rows)
    found = snippet_figures(results, SCALE, 2)
    values = dict(found.coefficients)
    one, other = [each.snippet for each in results], [each.document for each in results]
    assert values["cohen"].value == pytest.approx(cohen_kappa_score(one, other))
    assert values["cohen-quadratic"].value == pytest.approx(
        cohen_kappa_score(one, other, weights="quadratic")
    )
    folded = [[grade is not None and grade >= 2 for grade in side] for side in (one, other)]
    assert values["cohen-binary"].value == pytest.approx(cohen_kappa_score(*folded))
    assert values["cohen"].interval is not None
    for share in (found.missed, found.attracted, found.answered):
        assert share.value is not None and share.low is not None and share.high is not None
        assert share.low < share.value < share.high


def test_judges_of_the_same_results_are_compared() -> None:
    """With two judges and no missing grade: percent by hand, and alpha from Scott's pi.

    alpha = 1 - (1 - pi) (2n - 1) / 2n for two judges and n results (Krippendorff 2004, chapter 11).
    """
    draw = np.random.default_rng(3)
    one = draw.integers(0, 4, (30, 4))
    other = np.where(draw.random((30, 4)) < 0.7, one, draw.integers(0, 4, (30, 4)))
    results = []
    for judge, grades in (("ann", one), ("bob", other)):
        for topic, own in enumerate(grades):
            results += graded(f"{topic}", [(int(grade), False, None) for grade in own], judge)
    results += graded("alone", [(3, False, 3)])
    found = {
        key: (snippets, documents) for key, snippets, documents in agreement_of_judges(results, SCALE, 2)
    }
    assert found["percent"][0].value == pytest.approx((one == other).mean())
    assert found["percent-binary"][0].value == pytest.approx(((one >= 2) == (other >= 2)).mean())
    both, n = np.concatenate([one.ravel(), other.ravel()]) >= 2, one.size
    chance = both.mean() ** 2 + (1 - both.mean()) ** 2
    pi = (((one >= 2) == (other >= 2)).mean() - chance) / (1 - chance)
    assert found["alpha-nominal-binary"][0].value == pytest.approx(1 - (1 - pi) * (2 * n - 1) / (2 * n))
    assert found["alpha-ordinal"][0].interval is not None and found["alpha-ordinal"][0].n == n
    assert [documents.reason for _, documents in found.values()] == [NO_SECOND] * 4


def test_undefined_figures_say_why() -> None:
    nothing = snippet_figures([], SCALE, 2)
    assert (nothing.missed.note, nothing.attracted.note) == (NO_RELEVANT, NO_RELEVANT)
    assert nothing.answered.note == NO_TOPIC and nothing.answered.value is None
    assert all(each.value is None and each.reason for _, each in nothing.coefficients)
    all_relevant = snippet_figures(graded("1", [(3, False, 3), (3, False, 2)]), SCALE, 2)
    assert all_relevant.attracted.note == ALL_RELEVANT and all_relevant.missed.value == 0


def test_a_topic_of_two_judges_counts_by_their_mean() -> None:
    ann, bob = graded("1", [(3, True, 3)]), graded("1", [(3, False, 3)], "bob")
    open_one = graded("2", [(3, True, 3), (None, False, None)])
    found = answered_topics([*ann, *bob, *open_one])
    assert (found.hits, found.n, found.value) == (0.5, 1, 0.5)


def test_the_interval_of_answered_topics_is_wilsons() -> None:
    results = [each for topic in range(10) for each in graded(f"{topic}", [(3, topic < 8, 3)])]
    found = answered_topics(results)
    assert (found.value, round(found.low or 0, 3), round(found.high or 0, 3)) == (0.8, 0.49, 0.943)


def test_intervals_of_shares_cover_the_truth() -> None:
    """Results of a topic are alike: a share of each topic is drawn first, then its results."""
    draw, truth, covered = np.random.default_rng(11), 0.3, 0
    for _ in range(200):
        results = []
        for topic, share in enumerate(draw.beta(3, 7, 40)):
            rows = [(0 if miss else 3, False, 3) for miss in draw.random(5) < share]
            results += graded(f"{topic}", rows)
        missed = snippet_figures(results, SCALE, 2).missed
        covered += (missed.low or 0) <= truth <= (missed.high or 0)
    assert 0.91 <= covered / 200 <= 0.99
