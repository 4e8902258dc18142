"""Stopping rules as advisers: each says whether it would stop here, why, what it promises and what it costs.

No rule stops anything; the organiser does. Rules that promise something need a random sample of the
collection that is judged beside the review, and whose labels are neither used to train nor to order: the
review must find its documents by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil
from typing import Literal, NamedTuple

import numpy as np

from assess.active_learning.quant import ProbabilitySums, expected_recall
from assess.active_learning.rule_figures import (
    ALPHA,
    documents_to_draw,
    knee,
    knee_threshold,
    least_relevant,
    longest_tail,
    missed_test,
    missed_test_of_order,
    more_for_missed_test,
    quantile_needed,
    relevant_for_misses,
)
from pooling.arrays import Flags, IntVector
from pooling.notebook import fields_html
from pooling.refusals import Refused
from pooling.words import counted

TARGET = 0.8
TARGET_SAMPLE = 10  # relevant documents in the sample of the target rule
BUDGET_RHO, BUDGET_FACTOR = 6, 10
LOW_PRECISION, LOW_BATCH = 5, 200
FIXED, FIXED_FACTOR = 2399, 1.2
MISSES = 50


class RandomSample(NamedTuple):
    """A random sample of the collection, and what the review has found of it by itself.

    size: documents of the sample, all judged. relevant: of these. reached: those that the review has reached.
    found: relevant ones of these.
    """

    size: int
    relevant: int
    reached: int
    found: int

    def _repr_html_(self) -> str:
        return fields_html(self)


class ReviewState(NamedTuple):
    """A review at one moment.

    labels: whether each reviewed document is relevant, in the order of review, shape (reviewed,). ends: how
    many documents were reviewed at the end of each batch, ascending. collection: the number of documents.
    sample: None without one. expected: the sums of the model's probabilities, None without them.
    """

    labels: Flags
    ends: IntVector
    collection: int
    sample: RandomSample | None = None
    expected: ProbabilitySums | None = None

    @property
    def reviewed(self) -> int:
        return len(self.labels)

    @property
    def found(self) -> int:
        return int(np.count_nonzero(self.labels))


class Advice(NamedTuple):
    """What a rule says at one moment.

    rule: its key in RULES. stop: whether it would stop here. because: the figures behind it, or what it
    needs. promise, cost: as of the rule.
    """

    rule: str
    stop: bool
    because: str
    promise: str
    cost: str

    def _repr_html_(self) -> str:
        return fields_html(self)


Needs = Literal["order", "sample", "probabilities"]


class StoppingRule(NamedTuple):
    """A stopping rule. name: as the field writes it. promise: "none" begins one that holds nothing.

    method: how it decides, in a few words. cost: what has to be judged beside the review. needs: what the
    state must hold. source: where the rule is from. decide: the state and the target recall -> whether to
    stop, and why.
    """

    name: str
    method: str
    promise: str
    cost: str
    needs: Needs
    source: str
    decide: Callable[[ReviewState, float], tuple[bool, str]]

    def _repr_html_(self) -> str:
        return fields_html(self)


def _knee(state: ReviewState, target: float) -> tuple[bool, str]:
    flattest = knee(np.arange(1, state.reviewed + 1), np.cumsum(state.labels))
    if flattest is None:
        return False, "no knee: fewer than 2 documents, or none relevant"
    least = knee_threshold(state.found)
    return flattest.rho >= least, (
        f"after document {flattest.reviewed:,} the gain curve is {flattest.rho:.2f} times flatter "
        f"({least} at least)"
    )


def _budget(state: ReviewState, target: float) -> tuple[bool, str]:
    if 4 * state.reviewed >= 3 * state.collection:
        return True, f"{state.reviewed:,} of {state.collection:,} documents are reviewed (75 %)"
    if not state.found:
        return False, "no relevant document found yet, and fewer than 75 % of all documents reviewed"
    enough = state.reviewed * state.found >= BUDGET_FACTOR * state.collection
    flat, why = _knee_is_flat(state)
    least = -(-BUDGET_FACTOR * state.collection // state.found)
    return flat and enough, f"{state.reviewed:,} documents are reviewed (needs {least:,}), and {why}"


def _knee_is_flat(state: ReviewState) -> tuple[bool, str]:
    flattest = knee(np.arange(1, state.reviewed + 1), np.cumsum(state.labels))
    if flattest is None:
        return False, "the gain curve has no knee"
    return (
        flattest.rho >= BUDGET_RHO,
        f"the gain curve is {flattest.rho:.2f} times flatter ({BUDGET_RHO} at least)",
    )


def _target(state: ReviewState, target: float) -> tuple[bool, str]:
    sample = _sample(state)
    if sample.relevant < TARGET_SAMPLE:
        return False, (
            f"needs {TARGET_SAMPLE} relevant documents in the sample, has {sample.relevant}"
            f"{_more(TARGET_SAMPLE, state)}"
        )
    return sample.found == sample.relevant, (
        f"{sample.found} of the {sample.relevant} relevant documents of the sample are found; all are needed"
    )


def _quantile(state: ReviewState, target: float) -> tuple[bool, str]:
    sample = _sample(state)
    needed = quantile_needed(sample.relevant, target)
    if needed is None:
        least, missed = least_relevant(target), sample.relevant - sample.found
        enough = relevant_for_misses(missed, target)
        with_misses = f", all of them found, or {enough} with {counted(missed, 'miss', 'misses')}"
        return False, (
            f"needs {least} relevant documents in the sample{with_misses if missed else ''}, has "
            f"{sample.relevant}{_more(enough, state)}"
        )
    because = (
        f"{sample.found} of the {sample.relevant} relevant documents of the sample are found; "
        f"{needed} are enough"
    )
    if sample.found >= needed:
        return True, because
    return False, f"{because}: more batches may find the others{_with_misses(sample, target, state)}"


def _with_misses(sample: RandomSample, target: float, state: ReviewState) -> str:
    """Return how large the sample has to be for as many misses as it has now."""
    missed = sample.relevant - sample.found
    enough = relevant_for_misses(missed, target)
    return f", or a larger sample allows {counted(missed, 'miss', 'misses')}{_more(enough, state)}"


def _missed(state: ReviewState, target: float) -> tuple[bool, str]:
    sample = _sample(state)
    size, relevant = sample.size - sample.reached, sample.relevant - sample.found
    test = missed_test(state.collection - state.reviewed, state.found, size, relevant, target)
    return test.p < ALPHA, (
        f"{relevant} of {size:,} random documents that are left are relevant: p = {test.p:.3f} that "
        f"{test.missed:,} or more are missed (below {ALPHA:g} it stops)"
    )


def _missed_of_order(state: ReviewState, target: float) -> tuple[bool, str]:
    test = missed_test_of_order(state.labels, state.ends, state.collection, target)
    if test is None:
        return False, "needs 3 batches"
    return test.p < ALPHA, (
        f"as if the last documents were random: p = {test.p:.3f} that {test.missed:,} or more are missed "
        f"(below {ALPHA:g} it stops)"
    )


def _quant(z: float) -> Callable[[ReviewState, float], tuple[bool, str]]:
    def decide(state: ReviewState, target: float) -> tuple[bool, str]:
        recall = expected_recall(_sums(state))
        if recall.value is None or recall.variance is None:
            return False, "the model expects no relevant document"
        margin = f", less {z:g} x {recall.variance**0.5:.3f}" if z else ""
        return recall.at_least(target, z), (
            f"the model expects recall {recall.value:.3f}{margin} ({target:g} at least)"
        )

    return decide


def _precision(state: ReviewState, target: float) -> tuple[bool, str]:
    start = int(state.ends[-2]) if len(state.ends) > 1 else 0
    size, hits = state.reviewed - start, int(np.count_nonzero(state.labels[start:]))
    return size > 0 and hits * LOW_BATCH <= LOW_PRECISION * size, (
        f"{hits} of the last batch of {size} are relevant"
        f" (stops at {100 * LOW_PRECISION / LOW_BATCH:g} % or less)"
    )


def _fixed(state: ReviewState, target: float) -> tuple[bool, str]:
    least = ceil(FIXED + FIXED_FACTOR * state.found)
    never = ", more than the collection has" if least > state.collection else ""
    return state.reviewed >= least, f"{state.reviewed:,} documents are reviewed (needs {least:,}{never})"


def _misses(state: ReviewState, target: float) -> tuple[bool, str]:
    tail = longest_tail(state.labels)
    return tail >= MISSES, f"the last {tail} documents were not relevant (stops at {MISSES})"


ASKED_ONCE = "if it is asked once"
NO_PROMISE = "none: a habit that worked on public collections"
NOTHING = "nothing beside the review"
SAMPLE = "a random sample, judged beside the review"
CORMACK_2016 = "Cormack & Grossman, SIGIR 2016"
YANG_2021 = "Yang, Lewis & Frieder, DocEng 2021"
CALLAGHAN_2020 = "Callaghan & Mueller-Hansen, Systematic Reviews 9, 2020"

RULES: dict[str, StoppingRule] = {
    "knee": StoppingRule(
        "Knee", "the gain curve became flat", NO_PROMISE, NOTHING, "order", CORMACK_2016, _knee
    ),
    "budget": StoppingRule(
        "Budget",
        "the knee, after more documents where fewer are relevant",
        NO_PROMISE,
        NOTHING,
        "order",
        CORMACK_2016,
        _budget,
    ),
    "target": StoppingRule(
        "Target",
        f"{TARGET_SAMPLE} relevant random documents, all found by the model",
        "recall at least 0.7 with 95 % confidence",
        f"{SAMPLE}, until {TARGET_SAMPLE} of it are relevant",
        "sample",
        CORMACK_2016,
        _target,
    ),
    "qbcb": StoppingRule(
        "QBCB",
        "enough of the relevant random documents were found by the model",
        "recall at least the target in 95 of 100 samples, however often one looks",
        f"{SAMPLE}, with 14 relevant documents for recall 0.8, 29 for 0.9, 59 for 0.95",
        "sample",
        "Lewis, Yang & Frieder, CIKM 2021",
        _quantile,
    ),
    "chm": StoppingRule(
        "CHM",
        "a test whether the documents that are left hide too many relevant ones",
        f"recall at least the target in 95 of 100 samples, {ASKED_ONCE}",
        f"{SAMPLE}, of those that the review has not reached",
        "sample",
        CALLAGHAN_2020,
        _missed,
    ),
    "chm_order": StoppingRule(
        "CHM without a sample",
        "the same test with the documents that were judged last",
        "none that is proved: it takes the last documents of the order for a random sample",
        NOTHING,
        "order",
        CALLAGHAN_2020,
        _missed_of_order,
    ),
    "quant": StoppingRule(
        "Quant",
        "the model's own estimate of recall",
        "recall at least the target if the model's probabilities are right",
        NOTHING,
        "probabilities",
        YANG_2021,
        _quant(0),
    ),
    "quant_2": StoppingRule(
        "Quant, 2 standard deviations",
        "the model's own estimate of recall, less 2 standard deviations",
        "recall at least the target if the model's probabilities are right",
        NOTHING,
        "probabilities",
        YANG_2021,
        _quant(2),
    ),
    "precision": StoppingRule(
        "Batch precision",
        "few documents of the last batch are relevant",
        NO_PROMISE,
        NOTHING,
        "order",
        YANG_2021,
        _precision,
    ),
    "fixed": StoppingRule(
        "2399 + 1.2 R",
        "a number of documents that grows with the relevant ones",
        NO_PROMISE,
        NOTHING,
        "order",
        YANG_2021,
        _fixed,
    ),
    "misses": StoppingRule(
        f"{MISSES} misses in a row",
        "many documents in a row were not relevant",
        "none, unsafe: on 171 topics with few relevant documents recall was 0.8 or more in 61 %",
        NOTHING,
        "order",
        "custom",
        _misses,
    ),
}


def asked_once(looks: int) -> str:
    """Return the condition of a promise that holds at one moment. looks: sizes of the sample.

    >>> asked_once(2)
    'if it is asked once at each of 2 sizes of the sample'
    """
    return ASKED_ONCE if looks == 1 else f"{ASKED_ONCE} at each of {looks} sizes of the sample"


MISSING = {"sample": "needs a random sample", "probabilities": "needs the model of the next batch"}


def advise(state: ReviewState, target: float = TARGET, rules: Iterable[str] = tuple(RULES)) -> list[Advice]:
    """Return what each rule says about stopping here.

    state: at the end of a batch. target: the recall that QBCB, CHM and Quant are to reach; the others do not
    look at it. rules: keys of RULES. A rule without what it needs says so and does not stop. Raises Refused
    for an unknown rule, a target outside 0 to 1, or a state whose numbers contradict each other.

    >>> labels = np.array([True] * 20 + [False] * 380)
    >>> state = ReviewState(labels, np.array([100, 200, 400]), 2000, RandomSample(500, 14, 110, 14))
    >>> for advice in advise(state, 0.8, ["qbcb", "chm", "misses"]):
    ...     print(advice.rule, advice.stop, advice.because)
    qbcb True 14 of the 14 relevant documents of the sample are found; 14 are enough
    chm False 0 of 390 random documents that are left are relevant: p = 0.186 that 6 or more are missed \
