"""Davidson's model: the Bradley-Terry model with ties as a third outcome (Davidson 1970).

Of systems i and j, i wins with probability p_i / D, j with p_j / D, and they tie with nu sqrt(p_i p_j) / D,
where D = p_i + p_j + nu sqrt(p_i p_j). nu / (2 + nu) is the share of ties between equally strong systems.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

import numpy as np

from metrics.battles.bradley_terry import bradley_terry, scaled, why_undefined, with_ties
from pooling.arrays import Matrix, Vector
from pooling.extras import import_extra

STEP, STEPS = 1e-12, 200  # the last step of a log strength, at most; the most steps
DIRECTION = 1e-7  # what a linear program gives above it is not rounding

ALL_TIES = "all votes are ties, so that no nu is high enough"
SEPARATED = "more extreme strengths always fit the votes better: too few of them contradict each other"
NOT_CONVERGED = f"no strengths were found in {STEPS} steps"


@dataclass(frozen=True, eq=False)
class Davidson:
    """Strengths and the parameter of ties.

    strengths: p, with geometric mean 1, float64 of shape (systems,). nu: 0 without a tie; then the strengths
    are those of Bradley and Terry. negative_log_likelihood: of the votes in their order. All are None where
    undefined: `reason` then says why, and `about` which systems it is about.
    """

    strengths: Vector | None = None
    nu: float | None = None
    negative_log_likelihood: float | None = None
    reason: str = ""
    about: tuple[int, ...] = ()

    @property
    def log_strengths(self) -> Vector | None:
        """log p, with sum 0."""
        return None if self.strengths is None else np.log(self.strengths)

    @property
    def probabilities(self) -> tuple[Matrix, Matrix] | None:
        """The probabilities that the row's system beats the column's, and of a tie; (systems, systems)."""
        if self.strengths is None or self.nu is None:
            return None
        return _probabilities(np.log(self.strengths), self.nu)


def davidson(wins: Matrix, ties: Matrix) -> Davidson:
    """Return the strengths and nu with the greatest likelihood, by Newton's method.

    wins: of the row's system over the column's, float64 of shape (systems, systems), 0 on the diagonal. ties:
    of the same shape, symmetric. The logarithms of strengths and nu have a concave likelihood.

    Undefined where the Bradley-Terry model is, where all votes are ties, and where the likelihood has no
    maximum: then a direction exists in which it grows for ever, which a linear program finds (Albert &
    Anderson 1984). Raises ValueError as `bradley_terry` does.

    >>> wins, ties = [[0, 7, 8], [3, 0, 6], [2, 3, 0]], [[0, 2, 1], [2, 0, 3], [1, 3, 0]]
    >>> model = davidson(np.array(wins), np.array(ties))
    >>> model.log_strengths.round(5).tolist(), round(model.nu, 5)
    ([0.79458, -0.07591, -0.71867], 0.47064)
    """
    halves = with_ties(wins, ties)
    wins, ties = np.asarray(wins, dtype=np.float64), np.asarray(ties, dtype=np.float64)
    reason, about = why_undefined(halves)
    if reason:
        return Davidson(reason=reason, about=about)
    if not wins.any():
        return Davidson(reason=ALL_TIES)
    if not ties.any():
        model = bradley_terry(wins)
        if model.strengths is None:
            return Davidson(reason=model.reason)
        loss = _negative_log_likelihood(wins, ties, np.log(model.strengths), 0.0)
        return Davidson(model.strengths, 0.0, loss)
    if _grows_for_ever(wins, ties):
        return Davidson(reason=SEPARATED)
    fit = _newton(wins, ties)
    if fit is None:
        return Davidson(reason=NOT_CONVERGED)
    logs, nu = fit[:-1], float(np.exp(fit[-1]))
    return Davidson(scaled(np.exp(logs)), nu, _negative_log_likelihood(wins, ties, logs, nu))


def _probabilities(logs: Vector, nu: float) -> tuple[Matrix, Matrix]:
    """Return the probabilities of a win of the row's system and of a tie. logs: log p."""
    half = (logs[:, None] - logs) / 2
    win, loss = np.exp(half - np.abs(half)), np.exp(-half - np.abs(half))
    tie = nu * np.exp(-np.abs(half))
    total = win + loss + tie
    return win / total, tie / total


