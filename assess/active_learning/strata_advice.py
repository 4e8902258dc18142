"""The stopping rule of S-CAL: the judged batches hold enough of the relevant documents.

Other rules need the labels of whole batches, so they say nothing about S-CAL.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assess.active_learning.recall import SampleEstimate
from assess.active_learning.scal import STRATA_CONFIDENCE, ScalReview, Strata, Stratum, limits_of_share
from assess.active_learning.simulation import KnownSample, Stop
from assess.active_learning.stopping import SAMPLE, Advice, RandomSample, asked_once

RULE = "strata"  # its key, beside those of `stopping.RULES`
TARGETS = (0.8, 0.95)
METHOD = "the lower limit of the share of relevant documents that lie in the judged batches"
COST = f"{SAMPLE}, of those that are in no batch"


def strata_title(target: float, looks: int = 1) -> tuple[str, str]:
    """Return the title and the promise of the rule. looks: as for `progress.title_of`.

    >>> strata_title(0.8)[1]
    '0.8 of all relevant documents or more lie in the judged batches, 90 % confidence, if it is asked once'
    >>> strata_title(0.8, looks=2)[1].partition(", ")[2]
    '80 % confidence, if it is asked once at each of 2 sizes of the sample'
    """
    held = 100 - looks * round(100 * (1 - STRATA_CONFIDENCE))
    promise = f"{target:g} of all relevant documents or more lie in the judged batches, {held} % confidence"
    return f"Strata {target:g}", f"{promise}, {asked_once(looks)}"


def share_in_batches(strata: Strata, collection: int, sample: RandomSample | None) -> SampleEstimate:
    """Return the share of all relevant documents that lie in the judged batches, with its 90 % interval.

    The documents that are in no batch are one stratum more: of these the random sample is judged, which has
    no part in the choice of batches. sample: reached and found are of the batches. Undefined without a batch,
    where no relevant document is known, and where the sample has none of the documents in no batch.

    >>> batches = Strata((Stratum(100, 20, 16), Stratum(200, 20, 2)))
    >>> share = share_in_batches(batches, 1300, RandomSample(400, 33, 90, 32))
    >>> f"{share.value:.3f}, {share.low:.3f} to {share.high:.3f}"
    '0.969, 0.864 to 0.990'
    """
    if not strata.strata:
        return SampleEstimate(None, None, None, "no batch is judged")
    rest = collection - strata.documents
    if not rest:
        return limits_of_share(strata.strata, ())
    judged = sample.size - sample.reached if sample else 0
    if sample is None or not judged:
        return SampleEstimate(None, None, None, "needs judged random documents that are in no batch")
    return limits_of_share(strata.strata, [Stratum(rest, judged, sample.relevant - sample.found)])


def advise_strata(
    strata: Strata, collection: int, sample: RandomSample | None, target: float, looks: int = 1
) -> Advice:
    """Return whether to stop a review by S-CAL: the lower limit of `share_in_batches` reaches the target."""
    share = share_in_batches(strata, collection, sample)
    promise = strata_title(target, looks)[1]
    if share.value is None or share.low is None or share.high is None:
        return Advice(RULE, False, share.reason, promise, COST)
    because = (
        f"an estimated {share.value:.3f} of the relevant documents lie in the judged batches, 90 % interval"
        f" {share.low:.3f} to {share.high:.3f} (stops once it begins at {target:g} or above)"
    )
    return Advice(RULE, share.low >= target, because, promise, COST)


def strata_stop(scal: ScalReview, collection: int, sample: KnownSample | None, target: float) -> Stop:
    """Return the first batch end at which the rule stops a review whose labels are all known.

    In the result reviewed are the judged documents, and found the relevant ones of the batches, judged or
    not: their share of all is what the rule promises. beside: judged random documents that are in no batch.
    """
    stop = None
    for stop in _stops(scal, collection, sample, target):
        if stop.has_stopped:
            break
    if stop is None:
        raise ValueError("expected a review of at least one batch")
    return stop


def _stops(scal: ScalReview, collection: int, sample: KnownSample | None, target: float) -> Iterator[Stop]:
    place = np.full(collection, collection, dtype=np.int64)
    place[scal.order] = np.arange(len(scal.order))
    relevant_so_far = np.cumsum(scal.relevant_in_order)
    end = judged = 0
    for number, stratum in enumerate(scal.strata.strata, start=1):
        end, judged, known, beside = end + stratum.size, judged + stratum.judged, None, 0
        if sample is not None:
            reached = place[sample.documents] < end
            of_batches = int(np.count_nonzero(reached)), int(np.count_nonzero(reached & sample.relevant))
            relevant = int(np.count_nonzero(sample.relevant))
            known = RandomSample(len(reached), relevant, *of_batches)
            beside = known.size - known.reached
        advice = advise_strata(Strata(scal.strata.strata[:number]), collection, known, target)
        yield Stop(judged, int(relevant_so_far[end - 1]), beside, advice.stop, advice.because)
