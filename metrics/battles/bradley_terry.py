"""The Bradley-Terry model: one strength for each system, from the wins between pairs of systems.

System i beats system j with probability p_i / (p_i + p_j), and a tie is half a win of each. Bradley & Terry
1952; the algorithm is that of Zermelo 1929, minorise-maximise (Hunter 2004).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pooling.arrays import Flags, IntVector, Matrix, Vector
from pooling.extras import import_extra

CHANGE = 1e-12  # of log p in the last round, at most
ROUNDS, STEPS = 200, 100  # the most rounds; the most of Newton's steps where these are too few
PRIOR_WINS = 0.5  # with a prior: wins of every system over a dummy system, and of the dummy over it
ELO_MIDDLE, ELO_SCALE = 1000, 400  # a system that is 10 times as strong is 400 points higher

NO_BATTLES = "there are no votes"
UNCONNECTED = "some systems were not compared with the others, directly or through a third"
NO_WIN = "a system has no win and no tie, so that no strength is low enough for it"
ALL_WON = "a system has won all its battles, so that no strength is high enough for it"
SEPARATED = "some systems have won all their battles against the others"
NOT_CONVERGED = f"no strengths were found in {ROUNDS} rounds and {STEPS} steps"


@dataclass(frozen=True, eq=False)
class BradleyTerry:
    """Strengths of systems, and how certain they are.

    wins: H, the votes for each system, a tie as half a vote; float64 of shape (systems,). battles: of each
    system. has_prior: whether the strengths contain the prior; the counts never do. strengths: p, with
    geometric mean 1; None where undefined: `reason` then says why, and `about` which systems it is about.
    covariance: of log p, whose sum is 0, shape (systems, systems).
    """

    wins: Vector
    battles: Vector
    has_prior: bool = False
    strengths: Vector | None = None
    covariance: Matrix | None = None
    reason: str = ""
    about: tuple[int, ...] = ()

    @property
    def win_rates(self) -> Vector:
        """Wins over battles; nan for a system without a battle."""
        return np.divide(self.wins, self.battles, out=np.full_like(self.wins, np.nan), where=self.battles > 0)

    @property
    def log_strengths(self) -> Vector | None:
        """log p, with sum 0."""
        return None if self.strengths is None else np.log(self.strengths)

    @property
    def elo(self) -> Vector | None:
        """Strengths on the scale of Elo: 1000 + 400 log10 p. Nothing here depends on the order of battles."""
        return None if self.strengths is None else ELO_MIDDLE + ELO_SCALE * np.log10(self.strengths)

    @property
    def probabilities(self) -> Matrix | None:
        """The probability that the row's system beats the column's, 1/2 on the diagonal."""
        return None if self.strengths is None else win_probabilities(self.strengths)

    @property
    def errors(self) -> Vector | None:
        """Standard errors of log p, for independent battles: votes on one topic are not quite so."""
        return None if self.covariance is None else np.sqrt(np.diagonal(self.covariance))

    @property
    def errors_of_differences(self) -> Matrix | None:
        """Standard errors of log p_i - log p_j, shape (systems, systems)."""
        if self.covariance is None:
            return None
        variance = np.diagonal(self.covariance)
        squared = variance[:, None] + variance - 2 * self.covariance
        return np.sqrt(np.maximum(squared, 0.0))  # the diagonal, but for rounding


def bradley_terry(wins: Matrix, ties: Matrix | None = None, prior: bool = False) -> BradleyTerry:
    """Return the strengths with the greatest likelihood, by minorise-maximise.

    wins: of the row's system over the column's, float64 of shape (systems, systems), 0 on the diagonal. ties:
    of the same shape, symmetric. prior: add half a win each way between every system and a dummy system,
    which then is left out: with it strengths are always defined, and nearer to each other.

    Every round sets p_i to H_i / sum_j n_ij / (p_i + p_j), n_ij being the battles of i and j, and scales p to
    geometric mean 1; the last one changes no log p by more than CHANGE. Where weaker systems seldom win,
    rounds get slow, and Newton's method goes on from the last one to the same maximum. The standard errors
    are those of the pseudo-inverse of the Fisher information, with n_ij p_ij (1 - p_ij) of every pair.

    Undefined without battles, and where the likelihood has no maximum: unless, however the systems are
    divided into two parts, each part has a win or a tie against the other (Ford 1957). Raises ValueError for
    tables that are not square, not symmetric in ties, negative or not finite.

    >>> model = bradley_terry(np.array([[0, 3, 4], [1, 0, 3], [2, 1, 0]]))
    >>> model.strengths.round(3).tolist(), round(float(model.probabilities[0, 1]), 3)
    ([1.713, 1.0, 0.584], 0.631)
    """
    halves = with_ties(wins, ties)
    counts = halves.sum(axis=1), halves.sum(axis=0) + halves.sum(axis=1)
    reason, about = ("", ()) if prior and counts[1].any() else why_undefined(halves)
    if reason:
        return BradleyTerry(*counts, prior, reason=reason, about=about)
    systems = len(halves)
    table = with_dummy(halves) if prior else halves
    strengths, is_maximum = maximised(table[None], np.ones(len(table)))
    if not is_maximum[0]:
        return BradleyTerry(*counts, prior, reason=NOT_CONVERGED)
    covariance = np.linalg.pinv(_information(table + table.T, strengths[0]), hermitian=True)[
        :systems, :systems
    ]
    centre = np.eye(systems) - 1 / systems
    return BradleyTerry(*counts, prior, scaled(strengths[0, :systems]), centre @ covariance @ centre)


def with_ties(wins: Matrix, ties: Matrix | None = None) -> Matrix:
    """Return wins, each tie being half a win of either system. Raises ValueError as `bradley_terry` does."""
    wins = np.asarray(wins, dtype=np.float64)
    ties = np.zeros_like(wins) if ties is None else np.asarray(ties, dtype=np.float64)
    if wins.ndim != 2 or wins.shape[0] != wins.shape[1] or ties.shape != wins.shape:
        raise ValueError(
            f"expected tables of shape (systems, systems), found shapes {wins.shape}, {ties.shape}"
        )
    if not all(np.isfinite(table).all() and (table >= 0).all() for table in (wins, ties)):
        raise ValueError("expected finite numbers of wins and ties of 0 or more")
    if wins.diagonal().any() or ties.diagonal().any():
        raise ValueError("expected no battles of a system against itself")
    if (ties != ties.T).any():
        raise ValueError("expected the same number of ties of a pair in both directions")
    halves: Matrix = wins + ties / 2
    return halves


def with_dummy(halves: Matrix) -> Matrix:
    """Return tables with a last system that has half a win each way against every other. (..., n, n)."""
    widths = [(0, 0)] * (halves.ndim - 2) + [(0, 1), (0, 1)]
    table = np.pad(halves, widths, constant_values=PRIOR_WINS)
    table[..., -1, -1] = 0
    return table


def why_undefined(halves: Matrix) -> tuple[str, tuple[int, ...]]:
    """Return why there are no strengths and which systems that is about; ("", ()) if there are.

    Of an unconnected table these are the systems of the smallest part.
    """
    csgraph = import_extra("scipy.sparse").csgraph
    if not halves.any():
        return NO_BATTLES, ()
    count, part = csgraph.connected_components(halves, directed=False)
    if count > 1:
        return UNCONNECTED, _systems(part == np.bincount(part).argmin())
    count, part = csgraph.connected_components(halves, connection="strong")
    if count == 1:
        return "", ()
    for total, reason in ((halves.sum(axis=1), NO_WIN), (halves.sum(axis=0), ALL_WON)):
        if not total.all():
            return reason, _systems(total == 0)
    beaten = [halves[part != each][:, part == each].any() for each in range(count)]
    return SEPARATED, _systems(part == beaten.index(False))


def _systems(chosen: Flags) -> tuple[int, ...]:
    return tuple(np.flatnonzero(chosen).tolist())


def is_defined(halves: Matrix) -> Flags:
    """Return which of many tables have strengths. halves: shape (tables, systems, systems).

    The same as `why_undefined` for each, by powers of the matrices of who has a win over whom.
    """
    systems = halves.shape[-1]
    reached = (halves > 0) | np.eye(systems, dtype=bool)
    for _ in range(max(systems - 1, 1).bit_length()):
        reached = np.matmul(reached, reached, dtype=np.float32) > 0
    defined: Flags = np.logical_and(reached.all(axis=(-2, -1)), halves.any(axis=(-2, -1)))
    return defined


def maximised(halves: Matrix, start: Vector, change: float = CHANGE) -> tuple[Matrix, Flags]:
    """Return the strengths of each of many tables, and which of them were found.

    halves: shape (tables, systems, systems), of which `is_defined` is true. start: strengths to begin with,
    shape (systems,). change: of log p in the last round, at most. Returns float64 of shape (tables, systems)
    and bool of shape (tables,).
    """
    strengths, is_maximum = np.tile(start, (len(halves), 1)), np.ones(len(halves), dtype=bool)
    rest: IntVector = np.arange(len(halves))
    wins, battles = halves.sum(axis=2), halves + halves.transpose(0, 2, 1)
    for _ in range(ROUNDS):
        if not len(rest):
            return strengths, is_maximum
        before = strengths[rest]
        weights = battles / (before[:, :, None] + before[:, None, :])
        after = strengths[rest] = scaled(wins / weights.sum(axis=2))
        is_open = np.abs(np.log(after / before)).max(axis=1) > change
        if is_open.mean() < 0.8:  # a copy of the rest costs less than rounds of all
            rest, wins, battles = rest[is_open], wins[is_open], battles[is_open]
    logs, is_maximum[rest] = _by_newton(halves[rest], np.log(strengths[rest]), change)
    strengths[rest] = scaled(np.exp(logs))
    return strengths, is_maximum


def _by_newton(halves: Matrix, logs: Matrix, change: float) -> tuple[Matrix, Flags]:
    """Return log p by Newton's method, and where it was found. Steps that lower the likelihood are halved."""
    wins, battles = halves.sum(axis=2), halves + halves.transpose(0, 2, 1)
    size = np.ones(len(halves))
    for _ in range(STEPS):
        expected = battles * win_probabilities(np.exp(logs))
        inverse = np.linalg.pinv(_information(battles, np.exp(logs)), hermitian=True)
        step = np.matmul(inverse, (wins - expected.sum(axis=2))[..., None])[..., 0]
        before = _negative_log_likelihood(halves, logs)
        tolerated = before * (1 + CHANGE)
        while (worse := _negative_log_likelihood(halves, logs + step) > tolerated).any():
            step[worse] /= 2
        logs = logs + step
        size = np.abs(step).max(axis=1)
        if (size <= change).all():
            break
    return logs, size <= change


def _negative_log_likelihood(halves: Matrix, logs: Matrix) -> Vector:
    """Return the negative log likelihood of each of many tables."""
    loss: Vector = (halves * np.logaddexp(0, logs[:, None, :] - logs[:, :, None])).sum(axis=(1, 2))
    return loss


def scaled(strengths: Matrix) -> Matrix:
    """Return strengths with geometric mean 1 over the last axis."""
    logs = np.log(strengths)
    ratios: Matrix = np.exp(logs - logs.mean(axis=-1, keepdims=True))
    return ratios


def win_probabilities(strengths: Matrix) -> Matrix:
    """Return p_i / (p_i + p_j). strengths: shape (..., systems); probabilities: (..., systems, systems)."""
    probabilities: Matrix = strengths[..., None] / (strengths[..., None] + strengths[..., None, :])
    return probabilities


def _information(battles: Matrix, strengths: Matrix) -> Matrix:
    """Return the Fisher information of log p: its rows sum to 0, as only differences of log p count."""
    probabilities = win_probabilities(strengths)
    weights = battles * probabilities * (1 - probabilities)
    information: Matrix = np.eye(battles.shape[-1]) * weights.sum(axis=-1)[..., None] - weights
    return information