(below 0.05 it stops)
    misses True the last 380 documents were not relevant (stops at 50)
    """
    if not 0 < target < 1:
        raise Refused(f"expected a target recall between 0 and 1, found {target}")
    _check(state)
    return [_advice(key, state, target) for key in rules]


def more_for_chm(state: ReviewState, target: float) -> int:
    """Return about how many more random documents CHM needs to stop, if those that are left are not relevant.

    Where CHM goes on. The documents are drawn from the whole collection: some of them are reached already.

    >>> labels = np.array([True] * 20 + [False] * 380)
    >>> more_for_chm(ReviewState(labels, np.array([400]), 2000, RandomSample(500, 14, 110, 14)), 0.8)
    296
    """
    sample = _sample(state)
    rest, size = state.collection - state.reviewed, sample.size - sample.reached
    of_rest = more_for_missed_test(rest, state.found, size, sample.relevant - sample.found, target)
    return -(-of_rest * (state.collection - sample.size) // (rest - size))


def _advice(key: str, state: ReviewState, target: float) -> Advice:
    rule = RULES.get(key)
    if rule is None:
        raise Refused(f"expected a stopping rule ({', '.join(RULES)}), found {key!r}")
    has = {"order": True, "sample": state.sample is not None, "probabilities": state.expected is not None}
    stop, because = rule.decide(state, target) if has[rule.needs] else (False, MISSING[rule.needs])
    return Advice(key, bool(stop), because, rule.promise, rule.cost)


def _check(state: ReviewState) -> None:
    if state.collection < state.reviewed:
        raise Refused(
            f"expected a collection of at least {state.reviewed} documents, found {state.collection}"
        )
    last = state.ends[-1] if len(state.ends) else 0
    if last != state.reviewed or (np.diff(state.ends, prepend=0) <= 0).any():
        raise Refused(f"expected ascending ends of batches up to {state.reviewed} documents")
    if (sample := state.sample) is None:
        return
    rest, missed = sample.size - sample.reached, sample.relevant - sample.found
    unreviewed, not_relevant = state.collection - state.reviewed, state.reviewed - state.found
    if not (
        0 <= missed <= rest <= unreviewed
        and 0 <= sample.found <= min(sample.reached, state.found)
        and sample.reached - sample.found <= not_relevant
    ):
        raise Refused(f"expected numbers of a sample that fit the review, found {sample}")


def _sample(state: ReviewState) -> RandomSample:
    if state.sample is None:
        raise ValueError("expected a sample")
    return state.sample


def _sums(state: ReviewState) -> ProbabilitySums:
    if state.expected is None:
        raise ValueError("expected the sums of probabilities")
    return state.expected


def _more(needed: int, state: ReviewState) -> str:
    """Return how many more random documents a rule needs, or that the collection does not have them."""
    sample = _sample(state)
    more = documents_to_draw(needed, sample.size, sample.relevant)
    if more is None:
        return ""
    if more > state.collection - sample.size:
        return ": more than the collection is likely to have"
    return f": about {more:,} more random documents"
