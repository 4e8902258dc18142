"""Scores of a peer summary against a pyramid: original, modified and comprehensive; and optimal summaries.

A unit (SCU) weighs as much as the number of model summaries that express it; the units of weight i are tier
i. Max(n) is the most that n different units weigh together. With the sum D of the weights of the different
units in a peer, the number X of its spans, and the mean number M of units in a model summary:

    original       D / Max(X)
    modified       min(1, D / Max(M)), M rounded down as in DUCView, or up as in a later program
    comprehensive  harmonic mean of both

A. Nenkova and R. Passonneau, HLT-NAACL 2004; R. Passonneau et al., DUC 2005 and 2006 (program DUCView).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice
from math import comb
from typing import Literal, NamedTuple

from pooling.notebook import fields_html

Rounding = Literal["floor", "ceil"]
ROUNDINGS: tuple[Rounding, ...] = ("floor", "ceil")
UNMATCHED = 0  # the uid of spans that match no unit

NO_UNITS = "the pyramid has no units"
NO_SPANS = "the peer has no annotated spans"
NO_ORDER = "the pyramid does not say how many model summaries it has"
NO_EXPECTED = "a model summary has less than one unit on average, which is 0 rounded down"
NO_ORIGINAL, NO_MODIFIED = "the original score is undefined", "the modified score is undefined"


class PyramidScores(NamedTuple):
    """The scores of a peer, and what they are made of. An undefined score is None; `reasons` says why.

    weight: D, of the different units in the peer. units: how many those are. repeated: spans beyond the first
    of a unit. unmatched: spans without a unit. spans: X, all of them. best_of_spans: Max(X). mean_units: M,
    None if the number of models is not known. expected_units: M rounded as `rounding` says.
    best_of_expected: Max of that. reasons: name of an undefined score -> why.
    """

    original: float | None
    modified: float | None
    comprehensive: float | None
    weight: int
    units: int
    repeated: int
    unmatched: int
    spans: int
    best_of_spans: int
    mean_units: float | None
    expected_units: int | None
    best_of_expected: int | None
    rounding: Rounding
    reasons: Mapping[str, str]

    def _repr_html_(self) -> str:
        return fields_html(self)


class OptimalSummaries(NamedTuple):
    """The sets of units of one size that weigh most: `weight`. number: how many sets there are, exactly.

    summaries: the first ones, each the uids of its units, the heaviest first; the order of the pyramid
    decides between units of one weight.
    """

    number: int
    weight: int
    summaries: list[tuple[int, ...]]

    def _repr_html_(self) -> str:
        return fields_html(self)


def tiers_of(weights: Iterable[int]) -> dict[int, int]:
    """Return weight -> number of units with it, from the top tier down.

    >>> tiers_of([1, 3, 3])
    {3: 2, 1: 1}
    """
    return dict(sorted(Counter(weights).items(), reverse=True))


def best_weight(tiers: Mapping[int, int], units: int) -> int:
    """Return the most that `units` different content units can weigh together.

    tiers: weight -> how many units of the pyramid have it. Units beyond the pyramid weigh nothing.

    >>> best_weight({4: 2, 3: 4, 2: 5}, 4)
    14
    """
    total, left = 0, units
    for weight in sorted(tiers, reverse=True):
        taken = min(left, tiers[weight])
        total, left = total + weight * taken, left - taken
    return total


def expected_units(weights: Iterable[int], order: int, rounding: Rounding = "floor") -> int:
    """Return the mean number of units in a model summary, as a whole number.

    weights: of all units of the pyramid. order: number of model summaries, at least 1.

    >>> expected_units([4, 3, 3], order=4), expected_units([4, 3, 3], order=4, rounding="ceil")
    (2, 3)
    """
    total = sum(weights)
    return total // order if rounding == "floor" else -(-total // order)


def pyramid_scores(
    weights: Mapping[int, int], order: int | None, spans: Mapping[int, int], rounding: Rounding = "floor"
) -> PyramidScores:
    """Return the scores of one peer.

    weights: uid -> weight, of every unit of the pyramid. order: number of model summaries, None if it is not
    known. spans: uid -> number of spans (contributors) of the peer, under 0 those without a unit. Raises
    KeyError for a unit that the pyramid does not have. Undefined: all scores for a pyramid without units;
    original for a peer without spans; modified without the order or if M rounds down to 0; comprehensive
    where one of the others is.

    >>> scores = pyramid_scores({1: 2, 2: 2, 3: 1, 4: 1}, order=2, spans={1: 1, 3: 2, 0: 1})
    >>> scores.original, scores.modified, scores.comprehensive
    (0.5, 0.6, 0.5454545454545454)
    """
    held = [uid for uid, count in spans.items() if uid != UNMATCHED and count]
    weight, total = sum(weights[uid] for uid in held), sum(spans.values())
    tiers, unmatched = tiers_of(weights.values()), spans.get(UNMATCHED, 0)
    expected = expected_units(weights.values(), order, rounding) if order else None
    best_of_spans = best_weight(tiers, total)
    best_of_expected = None if expected is None else best_weight(tiers, expected)
    reasons = _reasons(any(weights.values()), total, expected)
    original = None if "original" in reasons else weight / best_of_spans
    modified = None if not best_of_expected else min(1.0, weight / best_of_expected)
    return PyramidScores(
        original=original,
        modified=modified,
        comprehensive=_harmonic_mean(original, modified),
        weight=weight,
        units=len(held),
        repeated=total - len(held) - unmatched,
        unmatched=unmatched,
        spans=total,
        best_of_spans=best_of_spans,
        mean_units=sum(weights.values()) / order if order else None,
        expected_units=expected,
        best_of_expected=best_of_expected,
        rounding=rounding,
        reasons=reasons,
    )


def _reasons(has_units: bool, spans: int, expected: int | None) -> dict[str, str]:
    if not has_units:
        return dict.fromkeys(("original", "modified", "comprehensive"), NO_UNITS)
    reasons = {}
    if not spans:
        reasons["original"] = NO_SPANS
    if not expected:
        reasons["modified"] = NO_ORDER if expected is None else NO_EXPECTED
    if reasons:
        reasons["comprehensive"] = NO_ORIGINAL if "original" in reasons else NO_MODIFIED
    return reasons


def _harmonic_mean(first: float | None, second: float | None) -> float | None:
    """Return the harmonic mean, 0 where both are 0, None where one is."""
    if first is None or second is None:
        return None
    return 2 * first * second / (first + second) if first + second else 0.0


def optimal_summaries(weights: Mapping[int, int], units: int, limit: int = 20) -> OptimalSummaries:
    """Return the sets of so many units that weigh most, at most `limit` of them, and their exact number.

    weights: uid -> weight. All units above one tier are in each set, and any choice from that tier fills it
    up: C(units of the tier, places left) sets. There is none with more units than the pyramid.

    >>> optimal_summaries({1: 3, 2: 2, 3: 2, 4: 1}, units=2)
    OptimalSummaries(number=2, weight=5, summaries=[(1, 2), (1, 3)])
    """
    upper, tier, left = _boundary(weights, units)
    number = comb(len(tier), left)
    summaries = list(islice(_summaries(upper, tier, left), limit))
    return OptimalSummaries(number, best_weight(tiers_of(weights.values()), units), summaries)


def _boundary(weights: Mapping[int, int], units: int) -> tuple[list[int], list[int], int]:
    """Return the units of the tiers that are taken whole, those of the next tier, and how many of it."""
    upper: list[int] = []
    for weight, size in tiers_of(weights.values()).items():
        tier = [uid for uid in weights if weights[uid] == weight]
        if len(upper) + size >= units:
            return upper, tier, units - len(upper)
        upper += tier
    return upper, [], units - len(upper)


def _summaries(upper: Sequence[int], tier: Sequence[int], left: int) -> Iterator[tuple[int, ...]]:
    return ((*upper, *chosen) for chosen in combinations(tier, left))
