"""What the labels of a machine judge may be used for, by a rule over the figures of its audit.

Every use has conditions. A condition holds only if the whole 95 % interval of its figure is on the right
side of a threshold, fails only if the whole interval is on the wrong side, and is unknown otherwise, because
there are too few labels. A use is allowed if all its conditions hold, not allowed if one fails, and otherwise
not known yet.

- Ranking runs: enough labels, no group of runs treated differently, agreement beyond chance (kappa), and a
  similar order of runs (tau) where that is known of 10 runs or more. Errors that hit all runs alike change
  the order little.
- Absolute scores without correction: as above without kappa and tau, and the share of relevant documents, the
  false-negative and the false-positive rate are close to people's. The two rates limit the error of any run:
  if it retrieves a share q of relevant documents, its precision is wrong by FPR (1 - q) - FNR q.
- Absolute scores with correction and interval: a complete random sample with enough labels in every stratum,
  and an interval of the score of every run. The correction is unbiased whatever the machine's errors are, so
  that nothing else is needed.
- Filling holes (documents without a human label, in place of counting them as not relevant): no group of runs
  treated differently, precision of at least one half, since a label "relevant" then is more often right than
  wrong, and at least half of the relevant documents found.
- Replacing people: as absolute scores without correction, and kappa as high as people reach among themselves.

The thresholds are conventions of this rule (`THRESHOLDS`), not of the literature, apart from those for kappa
(steps of Landis and Koch 1977). The verdict is about one machine judge, one prompt and one pool.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assess.release.machine_use import HOLES, MEANINGS, REPLACING, AuditAnswer
from metrics.machine_audits.circularity import (
    LEAST_IN_GROUP,
    NO_SPREAD,
    ONE_GROUP,
    Circularity,
    ComparedPool,
)
from metrics.machine_audits.confusion import Labelled, Rates, rates
from metrics.machine_audits.design import LEAST_LABELS
from metrics.machine_audits.intervals import Estimate
from pooling.words import counted

MINUS = "\N{MINUS SIGN}"
LEAST_AUDITED = 100
MOST_MISSING = 0.05
MOST_NAMED = 3  # groups with too few labels that a sentence names
ALPHA = 0.05
LEAST_KAPPA = 0.2
LEAST_KAPPA_OF_PEOPLE = 0.6
LEAST_TAU = 0.9
LEAST_RUNS = 10
MOST_OVER_RATING = 0.05
MOST_ERRORS = 0.1
LEAST_PRECISION = 0.5
MOST_MISSED = 0.5
RANKING, ABSOLUTE = "Ranking runs", "Absolute scores without correction"
CORRECTED = "Absolute scores with correction and interval"
ALL_MEANINGS = MEANINGS | {
    RANKING: "the order of runs by machine labels alone",
    ABSOLUTE: "scores of runs by machine labels as they are",
    CORRECTED: "scores of runs by machine labels, corrected by the sample",
}


class Threshold(NamedTuple):
    """A threshold of the rule, with the sentence that says what it is for."""

    value: float
    meaning: str


THRESHOLDS = (
    Threshold(LEAST_AUDITED, "Labels that the sample needs for any verdict."),
    Threshold(MOST_MISSING, "Largest share of sampled documents that may lack a label."),
    Threshold(LEAST_LABELS, "Labels that every stratum needs for corrected scores."),
    Threshold(
        LEAST_IN_GROUP,
        "Labels inside and outside a group of runs that its test needs, unless all documents were sampled.",
    ),
    Threshold(ALPHA, "p, after Holm's correction, up to which a group of runs is treated differently."),
    Threshold(LEAST_KAPPA, "Least kappa for ranking runs: more than slight agreement (Landis and Koch)."),
    Threshold(LEAST_TAU, "Least Kendall's tau of the orders of runs by machine and by human labels."),
    Threshold(LEAST_RUNS, "Runs from which tau counts: of fewer, one swapped pair lowers it too far."),
    Threshold(
        MOST_OVER_RATING, "Largest difference of the shares of relevant documents for absolute scores."
    ),
    Threshold(MOST_ERRORS, "Largest false-negative and false-positive rates for absolute scores."),
    Threshold(LEAST_PRECISION, "Least precision for filling holes: right more often than wrong."),
    Threshold(MOST_MISSED, "Largest false-negative rate for filling holes: half of the relevant documents."),
    Threshold(LEAST_KAPPA_OF_PEOPLE, "Least kappa for replacing people: substantial (Landis and Koch)."),
)


ONE_AND_MANY = {
    AuditAnswer.ALLOWED: ("holds", "hold"),
    AuditAnswer.NOT_ALLOWED: ("fails", "fail"),
    AuditAnswer.UNKNOWN: ("is unknown", "are unknown"),
}


class Condition(NamedTuple):
    """A condition of a use.

    holds: None if unknown. clause: its figure and threshold, part of a sentence. applies: whether there is
    anything that it could fail on; if not, it holds.
    """

    holds: bool | None
    clause: str
    applies: bool = True

    @property
    def answer(self) -> str:
        """Whether it holds, in a word or two."""
        return {True: "yes", False: "no", None: "unknown"}[self.holds] if self.applies else "not applicable"


class AuditedUse(NamedTuple):
    """A use of the machine's labels with the answer. conditions: all of them, in the order of the rule."""

    name: str
    answer: AuditAnswer
    conditions: tuple[Condition, ...]

    @property
    def meaning(self) -> str:
        """What it means, in a few words; "" for a use of another verdict."""
        return ALL_MEANINGS.get(self.name, "")

    @property
    def because(self) -> str:
        """The reason: the failed conditions, else the unknown ones, else all, as one sentence."""
        return f"{self.name}: {self.answer}, because {'; '.join(self._reasons)}."

    @property
    def first_reason(self) -> str:
        """The first of the conditions that decide the answer, and how many others do."""
        first, *others = self._reasons
        if not others:
            return f"{first}."
        one, many = ONE_AND_MANY[self.answer]
        return f"{first}; {counted(len(others), 'other condition')} {one if len(others) == 1 else many}, too."

    @property
    def _reasons(self) -> list[str]:
        """The clauses of the failed conditions, else of the unknown ones, else of all."""
        holds = {AuditAnswer.ALLOWED: True, AuditAnswer.NOT_ALLOWED: False, AuditAnswer.UNKNOWN: None}[
            self.answer
        ]
        return [condition.clause for condition in self.conditions if condition.holds is holds]


