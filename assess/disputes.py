"""Documents on which judges differ: how far, which of them are asked for, and in which order they come."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

CANNOT = -1  # where a grade would stand: this judge could not judge
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


class LabelColumns(NamedTuple):
    """One label a place, the labels of a document side by side. All of shape (labels,).

    documents, judges: their keys. relevance: grades, or CANNOT.
    """

    documents: Ints
    judges: Ints
    relevance: Ints

    def on(self, documents: Iterable[int]) -> LabelColumns:
        """Return the labels of these documents alone."""
        return self._where(np.isin(self.documents, _keys(documents)))

    def without(self, documents: Iterable[int]) -> LabelColumns:
        """Return the labels of all documents but these."""
        return self._where(~np.isin(self.documents, _keys(documents)))

    def of(self, judges: Iterable[int]) -> LabelColumns:
        """Return the labels of these judges alone."""
        return self._where(np.isin(self.judges, _keys(judges)))

    def ordered_as(self, documents: Sequence[int]) -> LabelColumns:
        """Return the same labels in an order of documents; each is among these, and its labels side by side.

        >>> label_columns([(7, 1, 0), (8, 1, 2)]).ordered_as([8, 7]).documents.tolist()
        [8, 7]
        """
        keys = _keys(documents)
        by_key = np.argsort(keys)
        place = by_key[np.searchsorted(keys[by_key], self.documents)]
        return self._where(np.argsort(place, kind="stable"))

    def _where(self, chosen: Bools | Ints) -> LabelColumns:
        return LabelColumns(*(column[chosen] for column in self))


class Disputes(NamedTuple):
    """Documents with their labels summed up, in the order in which they came. All of shape (documents,).

    lowest, highest: grades, CANNOT where nobody gave one. refusals: how many judges could not judge.
    """

    documents: Ints
    lowest: Ints
    highest: Ints
    refusals: Ints

    @property
    def distance(self) -> Ints:
        """How far the lowest and the highest grade lie apart, in the scale's numbers; 0 without a grade."""
        return self.highest - self.lowest

    def crosses(self, threshold: int) -> Bools:
        """Whether one judge's grade counts as relevant and another's does not."""
        found: Bools = (self.lowest != CANNOT) & (self.lowest < threshold) & (self.highest >= threshold)
        return found


class Show(NamedTuple):
    """Which documents are cases for an adjudicator. holds: given the disputes and the threshold."""

    title: str
    holds: Callable[[Disputes, int], Bools]


SHOWS = {
    "differ": Show("any difference", lambda disputes, threshold: disputes.distance > 0),
    "cross": Show("crosses the threshold", lambda disputes, threshold: disputes.crosses(threshold)),
    "cannot": Show("somebody could not judge", lambda disputes, threshold: disputes.refusals > 0),
}
ORDERS = {"distance": "widest gap first", "crossing": "what crosses the threshold first"}


class Wanted(NamedTuple):
    """What is asked for. show: of SHOWS. order: of ORDERS. grades: all of them were given to the document.

    pair: two judges; then their labels alone decide whether they differ, and how far.
    """

    show: str = "differ"
    order: str = "distance"
    grades: frozenset[int] = frozenset()
    pair: tuple[int, int] | None = None


def _keys(keys: Iterable[int]) -> Ints:
    return np.fromiter(keys, dtype=np.int64)


def label_columns(rows: Iterable[tuple[int, int, int | None]]) -> LabelColumns:
    """Return (document, judge, grade or None) as columns. Raises ValueError where a document comes again."""
    flat = (
        key
        for document, judge, grade in rows
        for key in (document, judge, CANNOT if grade is None else grade)
    )
    columns = LabelColumns(*np.fromiter(flat, dtype=np.int64).reshape(-1, 3).T)
    firsts = columns.documents[_starts(columns)]
    if len(np.unique(firsts)) < len(firsts):
        raise ValueError("expected the labels of a document side by side, found one that comes again")
    return columns


def _starts(labels: LabelColumns) -> Ints:
    """Return where the labels of each document begin."""
    if not len(labels.documents):
        return np.array([], dtype=np.int64)
    return np.flatnonzero(np.append(True, np.diff(labels.documents)))


def disputes_of(labels: LabelColumns) -> Disputes:
    """Sum up the labels document by document.

    >>> disputes_of(label_columns([(7, 1, 0), (7, 2, 3), (8, 1, None)])).distance.tolist()
    [3, 0]
    """
    starts = _starts(labels)
    if not len(starts):
        return Disputes(*[np.array([], dtype=np.int64)] * 4)
    refused = labels.relevance == CANNOT
    unknown = np.iinfo(np.int64).max
    lowest = np.minimum.reduceat(np.where(refused, unknown, labels.relevance), starts)
    return Disputes(
        labels.documents[starts],
        np.where(lowest == unknown, CANNOT, lowest),
        np.maximum.reduceat(labels.relevance, starts),
        np.add.reduceat(refused.astype(np.int64), starts),
    )


def queue_of(labels: LabelColumns, wanted: Wanted, threshold: int) -> Ints:
    """Return the keys of the documents that are asked for, in their order; ties as the documents came.

    threshold: the lowest grade that counts as relevant.
    """
    if wanted.pair:
        labels = labels.of(wanted.pair)
    disputes = disputes_of(labels)
    chosen = SHOWS[wanted.show].holds(disputes, threshold)
    for grade in wanted.grades:
        chosen &= np.isin(disputes.documents, labels.documents[labels.relevance == grade])
    farther, crossing = -disputes.distance, ~disputes.crosses(threshold)
    keys = (crossing, farther) if wanted.order == "distance" else (farther, crossing)
    order = np.lexsort(keys)  # stable; the last key decides first
    return disputes.documents[order][chosen[order]]


def letters(judges: Iterable[str], document: int) -> dict[str, str]:
    """Return judge -> the letter under which one document's adjudicator sees them.

    The order is drawn by the document's key: the same whenever it is opened, and no judge has the same
    letter throughout.

    >>> sorted(letters(["ann", "bo"], document=1).values())
    ['A', 'B']
    """
    drawn = sorted(judges, key=lambda judge: hashlib.sha256(f"{document} {judge}".encode()).digest())
    return {judge: letter(place) for place, judge in enumerate(drawn)}


def letter(place: int) -> str:
    """Return A to Z, then A2 to Z2 and so on.

    >>> letter(0), letter(25), letter(26)
    ('A', 'Z', 'A2')
    """
    again, of_alphabet = divmod(place, 26)
    return chr(ord("A") + of_alphabet) + (str(again + 1) if again else "")
