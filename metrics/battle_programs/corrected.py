"""Win rates of a program, corrected by the votes of people on a part of its pairs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from metrics.battle_programs.outcomes import Pair, pair_of
from metrics.battles.votes import Vote
from metrics.machine_audits.estimates import difference
from metrics.machine_audits.intervals import COMPLETE, Estimate, undefined

METHOD = "difference"
NO_PAIR = "the program has no pair of this system"
NO_PEOPLE = "no pair of this system has a vote of people"
ALL_PAIRS = "people voted on all its pairs: there is no sampling error"


def corrected_rates(
    outcomes: Iterable[Vote], people: Iterable[Vote], systems: Sequence[str]
) -> list[Estimate]:
    """Return the win rate of each system on the pairs of a program, as people would have voted.

    The value of a pair is 1 for a win, 1/2 for a tie and 0 for a loss; of people it is the mean of their
    votes on the pair, without repeats. The estimate is the program's mean over all N pairs of the system,
    plus the mean difference people minus program over the n pairs with votes of people; its variance is
    (1 - n/N) s^2 / n (the difference estimator: Cochran, Sampling Techniques, section 7.3; prediction-powered
    inference: Angelopoulos et al. 2023). It takes the pairs with votes of people as a plain random sample.

    The estimate may leave [0, 1]. Undefined without a pair, and without one that has a vote of people; no
    interval for fewer than 5 pairs, or where all differences are the same.
    """
    by_people: dict[Pair, list[Vote]] = defaultdict(list)
    for vote in people:
        if not vote.is_repeat:
            by_people[pair_of(vote)].append(vote)
    own: dict[str, list[Vote]] = defaultdict(list)
    for outcome in outcomes:
        own[outcome.left].append(outcome)
        own[outcome.right].append(outcome)

    def estimate(system: str) -> Estimate:
        pairs = own[system]
        if not pairs:
            return undefined(METHOD, 0, NO_PAIR)
        program, both = [_value(pair, system) for pair in pairs], []
        for pair, value in zip(pairs, program, strict=True):
            if votes := by_people.get(pair_of(pair)):
                both.append((float(np.mean([_value(vote, system) for vote in votes])), value))
        if not both:
            return undefined(METHOD, 0, NO_PEOPLE)
        y, f = zip(*both, strict=True)
        estimated = difference(y, f, float(np.mean(program)), len(pairs))
        return estimated._replace(note=estimated.note.replace(COMPLETE, ALL_PAIRS))

    return [estimate(system) for system in systems]


def _value(vote: Vote, system: str) -> float:
    """Return 1 if the vote prefers a system, 1/2 without a winner, 0 if it prefers the other one."""
    return 0.5 if vote.winner is None else float(vote.winner == system)
