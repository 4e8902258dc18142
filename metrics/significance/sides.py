"""Whether judges who compare two things side by side prefer a side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from assess.judge_checks import wilson
from metrics.significance.paired import PairedTest, sign_test

LEFT, RIGHT = "left", "right"
NO_VOTE = "there are no votes"
ONE_VOTE, ALL_TIES = "there is one vote only", "all votes are ties"


class PositionBias(NamedTuple):
    """Votes for the answer on the left, and on the right. test: the sign test of both, without ties.

    share: of left among decided votes, None without one. interval: of the share, by Wilson, at 95 %.
    """

    left: int
    right: int
    ties: int
    share: float | None
    interval: tuple[float, float] | None
    test: PairedTest


def side_bias(choices: Sequence[str]) -> PositionBias:
    """Return how often LEFT is chosen; choices other than LEFT and RIGHT are ties.

    >>> side_bias(["left", "left", "right", "tie"])[:4]
    (2, 1, 1, 0.6666666666666666)
    """
    left, right = (
        np.array([choice == side for choice in choices], dtype=np.float64) for side in (LEFT, RIGHT)
    )
    test = sign_test(left, right)
    if test.reason:
        test = replace(test, reason=ALL_TIES if len(choices) > 1 else ONE_VOTE if choices else NO_VOTE)
    wins, losses = int(left.sum()), int(right.sum())
    decided = wins + losses
    share = wins / decided if decided else None
    return PositionBias(wins, losses, len(choices) - decided, share, wilson(wins, decided), test)
