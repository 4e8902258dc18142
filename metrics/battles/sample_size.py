"""How many battles separate two systems."""

from __future__ import annotations

from math import ceil
from statistics import NormalDist

POWER, LEVEL = 0.8, 0.95


def battles_needed(
    win_rate: float, tie_share: float = 0.0, power: float = POWER, level: float = LEVEL
) -> int | None:
    """Return the number of battles of two systems that shows a win rate to differ from 1/2.

    win_rate: (wins + ties / 2) / battles that is expected, from 0 to 1. tie_share: of all battles. power: the
    probability of a significant difference. level: of the two-sided test, 0.95 for p < 0.05.

    The normal approximation: with the variance (1 - tie_share) / 4 of one battle,
    n = (z_(1 - alpha/2) + z_power)^2 (1 - tie_share) / (4 (win_rate - 1/2)^2), rounded up. Battles are taken
    as independent: where topics prefer different systems, the number is too small. None for equal systems,
    which no number separates. Raises ValueError for numbers out of range, and for more ties than the
    win rate allows.

    >>> battles_needed(0.6), battles_needed(0.4), battles_needed(0.6, tie_share=0.2), battles_needed(0.5)
    (197, 197, 157, None)
    """
    if not (0 <= win_rate <= 1 and 0 <= tie_share <= 1):
        raise ValueError(f"expected shares from 0 to 1, found {win_rate} and {tie_share}")
    if not (0 < power < 1 and 0 < level < 1):
        raise ValueError(f"expected power and level between 0 and 1, found {power} and {level}")
    distance = abs(win_rate - 0.5)
    if distance > (1 - tie_share) / 2 + 1e-9:
        raise ValueError(f"expected a win rate that {tie_share} ties allow, found {win_rate}")
    if distance < 1e-9:
        return None
    normal = NormalDist()
    z = normal.inv_cdf((1 + level) / 2) + normal.inv_cdf(power)
    return ceil(z**2 * (1 - tie_share) / (4 * distance**2))


def battles_still_needed(
    wins: int, losses: int, ties: int, power: float = POWER, level: float = LEVEL
) -> int | None:
    """Return how many battles two systems need beyond those that they had, if the rates stay as they are.

    None without a battle, and for equal systems. 0 if they had enough.

    >>> battles_still_needed(30, 20, 0), battles_still_needed(60, 20, 10), battles_still_needed(5, 5, 2)
    (147, 0, None)
    """
    battles = wins + losses + ties
    if not battles:
        return None
    needed = battles_needed((wins + ties / 2) / battles, ties / battles, power, level)
    return None if needed is None else max(0, needed - battles)
