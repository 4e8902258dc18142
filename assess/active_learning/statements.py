"""What a release states of a reviewed topic, as a sentence."""

from __future__ import annotations

from typing import NamedTuple

from assess.active_learning.recall import SampleEstimate
from assess.active_learning.scal import StrataSummary
from pooling.words import counted


class ReviewFacts(NamedTuple):
    """A review at the moment of a release.

    documents: of the collection. judged: with a label. rule, promise: what was relied upon, empty for none.
    sample_judged: of the sample_size documents of the random sample. sample_relevant: of the judged ones.
    sample_found: of these, reached by the review. recall: from these. strata: of S-CAL. relevant_known:
    documents that are labelled relevant. relevant: how many there are in all. waiting: documents that were
    given to judges and have no label.
    """

    topic: str
    documents: int
    batches: int
    judged: int
    is_stopped: bool
    rule: str
    promise: str
    sample_judged: int
    sample_size: int
    recall: SampleEstimate
    sample_relevant: int = 0
    sample_found: int = 0
    strata: StrataSummary | None = None
    relevant_known: int = 0
    relevant: SampleEstimate = SampleEstimate(None, None, None)
    waiting: int = 0

    @property
    def is_all_labelled(self) -> bool:
        """Whether every document of the collection has a label: recall is known, not estimated."""
        return self.judged == self.documents


def recall_of(facts: ReviewFacts) -> SampleEstimate:
    """Return the recall that is stated: of S-CAL by its strata, else by the random sample."""
    return facts.strata.recall if facts.strata else facts.recall


def review_sentence(facts: ReviewFacts) -> str:
    """Return how the documents of a topic were chosen, what was promised, and the estimate of recall.

    >>> none = SampleEstimate(None, None, None, "no relevant document in the sample")
    >>> review_sentence(ReviewFacts("7", 900, 3, 33, False, "", "", 0, 0, none)).split(". ")[1]
    'The review was going on: nothing is promised'
    """
    batches = counted(facts.batches, "batch", "batches")
    unlabelled = f", {facts.waiting:,} given to judges without a label" if facts.waiting else ""
    method = "scalable continuous active learning" if facts.strata else "continuous active learning"
    text = (
        f"Topic {facts.topic}: {method} over {counted(facts.documents, 'document')}:"
        f" {batches}, {facts.judged:,} judged{unlabelled}. "
    )
    if not facts.is_stopped:
        text += "The review was going on: nothing is promised. "
    elif facts.rule:
        text += f"Stopped by the rule {facts.rule} (promise: {facts.promise}). "
    else:
        text += "Stopped without a rule: nothing is promised. "
    return text + (_strata_sentence(facts.strata) if facts.strata else _recall_sentence(facts))


def _strata_sentence(summary: StrataSummary) -> str:
    """Return what the strata of S-CAL say of the labels in the release."""
    relevant, recall = summary.strata.relevant, summary.recall
    if relevant.value is None or relevant.low is None or relevant.high is None:
        return f"Recall is not known: {relevant.reason}."
    text = (
        f"{summary.found:,} documents are labelled relevant; {relevant.value:,.0f} are estimated in the"
        f" batches (90 % interval {relevant.low:,.0f} to {relevant.high:,.0f}, from a random sample of each)"
    )
    if recall.value is None:
        return f"{text}. Recall is not known: {recall.reason}."
    text += f". Recall of the labels {recall.value:.3f}"
    return f"{text}, 90 % interval {recall.low:.3f} to {recall.high:.3f}."


def _recall_sentence(facts: ReviewFacts) -> str:
    value, low, high, reason = facts.recall
    if facts.is_all_labelled and value is not None:
        documents = counted(facts.documents, "document")
        return f"Recall of what the model found: {value:.3f}, of {documents}, and each has a label."
    if not facts.sample_size:
        return "Recall is not known: there is no random sample."
    sample = counted(facts.sample_size, "random document")
    if facts.sample_judged < facts.sample_size:
        sample = f"{facts.sample_judged:,} judged of {sample}"
    if value is None:
        return f"Recall is not known: {reason} ({sample})."
    relevant, found = facts.sample_relevant, facts.sample_found
    text = (
        f"Recall of what the model found: {value:.3f}, 95 % interval {low:.3f} to {high:.3f}, estimated from"
        f" {sample}, of which {relevant:,} {'is' if relevant == 1 else 'are'} relevant and"
        f" {found:,} {'was' if found == 1 else 'were'} found."
    )
    if others := relevant - found:
        text += f" The release has the {'other one' if others == 1 else f'other {others:,}'} as well."
    return text + _in_all(facts)


def _in_all(facts: ReviewFacts) -> str:
    """Return how many of all relevant documents have a label; empty where their number is not known."""
    value, low, high, _ = facts.relevant
    if value is None:
        return ""
    return (
        f" {facts.relevant_known:,} documents are labelled relevant, of {value:,.0f} estimated"
        f" (95 % interval {low:,.0f} to {high:,.0f})."
    )
