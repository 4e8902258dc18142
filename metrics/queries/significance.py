"""All runs at once: groups without a significant difference, and the discriminative power of measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from metrics.measures.base import Measure
from metrics.queries.scores import ScoreTable
from metrics.rankings.ranking import upward
from metrics.significance.all_pairs import AllPairs, letter, letter_display
from metrics.significance.discriminative_power import DiscriminativePower, discriminative_power
from metrics.significance.tukey import Anova, randomised_tukey_hsd, tukey_hsd, two_way_anova
from pooling.arrays import Matrix
from pooling.checksum import sha256_of
from pooling.models import Run
from pooling.queries.caching import cached


class GroupedRun(NamedTuple):
    """A run among all runs.

    letters: one cell per group of runs without a significant difference, "" where the run is not in it.
    beats, beaten_by: the number of runs that are significantly worse, and better; None if no value of the
    measure is better than another.
    """

    run: Run
    mean: float
    letters: list[str]
    beats: int | None
    beaten_by: int | None


class SignificanceGroups(NamedTuple):
    """All runs by one test. lines: best mean first. width: groups. significant_pairs: pairs that differ."""

    test: AllPairs
    lines: list[GroupedRun]
    width: int
    significant_pairs: int


def anova_of(table: ScoreTable, measure: Measure) -> Anova:
    """Return the two-way analysis of variance of all runs on a measure."""
    return two_way_anova(table.of(measure.name)[0].T)


def groups_by_tukey(table: ScoreTable, measure: Measure, alpha: float) -> SignificanceGroups:
    """Return all runs by Tukey's HSD on the two-way analysis of variance."""
    return _groups(table, measure, tukey_hsd(_by_topic(table, measure), alpha))


def groups_by_randomisation(table: ScoreTable, measure: Measure, alpha: float) -> SignificanceGroups:
    """Return all runs, at least one, by randomised Tukey HSD; cached, as the draws take most of a second."""
    values = _by_topic(table, measure)
    version = sha256_of(values.tobytes()), values.shape
    test = cached(
        table.runs[0].campaign,
        f"randomised-{measure.name}-{alpha}",
        version,
        lambda: randomised_tukey_hsd(values, alpha),
    )
    return _groups(table, measure, test)


def _by_topic(table: ScoreTable, measure: Measure) -> Matrix:
    """Return the scores of all runs on a measure, shape (topics, runs)."""
    return np.ascontiguousarray(table.of(measure.name)[0].T)


def _groups(table: ScoreTable, measure: Measure, test: AllPairs) -> SignificanceGroups:
    means = table.of(measure.name)[1]
    if test.reason:
        return SignificanceGroups(test, [], 0, 0)
    scores, different = upward(test.means, measure.direction), test.different
    order = np.argsort(-scores, kind="stable").tolist()
    display = letter_display(different, order)
    ahead = different & (scores[:, None] > scores[None, :])
    ranked = measure.direction != "neither"
    beats, beaten_by = ahead.sum(axis=1).tolist(), ahead.sum(axis=0).tolist()
    names = [letter(group) for group in range(len(display.groups))]
    lines = [
        GroupedRun(
            table.runs[index],
            means[index],
            [name if index in group else "" for name, group in zip(names, display.groups, strict=True)],
            beats[index] if ranked else None,
            beaten_by[index] if ranked else None,
        )
        for index in order
    ]
    return SignificanceGroups(test, lines, len(names), int(np.triu(different, 1).sum()))


def discriminative_powers(
    table: ScoreTable, measures: Sequence[Measure], alpha: float
) -> list[DiscriminativePower]:
    """Return the discriminative power of measures: the share of pairs that Tukey's HSD separates."""
    scores = {measure.name: _by_topic(table, measure) for measure in measures}
    return discriminative_power(scores, lambda values: tukey_hsd(values, alpha))
