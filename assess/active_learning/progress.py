"""How far a review is: its order with labels, and what the random sample says of it.

Only rounds whose documents are all labelled count: the order of a review has no gaps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from assess.active_learning import strata_advice
from assess.active_learning.quant import ProbabilitySums
from assess.active_learning.recall import SampleEstimate, recall_in_sample, relevant_in_all
from assess.active_learning.scal import Strata
from assess.active_learning.stopping import (
    ASKED_ONCE,
    RULES,
    Advice,
    RandomSample,
    ReviewState,
    advise,
    asked_once,
    more_for_chm,
)
from assess.active_learning.strata_advice import advise_strata, strata_title
from pooling.arrays import IntVector
from pooling.words import enumeration

LAST = 200  # documents of the figure "last documents"
ADVISERS: tuple[tuple[str, float], ...] = (
    ("knee", 0.8),
    ("budget", 0.8),
    ("precision", 0.8),
    ("fixed", 0.8),
    ("misses", 0.8),
    ("target", 0.7),
    ("qbcb", 0.8),
    ("qbcb", 0.9),
    ("chm", 0.8),
    ("chm", 0.95),
    ("chm_order", 0.95),
    ("quant_2", 0.8),
)
"""The rules that are asked, each with its target recall."""


class ReviewRow(NamedTuple):
    """A document of a review. row: in the collection. place, round: of the order; None if only in the sample.

    label: whether it is relevant; None without a label.
    """

    row: int
    place: int | None
    round: int | None
    label: bool | None


class Adviser(NamedTuple):
    """A rule, what it says now, and since when it would have stopped.

    title: the name, with the target recall if the rule has one.
    since: reviewed documents at the first batch end at which it would have stopped, None if it never would
    have. found_by_then: the share of the relevant documents found so far that were found by then.
    """

    key: str
    title: str
    promise: str
    advice: Advice
    target: float
    since: int | None
    found_by_then: float | None

    @property
    def method(self) -> str:
        """How it decides, in a few words."""
        return strata_advice.METHOD if self.key == strata_advice.RULE else RULES[self.key].method

    @property
    def source(self) -> str:
        """Where the rule is from; "" for a habit and for the rule of S-CAL."""
        source = "" if self.key == strata_advice.RULE else RULES[self.key].source
        return "" if source == "custom" else source

    @property
    def promises(self) -> bool:
        """Whether its promise is more than none."""
        return not self.promise.startswith("none")

    @property
    def is_by_sample(self) -> bool:
        """Whether its promise rests on the random sample alone, not on what the model takes for likely."""
        return self.key == strata_advice.RULE or RULES[self.key].needs == "sample"


ALL_LABELLED = "Every document of the collection has a label: nothing is left to find."


def advice_in_words(advisers: Sequence[Adviser]) -> str:
    """Return what the rules say together; "" without rules."""
    stopping = [each for each in advisers if each.advice.stop]
    if promised := [each.title for each in stopping if each.promises]:
        verb = "says" if len(promised) == 1 else "say"
        return (
            f"Of the rules with a promise, {enumeration(promised)} {verb} stop: name the one that you rely on"
            " when you stop, and the release states its promise."
        )
    if not advisers:
        return ""
    others = f"{enumeration(each.title for each in stopping)} would stop, and promise nothing. "
    return (
        f"No rule with a promise says stop. {others if stopping else ''}Go on, or draw more random documents"
        " where a rule needs them; where neither is worth it, stop without a rule: the release then states"
        " the estimate of recall alone."
    )


def proposed(advisers: Sequence[Adviser]) -> Adviser | None:
    """Return the rule to rely on: the highest target of those by the random sample that advise to stop."""
    stopping = [each for each in advisers if each.advice.stop and each.is_by_sample]
    return max(stopping, key=lambda each: each.target, default=None)


def title_of(rule: str, target: float, looks: int = 1) -> tuple[str, str]:
    """Return the title and the promise of a rule for a target recall, if it has one.

    looks: at how many sizes of the random sample somebody could look. Each may fail in 5 of 100 samples, so
    all of them together in so many times 5 at most.

    >>> title_of("chm", 0.95)
    ('CHM 0.95', 'recall at least 0.95 in 95 of 100 samples, if it is asked once')
    >>> title_of("chm", 0.95, looks=2)[1]
    'recall at least 0.95 in 90 of 100 samples, if it is asked once at each of 2 sizes of the sample'
    """
    if rule == strata_advice.RULE:
        return strata_title(target, looks)
    name, promise = RULES[rule].name, RULES[rule].promise
    if looks > 1 and RULES[rule].needs == "sample":
        held = 100 - 5 * looks
        promise = promise.replace("95 of 100", f"{held} of 100").replace("95 %", f"{held} %")
        promise = promise.replace(ASKED_ONCE, asked_once(looks))
    if "the target" not in promise:
        return name, promise
    return f"{name} {target:g}", promise.replace("the target", f"{target:g}")


class ReviewProgress:
    """A review at one moment.

    rows: its documents, in any order. collection: the number of documents. sample: the rows of the random
    sample, in its order. expected: round -> the sums of the model that was trained for it. looks: as for
    `title_of`. aside: row -> round, of documents that S-CAL has set aside: they are reached at the end of
    their round, without a label of the review. None where no document of a batch is set aside.
    """

    def __init__(
        self,
        rows: Sequence[ReviewRow],
        collection: int,
        sample: IntVector,
        expected: Mapping[int, ProbabilitySums],
        looks: int = 1,
        aside: Mapping[int, int] | None = None,
    ) -> None:
        self._looks, self._aside, self._is_all_judged = looks, aside or {}, aside is None
        self._rows, self.collection, self._sample, self._expected = rows, collection, sample, expected
        self._label_of = {each.row: each.label for each in rows if each.label is not None}
        self._order = sorted((each for each in rows if each.place is not None), key=_place_of)

    @cached_property
    def ends(self) -> dict[int, int]:
        """Round -> how many documents were reviewed at its end, of the rounds that are labelled."""
        ends: dict[int, int] = {}
        for count, each in enumerate(self._order, start=1):
            if each.label is None:
                ends.pop(each.round or 0, None)
                break
            ends[each.round or 0] = count
        return ends

    @property
    def reviewed(self) -> int:
        """How many documents the review has reached, of the rounds that are labelled."""
        return max(self.ends.values(), default=0)

    @property
    def judged(self) -> int:
        """How many documents of the review have a label, of the sample too."""
        return len(self._label_of)

    @property
    def unlabelled(self) -> int:
        """How many documents of the collection have no label."""
        return self.collection - self.judged

    @property
    def relevant_known(self) -> int:
        """How many documents of the review are labelled relevant, of the sample too."""
        return sum(self._label_of.values())

    @cached_property
    def by_sample_only(self) -> int:
        """How many labelled documents of the sample the review has not reached."""
        drawn = set(self._sample.tolist())
        return sum(each.row in drawn for each in self._rows if each.place is None and each.label is not None)

    @property
    def by_search(self) -> int:
        """How many labelled documents were found by search alone: no estimate counts them as found."""
        return self.judged - self.by_sample_only - sum(each.label is not None for each in self._order)

    @property
    def ahead(self) -> int:
        """How many documents of the model have a label, in batches that are not wholly labelled."""
        return sum(each.label is not None for each in self._order) - self.reviewed

    @property
    def waiting(self) -> int:
        """How many documents were given to judges and have no label."""
        return len(self._rows) - self.judged

    @cached_property
    def labels(self) -> list[bool]:
        """Whether each reviewed document is relevant, in the order of review."""
        return [bool(each.label) for each in self._order[: self.reviewed]]

    @property
    def found(self) -> int:
        return sum(self.labels)

    @property
    def found_in_last(self) -> int:
        """How many of the last LAST reviewed documents are relevant."""
        return sum(self.labels[-LAST:])

    @property
    def sample_size(self) -> int:
        return len(self._sample)

    @cached_property
    def sample_judged(self) -> int:
        """How many documents of the sample have a label, without a gap from its first one."""
        return next(
            (place for place, row in enumerate(self._sample.tolist()) if row not in self._label_of),
            len(self._sample),
        )

    @cached_property
    def sample_left(self) -> int:
        """How many documents of the sample were not yet given to judges."""
        given = {each.row for each in self._rows}
        return sum(row not in given for row in self._sample.tolist())

    def is_waiting(self, rounds: int) -> bool:
        """Whether the last round was of random documents only, so that the model waits for the organiser.

        rounds: how many there were.
        """
        last = max((each.round or 0 for each in self._order), default=0)
        return last < rounds and len(self._rows) < self.collection

    @property
    def sample_labelled(self) -> int:
        """How many documents of the sample have a label, also behind a gap."""
        return sum(row in self._label_of for row in self._sample.tolist())

    @property
    def is_sample_complete(self) -> bool:
        return bool(self.sample_size) and self.sample_judged == self.sample_size

    def sample_at(self, end: int) -> RandomSample:
        """Return what the first `end` reviewed documents have of the judged part of the sample."""
        judged = self._sample[: self.sample_judged].tolist()
        last = max((number for number, count in self.ends.items() if count <= end), default=-1)
        aside = {row for row, number in self._aside.items() if number <= last}
        reached = aside | {each.row for each in self._order[:end]}
        relevant = [row for row in judged if self._label_of[row]]
        return RandomSample(
            len(judged),
            len(relevant),
            sum(row in reached for row in judged),
            sum(row in reached for row in relevant),
        )

    @cached_property
    def sample(self) -> RandomSample:
        return self.sample_at(self.reviewed)

    @cached_property
    def recall(self) -> SampleEstimate:
        """The recall of the review, from the judged part of the sample alone; exact once all is labelled."""
        if self.unlabelled or not self.relevant_known:
            return recall_in_sample(self.sample.found, self.sample.relevant)
        known = self.found / self.relevant_known
        return SampleEstimate(known, known, known)

    @cached_property
    def relevant(self) -> SampleEstimate:
        """The number of relevant documents of the collection: those that the review found, and those of the
        rest by the random documents there. Of S-CAL, which judges a part of a batch, by the whole sample."""
        sample, rest, found = self.sample, self.collection, 0
        size, relevant = sample.size, sample.relevant
        if self._is_all_judged:
            rest, found = rest - self.reviewed, self.found
            size, relevant = size - sample.reached, relevant - sample.found
        value, low, high, reason = relevant_in_all(rest, size, relevant)
        if not rest:
            value = low = high = 0.0
        if value is None or low is None or high is None:
            return SampleEstimate(None, None, None, reason)
        least, most = self.relevant_known, self.relevant_known + self.unlabelled

        def limited(rest_of_them: float) -> float:
            return float(min(max(found + rest_of_them, least), most))

        return SampleEstimate(limited(value), limited(low), limited(high))

    def state_at(self, number: int) -> ReviewState:
        """Return the review at the end of a round. The sample is there once all of it is judged."""
        end = self.ends[number]
        ends = [count for each, count in self.ends.items() if each <= number]
        return ReviewState(
            np.array(self.labels[:end], dtype=bool),
            np.array(ends, dtype=np.int64),
            self.collection,
            self.sample_at(end) if self.is_sample_complete else None,
            self._expected.get(number + 1),
        )

    def advisers(self) -> list[Adviser]:
        """Return what each of ADVISERS says; none before the first round is labelled."""
        states = {number: self.state_at(number) for number in self.ends}
        if not states:
            return []
        last = max(states)
        advisers = []
        for key, target in ADVISERS:
            said = {number: advise(state, target, [key])[0] for number, state in states.items()}
            first = next((number for number, advice in said.items() if advice.stop), None)
            since = None if first is None else self.ends[first]
            share = sum(self.labels[:since]) / self.found if since and self.found else None
            title, promise = title_of(key, target, self._looks)
            advice = said[last]
            if RULES[key].needs == "sample" and not self.is_sample_complete:
                advice = advice._replace(because=self._why_no_sample())
            elif key == "chm" and not advice.stop:
                advice = advice._replace(because=f"{advice.because}; {_enough(states[last], target)}")
            advisers.append(Adviser(key, title, promise, advice, target, since, share))
        return advisers

    def strata_advisers(self, strata: Strata) -> list[Adviser]:
        """Return what the rule of S-CAL says for each of its targets. strata: the judged batches."""
        if not self.ends:
            return []
        samples = {
            end: self.sample_at(end) if self.is_sample_complete else None for end in self.ends.values()
        }
        advisers = []
        for target in strata_advice.TARGETS:
            said = [
                advise_strata(Strata(strata.strata[:count]), self.collection, sample, target, self._looks)
                for count, sample in enumerate(samples.values(), start=1)
            ]
            since = next((end for end, advice in zip(samples, said, strict=True) if advice.stop), None)
            share = sum(self.labels[:since]) / self.found if since and self.found else None
            advice = said[-1]
            if not advice.stop and not self.is_sample_complete:
                advice = advice._replace(because=self._why_no_sample())
            title, promise = strata_title(target, self._looks)
            advisers.append(Adviser(strata_advice.RULE, title, promise, advice, target, since, share))
        return advisers

    def _why_no_sample(self) -> str:
        if not self.sample_size:
            return "needs a random sample, and this review has none"
        return f"needs the whole random sample: {self.sample_judged:,} of {self.sample_size:,} are judged"


def _enough(state: ReviewState, target: float) -> str:
    more = more_for_chm(state, target)
    return (
        f"about {more:,} more random documents are enough if those that are left are not relevant; a tenth"
        " more is safer where the model goes on until they are judged"
    )


def _place_of(row: ReviewRow) -> int:
    assert row.place is not None
    return row.place
