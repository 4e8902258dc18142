"""Topics as the runs found them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import pearsonr

from metrics.topic_difficulty import TopicFigures, remarks, topic_figures
from pooling.arrays import Matrix

PLAIN = TopicFigures(0.1, 0.2, 0.3, 0.4, 0.5, 0.3, 0.1, 0.6)


def test_discrimination_is_the_correlation_with_the_other_topics() -> None:
    values = np.random.default_rng(5).random((12, 6))
    for topic, figures in enumerate(topic_figures(values)):
        rest = np.delete(values, topic, axis=1).mean(axis=1)
        assert figures.discrimination == pytest.approx(pearsonr(values[:, topic], rest).statistic)
        assert figures.spread == pytest.approx(np.std(values[:, topic], ddof=1))


def test_a_topic_that_orders_runs_the_other_way_round_is_below_zero() -> None:
    quality = np.linspace(0.1, 0.9, 5)
    found = topic_figures(np.column_stack([quality, quality**2, 1 - quality]))
    assert [round(figures.discrimination or 9, 1) for figures in found][2] < 0
    assert "orders runs against the other topics" in remarks(found[2], 40, 10)


@pytest.mark.parametrize("values", [[[0.5, 0.5]], [[0.1, 0.2], [0.3, 0.1]], [[0.2], [0.4], [0.6]]])
def test_too_few_runs_or_topics_have_no_discrimination(values: list[list[float]]) -> None:
    assert {figures.discrimination for figures in topic_figures(np.array(values))} == {None}


def test_a_topic_on_which_all_are_equal_has_no_discrimination_and_says_so() -> None:
    found = topic_figures(np.array([[0.5, 0.1], [0.5, 0.7], [0.5, 0.3]]))
    assert found[0].discrimination is None
    assert remarks(found[0], 40, 10) == ["every run scores the same"]


@pytest.mark.parametrize(
    ("figures", "judged", "relevant", "said"),
    [
        (PLAIN, 40, 10, []),
        (PLAIN, 40, 0, ["no relevant document"]),
        (PLAIN, 40, 36, ["90 % of the judged are relevant"]),
        (PLAIN, 40, 35, []),
        (PLAIN._replace(low=0, high=0), 40, 10, ["no run scores above 0"]),
    ],
)
def test_what_is_odd_is_said(figures: TopicFigures, judged: int, relevant: int, said: list[str]) -> None:
    found = remarks(figures, judged, relevant)
    assert len(found) == len(said)
    assert all(words in sentence for words, sentence in zip(said, found, strict=True))


@given(arrays(np.float64, (5, 4), elements=st.floats(0, 1)))
def test_the_figures_of_a_topic_stand_in_their_order(values: Matrix) -> None:
    for figures in topic_figures(values):
        five = figures[:5]
        assert list(five) == sorted(five)
        assert figures.low - 1e-12 <= figures.mean <= figures.high + 1e-12
        assert figures.discrimination is None or -1 <= figures.discrimination <= 1