class Findings(NamedTuple):
    """The figures of an audit that the rule uses.

    labels: number of labels of the sample. missing: sampled documents without one. all_sampled: whether the
    sample has every document. small: whether a stratum that is not complete has fewer than 5 labels. rates:
    at the threshold of relevance, with intervals. groups: name of a group of runs -> its test, with p
    corrected by Holm (`circularities`). pool: what these tests can compare. intervals: for each run, "" if
    its corrected score has an interval, else why not. tau: Kendall's tau of the orders of runs by machine
    labels and by human labels of the same documents, None if unknown.
    """

    labels: int
    missing: int
    all_sampled: bool
    small: bool
    rates: Rates
    groups: Mapping[str, Circularity]
    pool: ComparedPool
    intervals: Sequence[str]
    tau: float | None = None


class AuditVerdict(NamedTuple):
    """The answer for every use."""

    ranking: AuditedUse
    absolute: AuditedUse
    corrected: AuditedUse
    holes: AuditedUse
    replacing: AuditedUse

    @property
    def is_open(self) -> bool:
        """Whether a use is not known yet."""
        return any(use.answer == AuditAnswer.UNKNOWN for use in self)


def findings(
    labels: Labelled,
    sampled: int,
    threshold: int,
    groups: Mapping[str, Circularity],
    pool: ComparedPool,
    intervals: Sequence[str],
    tau: float | None = None,
) -> Findings:
    """Return the figures of an audit. sampled: number of documents drawn; threshold: least relevant grade."""
    n, design = len(labels.human), labels.design
    machine_rates, all_sampled = rates(labels, threshold), bool(sampled >= design.documents.sum())
    return Findings(n, sampled - n, all_sampled, design.small, machine_rates, groups, pool, intervals, tau)


def verdict(figures: Findings) -> AuditVerdict:
    """Return what the machine's labels may be used for, by the rule of this module."""
    rates, enough, fair = figures.rates, _check_sample_size(figures), _check_bias(figures)
    absolute = (
        enough,
        fair,
        within(
            "the machine's share of relevant documents minus people's", rates.over_rating, MOST_OVER_RATING
        ),
        _at_most("the false-negative rate", rates.false_negative_rate, MOST_ERRORS),
        _at_most("the false-positive rate", rates.false_positive_rate, MOST_ERRORS),
    )
    order = () if figures.tau is None else (_check_order(figures.tau),)
    return AuditVerdict(
        audited_use(RANKING, enough, fair, at_least("kappa", rates.kappa, LEAST_KAPPA), *order),
        audited_use(ABSOLUTE, *absolute),
        audited_use(
            CORRECTED,
            enough,
            _check_strata(figures.small),
            _check_intervals(figures.intervals),
        ),
        audited_use(
            HOLES,
            enough,
            fair,
            at_least("precision", rates.precision, LEAST_PRECISION),
            _at_most("the false-negative rate", rates.false_negative_rate, MOST_MISSED),
        ),
        audited_use(REPLACING, *absolute, at_least("kappa", rates.kappa, LEAST_KAPPA_OF_PEOPLE)),
    )


