"""How kappa of two judges comes about from their table: observed and expected agreement, step by step."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from assess.kappa.coefficient import Coefficient
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.registry import REGISTRY
from assess.kappa.two_judges import table_shares
from assess.kappa.weights import Values, nominal

KINDS = ("cohen", "scott", "bennett")  # chance by separate shares, by pooled ones, and alike for all grades
TEXTBOOK = ((70, 10), (20, 300))  # Manning, Raghavan & Schütze 2008, table 8.2: no and yes of two judges


class GradeSteps(NamedTuple):
    """A grade. first, second: how many documents each judge gave it. separate: the product of both shares.

    pooled: its share among the labels of both; squared: of that.
    """

    grade: int
    first: int
    second: int
    separate: float
    pooled: float
    squared: float


class KappaSteps(NamedTuple):
    """The steps of a table. n: documents; same: with the same label of both. coefficients: those of KINDS.

    Each coefficient has its observed and its expected agreement; a value that is undefined has a reason.
    """

    n: int
    same: int
    grades: list[GradeSteps]
    coefficients: list[Coefficient]


def kappa_steps(counts: npt.ArrayLike, scale: Values) -> KappaSteps:
    """Return the steps of a table of two judges.

    counts: shape (grades, grades), rows the first judge's labels. scale: the grades, ascending.

    >>> steps = kappa_steps(TEXTBOOK, (0, 1))
    >>> steps.same, [round(kappa.expected, 4) for kappa in steps.coefficients]
    (370, [0.665, 0.6653, 0.5])
    """
    table = np.asarray(counts)
    shares = table_shares(table.astype(float), nominal(len(scale)))
    columns = (
        scale,
        table.sum(axis=1).tolist(),
        table.sum(axis=0).tolist(),
        (shares.first * shares.second).tolist(),
        shares.pooled.tolist(),
        (shares.pooled**2).tolist(),
    )
    return KappaSteps(
        int(table.sum()),
        int(np.trace(table)),
        [GradeSteps(*row) for row in zip(*columns, strict=True)],
        coefficients_of_table(table, scale, definitions=[REGISTRY[key] for key in KINDS]),
    )
