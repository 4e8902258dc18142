"""Systems ranked by the votes on their answers, with intervals by bootstrap over topics.

Votes on one topic are not independent of each other, but topics are, and a campaign generalises over topics.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assess.kappa.bootstrap import MIN_DEFINED_SHARE, MIN_TOPICS, Bootstrap
from assess.kappa.coefficient import NO_BOOTSTRAP
from metrics.battles.bradley_terry import (
    BradleyTerry,
    bradley_terry,
    is_defined,
    maximised,
    scaled,
    with_dummy,
)
from metrics.battles.votes import WinTables
from metrics.rankings.ranking import ranks
from pooling.arrays import Flags, IntVector, Matrix, Vector

DRAWS = 1000
CHANGE = 1e-8  # of log p in the last round of a draw

TOO_FEW = f"fewer than {MIN_TOPICS} topics have votes"
SELDOM_DEFINED = "the strengths are undefined in more than a tenth of the draws; a prior makes them defined"


@dataclass(frozen=True, eq=False)
class Intervals:
    """Intervals of a ranking, by bootstrap over topics.

    low, high: of log p, shape (systems,). best, worst: ranks. better: whether the interval of the difference
    of log p says that the row's system is better than the column's, shape (systems, systems). undefined:
    draws whose strengths are undefined, for which the prior was used.
    """

    low: Vector
    high: Vector
    best: IntVector
    worst: IntVector
    better: Flags
    undefined: int
    bootstrap: Bootstrap


@dataclass(frozen=True, eq=False)
class BattleRanking:
    """Systems by the votes on their answers.

    model: the strengths. ranks: from 1, tied systems share the better one. Both are as the model where it is
    undefined: ranks is None. intervals: None where there are none; `no_interval` then says why.
    """

    systems: tuple[str, ...]
    model: BradleyTerry
    ranks: IntVector | None
    intervals: Intervals | None
    no_interval: str = ""


def rank_systems(tables: WinTables, prior: bool = False, bootstrap: Bootstrap | None = None) -> BattleRanking:
    """Return strengths, ranks and intervals.

    prior: as of `bradley_terry`, for the estimate and for all draws. bootstrap: 1,000 draws by default, 0 for
    no intervals; each takes as many topics as have votes, with replacement, and all their votes.

    The intervals of log p, and of differences of log p, are expanded percentile intervals (see
    `assess.kappa.bootstrap.Bootstrap`). The interval of a rank follows from the differences: its best end is
    1 + the number of systems whose difference to this one has an interval above 0, its worst end the number
    of systems - the number of those with an interval below 0. So it holds the true rank wherever no such
    interval errs. The range of ranks over the draws would grow with their number, and the percentiles of
    ranks hold the true rank of nearly equal systems too seldom (Hall & Miller 2009; Mogstad et al. 2024).

    A draw can lack the wins that make the strengths defined. The prior is used for such a draw. There are no
    intervals if more than a tenth of the draws are of this kind, and with fewer than MIN_TOPICS topics.
    """
    model = bradley_terry(tables.wins.sum(axis=0), tables.ties.sum(axis=0), prior)
    logs = model.log_strengths
    if logs is None:
        return BattleRanking(tables.systems, model, None, None, model.reason)
    ranked = ranks(logs - logs.min())
    halves = tables.wins + tables.ties / 2
    halves = halves[halves.any(axis=(1, 2))]
    bootstrap = bootstrap or Bootstrap(draws=DRAWS)
    if len(halves) < MIN_TOPICS or not bootstrap.draws:
        reason = TOO_FEW if bootstrap.draws else NO_BOOTSTRAP
        return BattleRanking(tables.systems, model, ranked, None, reason)
    drawn, undefined = _drawn_logs(halves, model, bootstrap)
    if undefined > (1 - MIN_DEFINED_SHARE) * bootstrap.draws:
        return BattleRanking(tables.systems, model, ranked, None, SELDOM_DEFINED)
    intervals = _intervals(drawn, undefined, bootstrap, len(halves))
    return BattleRanking(tables.systems, model, ranked, intervals)


def _drawn_logs(halves: Matrix, model: BradleyTerry, bootstrap: Bootstrap) -> tuple[Matrix, int]:
    """Return log p in every draw, shape (draws, systems), and how many draws alone needed the prior."""
    topics, systems, _ = halves.shape
    drawn = (bootstrap.weights(topics) @ halves.reshape(topics, -1)).reshape(-1, systems, systems)
    strengths, start = np.empty((bootstrap.draws, systems)), model.strengths
    assert start is not None
    left = np.ones(bootstrap.draws, dtype=bool)
    if not model.has_prior:
        defined = np.flatnonzero(is_defined(drawn))
        strengths[defined], is_maximum = maximised(drawn[defined], start, CHANGE)
        left[defined[is_maximum]] = False
    with_prior, _ = maximised(with_dummy(drawn[left]), np.append(start, 1.0), CHANGE)
    strengths[left] = scaled(with_prior[:, :systems])
    return np.log(strengths), 0 if model.has_prior else int(left.sum())


def _intervals(logs: Matrix, undefined: int, bootstrap: Bootstrap, topics: int) -> Intervals:
    """Return the intervals from log p in every draw, shape (draws, systems)."""
    tail, systems = bootstrap.tail(topics), logs.shape[1]
    low, high = np.quantile(logs, [tail, 1 - tail], axis=0)
    better = np.zeros((systems, systems), dtype=bool)
    for row, own in enumerate(logs.T):  # all differences at once need not fit into memory
        better[row] = np.quantile(own[:, None] - logs, tail, axis=0) > 0
    best, worst = 1 + better.sum(axis=0), systems - better.sum(axis=1)
    return Intervals(low, high, best, worst, better, undefined, bootstrap)
