"""Where stopping rules would have stopped a review whose labels are all known, and what it cost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from assess.active_learning.cal import Review
from assess.active_learning.stopping import RULES, TARGET, RandomSample, ReviewState, advise
from pooling.arrays import Flags, IntVector
from pooling.notebook import fields_html


class Stop(NamedTuple):
    """The first batch end at which a rule stops.

    reviewed, found: documents reviewed until then, and relevant ones among them. beside: documents of the
    sample that the review had not reached. has_stopped: False where the rule never stopped; then the numbers
    are those of the whole review. because: the advice of the rule, at the last batch end if it never stopped.
    """

    reviewed: int
    found: int
    beside: int
    has_stopped: bool
    because: str

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def effort(self) -> int:
        """Documents judged in all."""
        return self.reviewed + self.beside


class KnownSample(NamedTuple):
    """A random sample of the collection. documents: rows. relevant: their labels, of the same shape."""

    documents: IntVector
    relevant: Flags


def draw_sample(relevant: Flags, size: int, seed: int) -> KnownSample:
    """Return a random sample of a collection without replacement, rows ascending.

    relevant: the label of each document, shape (documents,). size: at most all documents are drawn.
    """
    random = np.random.default_rng([seed, len(relevant)])
    documents = np.sort(random.choice(len(relevant), size=min(size, len(relevant)), replace=False))
    return KnownSample(documents, relevant[documents])


def states(review: Review, collection: int, sample: KnownSample | None = None) -> Iterable[ReviewState]:
    """Yield the state of a review at the end of each batch."""
    place = np.full(collection, collection, dtype=np.int64)
    place[review.documents] = np.arange(len(review.documents))
    for number, end in enumerate(review.ends.tolist()):
        known = None
        if sample is not None:
            reached = place[sample.documents] < end
            known = RandomSample(
                len(reached),
                int(np.count_nonzero(sample.relevant)),
                int(np.count_nonzero(reached)),
                int(np.count_nonzero(reached & sample.relevant)),
            )
        ends = review.ends[: number + 1]
        yield ReviewState(review.relevant[:end], ends, collection, known, review.expected[number])


def first_stops(
    review: Review,
    collection: int,
    sample: KnownSample | None = None,
    target: float = TARGET,
    rules: Iterable[str] = tuple(RULES),
) -> dict[str, Stop]:
    """Return rule -> where it would have stopped, looking at the end of each batch.

    sample: a random sample of the collection; the review must not have used its labels. Raises Refused as
    `advise` does, and ValueError for a review of no batch.
    """
    rules = tuple(rules)
    waiting, stops = list(rules), dict[str, Stop]()
    last: dict[str, Stop] = {}
    for state in states(review, collection, sample):
        beside = 0 if state.sample is None else state.sample.size - state.sample.reached
        for advice in advise(state, target, waiting):
            needs_sample = RULES[advice.rule].needs == "sample"
            stop = Stop(
                state.reviewed, state.found, beside if needs_sample else 0, advice.stop, advice.because
            )
            last[advice.rule] = stop
            if advice.stop:
                stops[advice.rule] = stop
        waiting = [rule for rule in waiting if rule not in stops]
        if not waiting:
            break
    if not last and waiting:
        raise ValueError("expected a review of at least one batch")
    return {rule: stops.get(rule, last[rule]) for rule in rules}
