"""The position-based model of clicks (PBM), fitted by expectation maximisation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.clicks.shown_results import Cells
from pooling.arrays import Vector

ROUNDS = 50


class Pbm(NamedTuple):
    """attraction: of every pair. examination: of every rank, place 0 unused."""

    attraction: Vector
    examination: Vector


def pbm(cells: Cells, rounds: int = ROUNDS) -> Pbm:
    """Fit P(click) = attraction of the document x examination of the rank.

    The examination hypothesis: Richardson, Dominowska & Ragno 2007. The update rules: Chuklin, Markov & de
    Rijke 2015, "Click Models for Web Search". All parameters begin at 1/2 and have the prior 1 of 2, so that
    a pair without impressions stays at .5. Only the products are identified: attractions can be compared
    with each other, and are no click rates.
    """
    attraction, examination = np.full(cells.pairs, 0.5), np.full(len(cells.by_rank(cells.clicks)), 0.5)
    shown_of_pair, shown_at_rank = cells.by_pair(cells.impressions), cells.by_rank(cells.impressions)
    missed = cells.impressions - cells.clicks
    for _ in range(rounds):
        of_pair, at_rank = attraction[cells.pair], examination[cells.rank]
        no_click = 1 - of_pair * at_rank
        attracted = cells.clicks + missed * of_pair * (1 - at_rank) / no_click
        examined = cells.clicks + missed * at_rank * (1 - of_pair) / no_click
        attraction = (1 + cells.by_pair(attracted)) / (2 + shown_of_pair)
        examination = (1 + cells.by_rank(examined)) / (2 + shown_at_rank)
    return Pbm(attraction, examination)
