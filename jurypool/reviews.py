"""Continuous active learning in the library: reviews of documents whose labels are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assess.active_learning import effort, features
from assess.active_learning.cal import Review, review
from assess.active_learning.effort import RecallEffort
from assess.active_learning.scal import CAP, ScalReview, Strata, capped, halving, review_samples
from assess.active_learning.simulation import Stop, draw_sample, first_stops
from assess.active_learning.stopping import RULES, TARGET
from pooling.arrays import Flags, IntVector
from pooling.notebook import markup, value_text
from pooling.plotting import Axes, plot_lines
from pooling.refusals import Refused

from .tables import shown

if TYPE_CHECKING:
    import pandas

MOST_NAMED = 3  # unknown docnos in a message


@dataclass(frozen=True)
class DocumentFeatures:
    """Documents as tf-idf vectors, for several reviews of the same documents: see `text_features`.

    Attributes
    ----------
    docnos
        In the order of the rows.
    features
        ``matrix``, a CSR matrix of shape (documents, terms); ``columns``, stem -> column; ``idf``.
    """

    docnos: tuple[str, ...]
    features: features.TextFeatures

    def __repr__(self) -> str:
        documents, terms = self.features.matrix.shape
        return f"<features of {documents} documents: {terms} terms>"

    def _repr_html_(self) -> str:
        rows = [[f"{size:,}" for size in self.features.matrix.shape]]
        return markup(["documents", "terms"], rows, "tf-idf features")


Documents = Mapping[str, str] | DocumentFeatures


def text_features(documents: Mapping[str, str]) -> DocumentFeatures:
    """Return the tf-idf vectors of documents.

    A term is the Porter stem of a run of two or more letters. Terms of fewer than 2 documents are dropped.
    The weight is (1 + ln tf) ln(N / df), and vectors have length 1.

    Parameters
    ----------
    documents
        docno -> text.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.text_features({"a": "wing flow", "b": "wings", "c": "flowing heat"})
    <features of 3 documents: 2 terms>
    """
    if not isinstance(documents, Mapping):
        raise Refused(f"expected a mapping docno -> text, found {shown(documents)}")
    for docno, text in documents.items():
        if not isinstance(docno, str) or not isinstance(text, str):
            raise Refused(f"document {docno!r}: expected a docno and a text, found {shown(text)}")
    return DocumentFeatures(tuple(documents), features.text_features(documents.values()))


class CalReview(Sequence[str]):
    """The docnos of a simulated review, in the order in which it shows them.

    Attributes
    ----------
    relevant
        Whether each of them is relevant.
    batch_ends
        How many documents were reviewed at the end of each batch. Seed documents are a batch before the
        first.
    effort
        Measures of the effort (`RecallEffort`): ``effort.recall_at(1)``, ``effort.effort_for(0.8)``,
        ``effort.wss(0.95)``, ``effort.gain_curve``.
    """

    def __init__(self, review: Review, docnos: Sequence[str], labels: Flags) -> None:
        self._review, self._labels = review, labels
        self._docnos = tuple(docnos[row] for row in review.documents.tolist())
        self.relevant: tuple[bool, ...] = tuple(review.relevant.tolist())
        self.batch_ends: tuple[int, ...] = tuple(review.ends.tolist())
        self.effort: RecallEffort = effort.recall_effort(
            review.relevant, int(np.count_nonzero(labels)), len(docnos)
        )

    def __getitem__(self, place: Any) -> Any:
        return self._docnos[place]

    def __len__(self) -> int:
        return len(self._docnos)

    def stops(
        self,
        rules: Iterable[str] | None = None,
        *,
        target: float = TARGET,
        sample: int = 0,
        seed: int = 0,
    ) -> dict[str, Stop]:
        """Return rule -> where it would have stopped: ``reviewed``, ``found``, ``effort``, ``because``.

        rules: keys of `stopping_rules`; all by default, those of a sample only with one. target: the recall
        to reach. sample: the size of a random sample of all documents, judged beside the review. seed: of its
        draw.
        """
        if sample < 0:
            raise Refused(f"expected a sample of 0 documents or more, found {sample}")
        known = draw_sample(self._labels, sample, seed) if sample else None
        if rules is None:
            rules = [key for key, rule in RULES.items() if known or rule.needs != "sample"]
        if not len(self):
            raise Refused("expected a review of at least one document, found none")
        return first_stops(self._review, len(self._labels), known, target, rules)

    def plot(self, ax: Axes = None) -> Axes:
        """Draw recall against the share of the collection reviewed. Returns the axes. Needs matplotlib."""
        reviewed, found = zip(*self.effort.gain_curve, strict=True)
        line = (
            [documents / self.effort.collection for documents in reviewed],
            [documents / max(self.effort.relevant, 1) for documents in found],
        )
        return plot_lines({"review": line}, "share of the collection reviewed", "recall", ax=ax)

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each document: docno, relevant, batch, score. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        sizes = np.diff(self._review.ends, prepend=0)
        return pd.DataFrame(
            {
                "docno": self._docnos,
                "relevant": self.relevant,
                "batch": np.repeat(np.arange(1, len(sizes) + 1), sizes),
                "score": self._review.scores,
            }
        )

    def _repr_html_(self) -> str:
        starts = (0, *self.batch_ends)
        rows = [
            [str(number), str(end), str(sum(self.relevant[start:end])), str(sum(self.relevant[:end]))]
            for number, (start, end) in enumerate(zip(starts, self.batch_ends, strict=False), start=1)
        ]
        return markup(["batch", "reviewed", "relevant", "relevant so far"], rows, repr(self).strip("<>"))

    def __repr__(self) -> str:
        found = sum(self.relevant)
        return (
            f"<review of {len(self)} of {self.effort.collection} documents in {len(self.batch_ends)} "
            f"batches: {found} of {self.effort.relevant} relevant found>"
        )


def simulate_cal(
    documents: Documents,
    relevant: Iterable[str],
    topic: str = "",
    *,
    seeds: Iterable[str] = (),
    seed: int = 0,
    limit: int | None = None,
    intercept: bool = False,
) -> CalReview:
    """Return the order in which continuous active learning reviews documents whose labels are known.

    Before each batch, a logistic regression is trained with all labels, the topic's text as a relevant
    document, and 100 random documents that count as non-relevant for this batch. The best documents are the
    next batch. Batches have 1, 2, ... 10, 11, 13, 15 ... documents: B + ceil(B / 10) follows on B. Source:
    AutoTAR, Cormack & Grossman, arXiv 1504.06868, 2015.

    Parameters
    ----------
    documents
        docno -> text, or what `text_features` made of it, if several topics are simulated.
    relevant
        The docnos of the relevant documents. All others are not relevant.
    topic
        The topic's text; "" for a review that starts from seed documents only.
    seeds
        Docnos of documents that are judged first.
    seed
        Of the random draws: the same seed gives the same order.
    limit
        The number of documents after which to end; all are reviewed by default.
    intercept
        Whether the model has an intercept. By default it has none, as in the published figures for Cranfield;
        with one, far fewer documents have to be judged there.

    Examples
    --------
    >>> import jurypool as jp
    >>> documents = {"a": "cold soup", "b": "soup with flow", "c": "wing in a flow", "d": "wings and heat"}
    >>> review = jp.simulate_cal(documents, ["c", "d"], "heat of wings")
    >>> review
    <review of 4 of 4 documents in 3 batches: 2 of 2 relevant found>
    >>> sorted(review[:2]), review.effort.recall_at(1), review.effort.wss(0.95)
    (['c', 'd'], 1.0, 0.45)
    """
    known, labels, rows, vector = _checked(documents, relevant, topic, seeds)
    if limit is not None and limit < 0:
        raise Refused(f"expected a limit of 0 documents or more, found {limit}")
    review_result = review(known.features.matrix, labels, vector, rows, seed, limit, intercept)
    return CalReview(review_result, known.docnos, labels)


class ScalSimulation(Sequence[str]):
    """The docnos of the documents that S-CAL judges, in order.

    Attributes
    ----------
    relevant
        Whether each of them is relevant.
    strata
        The batches (``strata.strata``), each with ``size``, ``judged``, ``relevant``, ``estimate`` and
        ``variance``; over all of them ``total``, ``published_total``, ``standard_error``, ``recalls`` and
        ``threshold(recall)``.
    """

    def __init__(self, review: ScalReview, docnos: Sequence[str]) -> None:
        self._docnos = tuple(docnos[row] for row in review.documents.tolist())
        self.relevant: tuple[bool, ...] = tuple(review.relevant.tolist())
        self.strata: Strata = review.strata
        self._collection = len(docnos)

    def __getitem__(self, place: Any) -> Any:
        return self._docnos[place]

    def __len__(self) -> int:
        return len(self._docnos)

    def _repr_html_(self) -> str:
        rows = [
            [str(number), *(value_text(value) for value in each)]
            for number, each in enumerate(
                ((s.size, s.judged, s.relevant, s.estimate) for s in self.strata.strata), start=1
            )
        ]
        return markup(["batch", "size", "judged", "relevant", "estimate"], rows, repr(self).strip("<>"))

    def __repr__(self) -> str:
        return (
            f"<S-CAL: {len(self)} of {self._collection} documents judged, {sum(self.relevant)} relevant; "
            f"estimate of all relevant: {self.strata.total:.1f}>"
        )


def simulate_scal(
    documents: Documents,
    relevant: Iterable[str],
    topic: str = "",
    *,
    seeds: Iterable[str] = (),
    seed: int = 0,
    cap: int | None = None,
    first_estimate: int | None = None,
    intercept: bool = False,
) -> ScalSimulation:
    """Return which documents S-CAL judges, and what it estimates of all, on documents with known labels.

    As `simulate_cal`, but of each batch a random sample is judged and stands for the batch; the rest of it is
    set aside. The batches are strata: a stratum of B documents with r relevant of n judged ones counts
    r B / n. Source: Cormack & Grossman, CIKM 2016.

    Parameters
    ----------
    documents, relevant, topic, seeds, seed
        As for `simulate_cal`.
    cap
        At most so many documents of a batch are judged, 30 by default.
    first_estimate
        Instead of a cap: ceil(B N / T) of a batch are judged. N is this number; T starts at N and doubles
        when the estimated number of relevant documents reaches it.
    intercept
        As for `simulate_cal`.

    Examples
    --------
    >>> import jurypool as jp
    >>> documents = {f"D{place}": "wing flow" if place < 9 else "cold soup" for place in range(100)}
    >>> relevant = [f"D{place}" for place in range(9)]
    >>> jp.simulate_scal(documents, relevant, "wing", cap=5)
    <S-CAL: 60 of 100 documents judged, 9 relevant; estimate of all relevant: 9.0>
    """
    known, labels, rows, vector = _checked(documents, relevant, topic, seeds)
    if cap is not None and first_estimate is not None:
        raise Refused("expected a cap or a first estimate, found both")
    size = halving(first_estimate) if first_estimate is not None else capped(CAP if cap is None else cap)
    return ScalSimulation(
        review_samples(known.features.matrix, labels, vector, rows, size, seed, intercept), known.docnos
    )


def _checked(
    documents: Documents, relevant: Iterable[str], topic: str, seeds: Iterable[str]
) -> tuple[DocumentFeatures, Flags, IntVector, Any | None]:
    """Return the features, the labels, the rows of the seed documents and the vector of the topic."""
    known = documents if isinstance(documents, DocumentFeatures) else text_features(documents)
    row_of = {docno: row for row, docno in enumerate(known.docnos)}
    labels = np.zeros(len(known.docnos), dtype=bool)
    labels[_rows(row_of, relevant, "relevant documents")] = True
    rows = _rows(row_of, seeds, "seed documents")
    if len(np.unique(rows)) < len(rows):
        raise Refused("expected each seed document once, found one twice")
    vector = known.features.vector_of(topic)
    if not vector.nnz and not labels[rows].any():
        what = "a topic's text with words that two documents have" if topic else "a topic's text"
        raise Refused(f"expected {what}, or a relevant seed document")
    return known, labels, rows, vector if vector.nnz else None


def _rows(row_of: Mapping[str, int], docnos: Iterable[str], what: str) -> IntVector:
    if isinstance(docnos, str):
        raise Refused(f"expected docnos of {what}, found a text")
    listed = list(docnos)
    unknown = [docno for docno in listed if docno not in row_of]
    if unknown:
        named = ", ".join(map(repr, unknown[:MOST_NAMED]))
        raise Refused(f"expected {what} that are among the documents, found others: {named}")
    return np.array([row_of[docno] for docno in listed], dtype=np.int64)