def audited_use(name: str, *conditions: Condition) -> AuditedUse:
    holds = [condition.holds for condition in conditions]
    if False in holds:
        return AuditedUse(name, AuditAnswer.NOT_ALLOWED, conditions)
    return AuditedUse(name, AuditAnswer.UNKNOWN if None in holds else AuditAnswer.ALLOWED, conditions)


def _check_sample_size(figures: Findings) -> Condition:
    """Return whether the sample has enough labels and is nearly complete, else it is not random."""
    n, missing = figures.labels, figures.missing
    if n < LEAST_AUDITED:
        return Condition(None, f"the sample has {n:,} labels, and {LEAST_AUDITED} are needed")
    if missing > MOST_MISSING * (n + missing):
        return Condition(None, f"{missing:,} of {n + missing:,} sampled documents have no label yet")
    return Condition(True, f"the random sample has {n:,} labels")


def _check_strata(small: bool) -> Condition:
    if small:
        return Condition(None, f"a stratum has fewer than {LEAST_LABELS} labels")
    return Condition(True, f"every stratum has {LEAST_LABELS} labels or more, or all its documents have one")


def _check_intervals(intervals: Sequence[str]) -> Condition:
    """Return whether all runs have an interval, else why some have none."""
    if not intervals:
        return Condition(None, "there is no run to score")
    reasons = [why for why in intervals if why]
    if reasons:
        runs, without = counted(len(intervals), "run"), len(reasons)
        why = "; ".join(dict.fromkeys(reasons))
        return Condition(
            None, f"of {runs} {without:,} {'has' if without == 1 else 'have'} no interval: {why}"
        )
    return Condition(True, "every run has an interval")


def _check_bias(figures: Findings) -> Condition:
    """Return whether the machine treats all groups of runs alike."""
    groups = figures.groups
    if not groups:
        return Condition(None, "no group of runs was tested for bias")
    if all(test.note == ONE_GROUP for test in groups.values()):
        clause = f"bias towards a group of runs is not applicable: {ONE_GROUP} ({', '.join(groups)})"
        return Condition(True, clause, applies=False)
    biased = {
        name: test for name, test in groups.items() if test.corrected is not None and test.corrected <= ALPHA
    }
    if biased:
        return Condition(False, _biases(biased))
    few = {name: test for name, test in groups.items() if _is_small_group(test)}
    if few and not figures.all_sampled:
        return Condition(None, _too_few(few, figures.pool))
    if undefined := [name for name, test in groups.items() if _is_unknown(test, figures.all_sampled)]:
        notes = [f"{name} ({groups[name].note})" for name in undefined]
        end = ", and no other documents are left to judge" * figures.all_sampled
        return Condition(None, f"bias cannot be tested towards {', '.join(notes)}{end}")
    tested = [test.corrected for test in groups.values() if test.corrected is not None]
    if not tested:
        return Condition(
            True, f"no bias towards a group of runs: {NO_SPREAD}, and all documents were sampled"
        )
    least = min(tested)
    return Condition(
        True,
        f"no bias towards a group of runs was found (of {len(groups)}, the smallest {p_text(least)} after"
        " Holm's correction), although a small one can remain undetected",
    )


def _is_small_group(test: Circularity) -> bool:
    return min(test.members, test.others) < LEAST_IN_GROUP


def _is_unknown(test: Circularity, all_sampled: bool) -> bool:
    """Whether a test says nothing. Labels without differences say that there is none, if these are all."""
    return test.corrected is None and not (all_sampled and test.note == NO_SPREAD)


def _too_few(few: Mapping[str, Circularity], pool: ComparedPool) -> str:
    """Return of what there are too few labels to test these groups of runs, and what helps."""
    counts = [
        f"the runs of {name} retrieved {test.members:,} and only other runs {test.others:,}"
        for name, test in few.items()
    ]
    more = f", and {counted(len(few) - MOST_NAMED, 'other group')} lack some, too" * (len(few) > MOST_NAMED)
    return (
        "too few labels to test for bias: of the judged documents that can be compared, because people gave"
        f" them equal grades, {'; '.join(counts[:MOST_NAMED])}{more}; {LEAST_IN_GROUP} of each are needed:"
        f" {_size_that_helps(few, pool)}"
    )


