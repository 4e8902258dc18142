"""Scores of one answer from the assignments of its nuggets, as in TREC RAG 2024.

s of a nugget is 1 for support, 0.5 for partial support, and 0 for none and for a contradiction. In the strict
scores partial support is 0.

They are undefined where a nugget that counts has no assignment. The reference, castorini/nuggetizer, takes 0
there, and where an answer has no vital nugget.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from assess.nuggets.assignments import AssignedNugget, Assignment
from assess.nuggets.banks import AVOID, NUMBERS, OKAY, TWO_GRADES, VITAL, Importance, grading_of
from metrics.nuggets.values import NuggetMeasure, NuggetScore, ratio
from pooling.refusals import Refused

PRADEEP_2024 = (
    "R. Pradeep et al. Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the AutoNuggetizer "
    "Framework. arXiv 2411.09607"
)
CREDIT = {Assignment.SUPPORT: 1.0, Assignment.PARTIAL: 0.5}  # of the others 0
STRICT = {Assignment.SUPPORT: 1.0}
WEIGHT: dict[Importance, float] = {VITAL: 1.0, OKAY: 0.5}

NO_NUGGETS = "there are no nuggets"
NO_VITAL = "there are no vital nuggets"
NO_WEIGHT = "no nugget has a weight above 0"
NOT_VITAL = "the nuggets are not graded as vital or okay"
NOT_WEIGHED = "the nuggets are not graded as vital or okay, or by numbers"
TO_AVOID = "some nuggets are to be avoided"

Nuggets = Sequence[AssignedNugget]


def vital(nuggets: Nuggets, strict: bool = False) -> NuggetScore:
    """Return the mean of s over the vital nuggets; undefined without one, and for another importance.

    >>> some, none = Assignment.PARTIAL, Assignment.NONE
    >>> nuggets = [AssignedNugget("a", "vital", some), AssignedNugget("b", "okay", none)]
    >>> vital(nuggets), vital(nuggets, strict=True).value
    (NuggetScore(value=0.5, reason=''), 0.0)
    """
    own = [nugget for nugget in nuggets if nugget.importance == VITAL]
    if reason := _why_undefined(nuggets, (TWO_GRADES,), NOT_VITAL) or missing(own):
        return NuggetScore(None, reason)
    return _mean(own, strict, NO_VITAL)


def every(nuggets: Nuggets, strict: bool = False) -> NuggetScore:
    """Return the mean of s over all nuggets; undefined without one, and where one is to be avoided."""
    reason = missing(nuggets)
    if not reason and any(nugget.importance == AVOID for nugget in nuggets):
        reason = TO_AVOID
    return NuggetScore(None, reason) if reason else _mean(nuggets, strict, NO_NUGGETS)


def weighted(nuggets: Nuggets, strict: bool = False) -> NuggetScore:
    """Return the mean of s, weighted by importance: 1 for vital and 0.5 for okay, or the number itself.

    Undefined where the importance is something else, and where all weights are 0.
    """
    if reason := _why_undefined(nuggets, (TWO_GRADES, NUMBERS), NOT_WEIGHED) or missing(nuggets):
        return NuggetScore(None, reason)
    credit = STRICT if strict else CREDIT
    weights = [weight_of(nugget.importance) for nugget in nuggets]
    values = [credit.get(nugget.assignment, 0.0) for nugget in nuggets if nugget.assignment]
    gained = sum(weight * value for weight, value in zip(weights, values, strict=True))
    return ratio(gained, sum(weights), NO_WEIGHT if nuggets else NO_NUGGETS)


def weight_of(importance: Importance) -> float:
    """Return the weight of a nugget. Raises Refused for must, should and avoid, which have none.

    >>> weight_of("okay"), weight_of(7)
    (0.5, 7.0)
    """
    if importance in WEIGHT:
        return WEIGHT[importance]
    if importance is None or isinstance(importance, str):
        raise Refused(f"expected vital, okay or a number as importance, found {importance!r}")
    return float(importance)


def missing(nuggets: Nuggets) -> str:
    """Return how many nuggets have no assignment, in words; "" if all have one."""
    count = sum(nugget.assignment is None for nugget in nuggets)
    return f"{count:,} of {len(nuggets):,} nuggets have no assignment" if count else ""


def _why_undefined(nuggets: Nuggets, gradings: tuple[str, ...], otherwise: str) -> str:
    """Return why there is no score, "" if there is. gradings: the kinds of importance that it needs."""
    if not nuggets:
        return NO_NUGGETS
    count = sum(nugget.importance is None for nugget in nuggets)
    if any(grading_of(nugget.importance) not in (*gradings, "") for nugget in nuggets):
        return otherwise
    return f"{count:,} of {len(nuggets):,} nuggets have no importance" if count else ""


def _mean(nuggets: Nuggets, strict: bool, why_none: str) -> NuggetScore:
    credit = STRICT if strict else CREDIT
    gained = sum(credit.get(nugget.assignment, 0.0) for nugget in nuggets if nugget.assignment)
    return ratio(gained, len(nuggets), why_none)


LABELLED = "and where an assignment is missing"
MEASURES = tuple(
    NuggetMeasure(
        f"{name}_strict" if strict else name,
        "nuggets",
        partial(compute, strict=strict),
        f"{meaning}, full support only" if strict else meaning,
        f"{formula}, with [s = 1] for s" if strict else formula,
        f"{undefined}, {LABELLED}",
        PRADEEP_2024,
    )
    for name, compute, meaning, formula, undefined in (
        (
            "vital",
            vital,
            "how far the vital nuggets are supported",
            "Σ_V s / |V|",
            "without a vital nugget, for another importance",
        ),
        (
            "all",
            every,
            "how far all nuggets are supported",
            "Σ s / (|V| + |O|)",
            "without a nugget, where one is to be avoided",
        ),
        (
            "weighted",
            weighted,
            "how far the nuggets are supported, each by its weight",
            "(Σ_V s + 0.5 Σ_O s) / (|V| + 0.5 |O|); for numbers w, Σ w s / Σ w",
            "where all weights are 0, for must, should and avoid",
        ),
    )
    for strict in (False, True)
)
