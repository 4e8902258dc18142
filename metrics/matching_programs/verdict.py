"""What the labels of a program on nuggets may be used for, by the rule for machine judges.

A condition holds only if the whole 95 % interval of its figure is on the right side of a threshold, fails
only if the whole interval is on the wrong side, and is unknown otherwise. Thresholds are those of
`metrics.machine_audits.verdict`, apart from the agreement of two people, which is that of this matching.

- Ranking runs: enough labels of people, no run treated differently, agreement beyond chance (kappa), and a
  similar order of runs where there are ten or more.
- Absolute scores: as above without kappa and order, and the mean difference of scores is near 0.
- Replacing people: as absolute scores, a kappa that is substantial, and as many equal labels with people as
  two people have.

The verdict is about one program and one matching.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from assess.kappa.doubled import DoubledLabels
from assess.nuggets.assignments import Assignment
from assess.release.machine_use import REPLACING, AuditAnswer
from metrics.machine_audits.intervals import Estimate
from metrics.machine_audits.verdict import (
    LEAST_AUDITED,
    LEAST_KAPPA,
    LEAST_KAPPA_OF_PEOPLE,
    LEAST_RUNS,
    LEAST_TAU,
    MOST_OVER_RATING,
    AuditedUse,
    Condition,
    Threshold,
    at_least,
    audited_use,
    p_text,
    within,
)
from metrics.matching_programs.agreement import ProgramAgreement
from metrics.matching_programs.favours import SIGNIFICANT, RunError
from metrics.rankings.rank_correlation import Correlation
from metrics.significance.intervals import LEAST_TOPICS

THRESHOLDS = (
    Threshold(LEAST_AUDITED, "Labels of people on nuggets of the program that any verdict needs."),
    Threshold(LEAST_TOPICS, "Topics that every run needs for the test whether it is treated differently."),
    Threshold(SIGNIFICANT, "p, after Holm's correction, up to which a run is treated differently."),
    Threshold(LEAST_KAPPA, "Least kappa for ranking runs: more than slight agreement (Landis and Koch)."),
    Threshold(LEAST_TAU, "Least Kendall's tau of the orders of runs by the program and by people."),
    Threshold(LEAST_RUNS, "Runs from which tau counts: of fewer, one swapped pair lowers it too far."),
    Threshold(MOST_OVER_RATING, "Largest mean difference of scores for absolute scores."),
    Threshold(LEAST_KAPPA_OF_PEOPLE, "Least kappa for replacing people: substantial (Landis and Koch)."),
)


class MatchingVerdict(NamedTuple):
    """The answer for every use."""

    ranking: AuditedUse
    absolute: AuditedUse
    replacing: AuditedUse

    @property
    def sentence(self) -> str:
        """Which uses are allowed, which are not, and which are not known yet."""
        by_answer = {
            answer: [use.name.lower() for use in self if use.answer == answer] for answer in AuditAnswer
        }
        return " ".join(
            f"{answer.capitalize()}: {', '.join(names)}." for answer, names in by_answer.items() if names
        )


def verdict(
    agreement: ProgramAgreement,
    people: DoubledLabels[Assignment],
    favours: Sequence[RunError],
    overall: Estimate,
    tau: Correlation,
) -> MatchingVerdict:
    """Return the verdict. people: agreement of two people. overall: mean difference of the lead measure."""
    enough, fair = _check_size(agreement.labels), _check_favours(favours)
    near = within("the mean score minus that of people", overall, MOST_OVER_RATING)
    absolute = (enough, fair, near)
    order = [_check_order(tau)] if tau.value is not None and tau.n >= LEAST_RUNS else []
    return MatchingVerdict(
        audited_use("Ranking runs", enough, fair, at_least("kappa", agreement.kappa, LEAST_KAPPA), *order),
        audited_use("Absolute scores", *absolute),
        audited_use(
            REPLACING,
            *absolute,
            at_least("kappa", agreement.kappa, LEAST_KAPPA_OF_PEOPLE),
            _check_people(agreement, people),
        ),
    )


def _check_size(labels: int) -> Condition:
    if labels < LEAST_AUDITED:
        return Condition(
            None, f"people have {labels:,} labels on nuggets of the program, and {LEAST_AUDITED} are needed"
        )
    return Condition(True, f"people have {labels:,} labels on nuggets of the program")


def _check_favours(favours: Sequence[RunError]) -> Condition:
    """Return whether the program treats all runs alike."""
    if biased := [each for each in favours if each.significant]:
        most = max(biased, key=lambda each: abs(each.over_rating.value or 0.0))
        value, p = most.over_rating.value or 0.0, most.corrected
        assert p is not None
        others = f" and {len(biased) - 1} more" * (len(biased) > 1)
        return Condition(
            False,
            f"nuggets of {most.run}{others} get {abs(value):.2f} {'more' if value > 0 else 'less'} credit"
            f" than those of other runs with the same label of people ({p_text(p)} after Holm's correction)",
        )
    if len(favours) < 2:
        return Condition(None, "there is no other run to compare with")
    if few := [each.run for each in favours if not each.is_enough]:
        return Condition(
            None, f"too few topics (fewer than {LEAST_TOPICS}) to test for bias towards {', '.join(few)}"
        )
    tested = [each.corrected for each in favours if each.corrected is not None]
    least = f"smallest {p_text(min(tested))} of {len(tested)}" if tested else "no run has any over-rating"
    return Condition(
        True,
        f"no run was found to be treated differently ({least}), although a small bias can remain undetected",
    )


def _check_order(tau: Correlation) -> Condition:
    assert tau.value is not None
    side = "at least" if tau.value >= LEAST_TAU else "below"
    return Condition(
        tau.value >= LEAST_TAU,
        f"Kendall's tau with the order of runs by people is {tau.value:.3f}, {side} {LEAST_TAU:g}",
    )


def _check_people(agreement: ProgramAgreement, people: DoubledLabels[Assignment]) -> Condition:
    """Return whether the program agrees with people as often as two people do with each other."""
    if not people.kappa.n:
        return Condition(None, "no nugget of an answer has labels of two people")
    bound = round(people.same / people.kappa.n, 3)
    return at_least("the share of equal labels, beside that of two people,", agreement.share, bound)
