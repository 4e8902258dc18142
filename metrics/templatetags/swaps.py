"""Results of a judge swap, in the order in which the pages show them."""

from __future__ import annotations

from django import template

from metrics.rankings.judge_swap import Alternative, JudgeSwap, Spread
from metrics.rankings.rank_correlation import Correlation

register = template.Library()

MOST_COUNTED = 1_000_000  # possible qrels; a larger number has no use for a reader


@register.filter
def qrels_count(possible: int) -> str:
    """The number of different qrels that judges can be drawn for, in words if it is very large."""
    return f"{possible:,}" if possible < MOST_COUNTED else "more than a million"


@register.filter
def correlations(alternative: Alternative) -> list[Correlation]:
    """tau, tau_AP and RBO under one choice of qrels."""
    return [alternative.tau, alternative.tau_ap, alternative.rbo]


@register.filter
def spreads(swap: JudgeSwap, top: JudgeSwap | None) -> list[tuple[Spread, str]]:
    """The spread of each coefficient over the draws, of all runs and then of the better half."""
    rows = [(spread, "") for spread in (swap.tau, swap.tau_ap, swap.rbo)]
    if top:
        rows += [(spread, "better half of the runs") for spread in (top.tau, top.tau_ap, top.rbo)]
    return rows