def _negative_log_likelihood(wins: Matrix, ties: Matrix, logs: Vector, nu: float) -> float:
    xlogy = import_extra("scipy.special").xlogy
    win, tie = _probabilities(logs, nu)
    return float(-xlogy(wins, win).sum() - xlogy(ties, tie).sum() / 2)


def _newton(wins: Matrix, ties: Matrix) -> Vector | None:
    """Return log p, with sum 0, and log nu; None after STEPS. Steps that lower the likelihood are halved."""
    systems = len(wins)
    parameters = np.zeros(systems + 1)
    observed = np.append((wins + ties / 2).sum(axis=1), ties.sum() / 2)
    battles = wins + wins.T + ties

    def loss(parameters: Vector) -> float:
        return _negative_log_likelihood(wins, ties, parameters[:-1], float(np.exp(parameters[-1])))

    for _ in range(STEPS):
        expected, information = _moments(battles, parameters)
        step = np.linalg.pinv(information, hermitian=True) @ (observed - expected)
        now = loss(parameters)
        while loss(parameters + step) > now + 1e-9 * (1 + now) and np.abs(step).max() > STEP:
            step /= 2
        parameters = parameters + step
        if np.abs(step).max() <= STEP * max(1.0, float(np.abs(parameters).max())):
            return parameters
    return None


def _moments(battles: Matrix, parameters: Vector) -> tuple[Vector, Matrix]:
    """Return mean and covariance of each system's wins + ties / 2, and of the number of ties.

    A battle of i and j adds to the first the score s = 1, 1/2 or 0 of i, and 1 - s of j.
    """
    win, tie = _probabilities(parameters[:-1], float(np.exp(parameters[-1])))
    score = win + tie / 2
    spread = battles * (win + tie / 4 - score**2)
    with_tie = battles * (tie / 2 - score * tie)
    information = np.empty((len(parameters),) * 2)
    information[:-1, :-1] = np.diag(spread.sum(axis=1)) - spread
    information[-1, :-1] = information[:-1, -1] = with_tie.sum(axis=1)
    information[-1, -1] = (battles * tie * (1 - tie)).sum() / 2
    return np.append((battles * score).sum(axis=1), (battles * tie).sum() / 2), information


def _grows_for_ever(wins: Matrix, ties: Matrix) -> bool:
    """Return whether the likelihood grows for ever in a direction d of log p and log nu.

    The values of the outcomes of i and j along d are d_i, d_j and (d_i + d_j) / 2 + d_nu. In such a direction
    no outcome that happened has a lower value than another one of its pair, and one has a higher value.
    """
    linprog = import_extra("scipy.optimize").linprog
    systems = len(wins)
    rows = list(chain.from_iterable(_advantages(wins, ties, i, j) for i in range(systems) for j in range(i)))
    advantages = np.array(rows)
    solution = linprog(
        -advantages.sum(axis=0), -advantages, np.zeros(len(rows)), bounds=[(-1, 1)] * (systems + 1)
    )
    return bool(-solution.fun > DIRECTION)


def _advantages(wins: Matrix, ties: Matrix, i: int, j: int) -> list[Vector]:
    """Return the values of the outcomes of a pair that happened, less those of its other outcomes."""
    values = np.zeros((3, len(wins) + 1))
    values[0, i] = values[1, j] = values[2, -1] = 1
    values[2, [i, j]] = 0.5
    happened = (wins[i, j] > 0, wins[j, i] > 0, ties[i, j] > 0)
    return [
        values[one] - values[other] for one in range(3) if happened[one] for other in range(3) if other != one
    ]
