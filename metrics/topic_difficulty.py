"""The difficulty of topics, the spread of the runs on them, and how well they discriminate runs."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from metrics.measures.base import Direction
from pooling.arrays import Matrix, Vector

FEWEST_RUNS = 3  # for a correlation that says anything
NEARLY_ALL = 0.9  # of a topic's judged documents


class TopicFigures(NamedTuple):
    """The figures of one topic over the runs. spread: the standard deviation (n - 1), None for one run.

    discrimination: the correlation of the runs' values on this topic with their means over the other topics
    (item-rest correlation), None where it is undefined: fewer than three runs, one topic, or equal values.
    """

    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    mean: float
    spread: float | None
    discrimination: float | None


def topic_figures(values: Matrix) -> list[TopicFigures]:
    """Return the figures of each topic. values: float64 of shape (runs, topics), at least one run.

    Difficulty is the mean over runs (low: hard). Discrimination is Pearson's correlation with the mean of the
    other topics: near 1, the topic ranks runs as the other topics do; near 0, it is unrelated to them; below
    0, it contradicts them. Bodoff & Li 2007 (test theory for test collections).

    >>> [figures.median for figures in topic_figures(np.array([[0.2, 1.0], [0.4, 1.0]]))]
    [0.30000000000000004, 1.0]
    """
    quartiles = np.quantile(values, [0, 0.25, 0.5, 0.75, 1], axis=0)
    spread = values.std(axis=0, ddof=1).tolist() if len(values) > 1 else [None] * values.shape[1]
    correlation = _item_rest(values)
    rows = zip(quartiles.T.tolist(), values.mean(axis=0).tolist(), spread, correlation, strict=True)
    return [TopicFigures._make([*five, *others]) for five, *others in rows]


def _item_rest(values: Matrix) -> list[float | None]:
    runs, topics = values.shape
    if runs < FEWEST_RUNS or topics < 2:
        return [None] * topics
    rest = (values.sum(axis=1, keepdims=True) - values) / (topics - 1)
    first, second = values - values.mean(axis=0), rest - rest.mean(axis=0)
    lengths: Vector = np.sqrt((first**2).sum(axis=0) * (second**2).sum(axis=0))
    products = (first * second).sum(axis=0)
    flat = (np.ptp(values, axis=0) == 0) | (np.ptp(rest, axis=0) == 0) | (lengths == 0)
    return [
        None if undefined else min(1.0, max(-1.0, product / length))
        for undefined, product, length in zip(flat.tolist(), products.tolist(), lengths.tolist(), strict=True)
    ]


def remarks(figures: TopicFigures, judged: int, relevant: int, direction: Direction = "higher") -> list[str]:
    """Return remarks on unusual features of a topic; most topics have none.

    judged, relevant: its documents. direction: which values are better.

    >>> remarks(TopicFigures(0, 0, 0, 0, 0, 0, 0.0, None), judged=40, relevant=0)
    ['no relevant document: every run scores 0, and the mean counts it']
    """
    sentences = []
    if relevant == 0:
        all_zero = figures.low == figures.high == 0
        return [f"no relevant document: {'every run scores 0, and ' if all_zero else ''}the mean counts it"]
    if judged and relevant / judged >= NEARLY_ALL:
        sentences.append(
            f"{relevant / judged:.0%} of the judged are relevant: there may be many more".replace("%", " %")
        )
    if figures.high == 0 and direction == "higher":
        sentences.append("no run scores above 0")
    elif figures.low == figures.high:
        sentences.append("every run scores the same")
    if figures.discrimination is not None and figures.discrimination < 0:
        sentences.append("orders runs against the other topics")
    return sentences
