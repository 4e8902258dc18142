"""The simplified dynamic Bayesian network model of clicks (SDBN), a cascade model with satisfaction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assess.clicks.shown_results import ShownResults
from pooling.arrays import Flags, IntVector, Vector

PRIOR = (1, 2)  # one success of two trials, before the first list


class Sdbn(NamedTuple):
    """Of every pair: attraction, satisfaction, and their product, the relevance. Shape (pairs,)."""

    attraction: Vector
    satisfaction: Vector

    @property
    def relevance(self) -> Vector:
        return self.attraction * self.satisfaction


def sdbn(shown: ShownResults) -> Sdbn:
    """Estimate attraction and satisfaction from the lists (Chapelle & Zhang 2009, with gamma = 1).

    A user reads from the top and stops when satisfied. attraction: clicks over impressions, counted down to
    the last click of a list, or over the whole list if it has no click. satisfaction: how often a click was
    the last one of its list. Both have the prior 1 of 2, so that a pair without a counted impression has .5.
    """
    clicked, last = shown.clicked, last_clicks(shown)
    counted = _down_to_last_click(shown)
    return Sdbn(
        _share(_count(shown, clicked), _count(shown, counted)),
        _share(_count(shown, last), _count(shown, clicked)),
    )


def last_clicks(shown: ShownResults) -> Flags:
    """Return for every row whether it is the last click of its list."""
    last: Flags = np.zeros(len(shown.pair), dtype=bool)
    rows = _last_click_rows(shown)
    last[rows[rows >= 0]] = True
    return last


def _last_click_rows(shown: ShownResults) -> IntVector:
    """Return the row of the last click of every list; -1 without a click."""
    rows: IntVector = np.full(shown.lists, -1, dtype=np.int64)
    clicked = np.flatnonzero(shown.clicked)
    rows[shown.shown_in[clicked]] = clicked  # of repeated places, the last value stays
    return rows


def _down_to_last_click(shown: ShownResults) -> Flags:
    last = _last_click_rows(shown)[shown.shown_in]
    counted: Flags = (last < 0) | (np.arange(len(last)) <= last)
    return counted


def _count(shown: ShownResults, rows: Flags) -> Vector:
    return np.bincount(shown.pair[rows], minlength=shown.pairs).astype(float)


def _share(successes: Vector, trials: Vector) -> Vector:
    return (successes + PRIOR[0]) / (trials + PRIOR[1])