def _size_that_helps(few: Mapping[str, Circularity], pool: ComparedPool) -> str:
    """Return which sample has enough labels to test these groups of runs."""
    if impossible := [name for name in few if not pool.sides[name].testable]:
        name = min(impossible, key=lambda group: min(pool.sides[group]))
        sides = pool.sides[name]
        return (
            f"the pool itself has too few (the runs of {name} retrieved {sides.members:,} of its documents,"
            f" and only other runs {sides.others:,}), so that only a sample of all {pool.documents:,}"
            " documents has an answer"
        )
    return f"a sample of {max(map(pool.labels_for_test, few)):,} documents should have them"


def p_text(value: float) -> str:
    """Return a probability for a sentence: never "0.000", since no test shows that it is zero."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def _biases(biased: Mapping[str, Circularity]) -> str:
    """Return the number of groups that are treated differently, and the greatest difference."""
    name = max(biased, key=lambda group: abs(biased[group].over_rating or 0.0))
    greatest = _bias(name, biased[name])
    if len(biased) == 1:
        return greatest
    return f"{len(biased)} groups of runs are rated differently from others, most of all {name}: {greatest}"


def _bias(name: str, test: Circularity) -> str:
    assert test.corrected is not None  # only a test with p shows bias
    grades = test.over_rating or 0.0
    return (
        f"documents of {name} are rated {abs(grades):.2f} grades {'higher' if grades > 0 else 'lower'} than "
        f"others of the same grade by people ({p_text(test.corrected)} after Holm's correction)"
    )


def _check_order(tau: float) -> Condition:
    side = "at least" if tau >= LEAST_TAU else "below"
    return Condition(
        tau >= LEAST_TAU,
        f"Kendall's tau with the order of runs by human labels is {tau:.3f}, {side} {LEAST_TAU:g}",
    )


def at_least(name: str, figure: Estimate, bound: float) -> Condition:
    if figure.low is None or figure.high is None or figure.value is None:
        return _without_interval(name, figure)
    if figure.low >= bound:
        return Condition(True, f"{name} is {_estimate_text(figure, bound)}, at least {bound:g}")
    if figure.high < bound:
        return Condition(False, f"{name} is {_estimate_text(figure, bound)}, below {bound:g}")
    return Condition(
        None, f"{name} is {_estimate_text(figure, bound)}, which may be below or above {bound:g}"
    )


def _at_most(name: str, figure: Estimate, bound: float) -> Condition:
    if figure.low is None or figure.high is None or figure.value is None:
        return _without_interval(name, figure)
    if figure.high <= bound:
        return Condition(True, f"{name} is {_estimate_text(figure, bound)}, at most {bound:g}")
    if figure.low > bound:
        return Condition(False, f"{name} is {_estimate_text(figure, bound)}, above {bound:g}")
    return Condition(
        None, f"{name} is {_estimate_text(figure, bound)}, which may be below or above {bound:g}"
    )


def within(name: str, figure: Estimate, bound: float) -> Condition:
    """Return whether a difference is from -bound to bound."""
    if figure.low is None or figure.high is None or figure.value is None:
        return _without_interval(name, figure)
    if -bound <= figure.low and figure.high <= bound:
        return Condition(True, f"{name} is {_estimate_text(figure, bound)}, within {bound:g} of 0")
    if figure.low > bound or figure.high < -bound:
        return Condition(False, f"{name} is {_estimate_text(figure, bound)}, more than {bound:g} from 0")
    return Condition(
        None, f"{name} is {_estimate_text(figure, bound)}, which may be within {bound:g} of 0 or outside"
    )


def _without_interval(name: str, figure: Estimate) -> Condition:
    return Condition(None, f"{name} has no interval ({figure.note})")


def _estimate_text(figure: Estimate, bound: float) -> str:
    """Return an estimate with its interval, with as many digits, up to four, as tell it from the bound."""
    numbers = [number for number in (figure.value, figure.low, figure.high) if number is not None]
    digits = next((d for d in (2, 3) if not any(_seems_equal(number, bound, d) for number in numbers)), 4)
    value, low, high = (f"{round(number, digits) + 0.0:.{digits}f}" for number in numbers)
    return f"{value} ({low} to {high})".replace("-", MINUS)


def _seems_equal(number: float, bound: float, digits: int) -> bool:
    """Whether a number is the bound, or minus the bound, only because it is rounded."""
    return abs(round(number, digits)) == bound != abs(number)
