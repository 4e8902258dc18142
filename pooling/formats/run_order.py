"""The orders in which a run is read: for scoring, for pooling and for preferences."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pooling.arrays import Flags, IntVector, Vector, Words, as_words
from pooling.formats.runs import RunFile
from pooling.refusals import Refused

Compared = npt.NDArray[np.float32] | Vector

ASCENDING = "score descending, docno ascending"
DESCENDING = "score descending, docno descending"
TIE_RULES = (ASCENDING, DESCENDING)
"""How pools order documents of equal score. Ascending reproduces NIST's pools; descending is trec_eval's."""


def scoring_order(run: RunFile, profile: str = "trec_eval-9") -> IntVector:
    """Return the rows as trec_eval ranks them: score descending, ties by docno bytes descending.

    profile: "trec_eval-9" compares scores as float32, "trec_eval-10" as float64. The rank column is ignored.
    """
    return _all_rows(run, _order(run, _compared(run.scores, profile), descending=True))


def pooling_order(run: RunFile, ties: str = ASCENDING) -> IntVector:
    """Return the rows as pools are drawn: score descending, ties by docno bytes; shape (rows,).

    Scores are compared as float64. The default tie rule reproduces NIST's TREC-COVID pools. Raises Refused
    for an unknown tie rule.
    """
    return _all_rows(run, _order(run, run.scores, descending=check_ties(ties) == DESCENDING))


def in_docno_order(docnos: Iterable[str], ties: str) -> list[str]:
    """Return docnos in the order in which the tie rule prefers them."""
    return sorted(docnos, reverse=ties == DESCENDING)


def check_ties(ties: str) -> str:
    """Return the tie rule; raises Refused when it is none of TIE_RULES."""
    if ties not in TIE_RULES:
        raise Refused(f"expected a tie rule ({' or '.join(TIE_RULES)}), found {ties!r}")
    return ties


def scoring_places(run: RunFile, profile: str = "trec_eval-9") -> IntVector | None:
    """Return where each row stands in the scoring order; None when every row stands where it is."""
    return _inverse(_order(run, _compared(run.scores, profile), descending=True))


def preference_places(run: RunFile, profile: str = "trec_eval-9") -> IntVector | None:
    """Return where each row stands when trec_eval ranks for preferences: ties by docno bytes ascending."""
    return _inverse(_order(run, _compared(run.scores, profile), descending=False))


def _all_rows(run: RunFile, order: IntVector | None) -> IntVector:
    return np.arange(len(run.scores)) if order is None else order


def _inverse(order: IntVector | None) -> IntVector | None:
    if order is None:
        return None
    position = np.empty(len(order), dtype=np.int64)
    position[order] = np.arange(len(order))
    return position


def tie_groups(run: RunFile, profile: str = "trec_eval-9") -> IntVector:
    """Return where, in the scoring order, each group of equal scores of a topic begins; shape (groups,).

    A score that no other document of the topic has is a group of one.
    """
    _, scores = _by_score(run, _compared(run.scores, profile))  # whichever way documents of equal score come
    starts: Flags = np.append(True, scores[1:] != scores[:-1])
    starts[run.offsets[:-1]] = True
    return np.flatnonzero(starts)


def count_lost_orders(run: RunFile) -> int:
    """Return how many documents have another score than the document before, but not as 32-bit numbers."""
    _, scores = _by_score(run, run.scores)
    narrow = _compared(scores.astype(np.float64, copy=False), "trec_eval-9")
    lost: Flags = (scores[1:] != scores[:-1]) & (narrow[1:] == narrow[:-1])
    lost[run.offsets[1:-1] - 1] = False
    return int(np.count_nonzero(lost))


def _compared(scores: Vector, profile: str) -> Compared:
    """Return the scores at the precision in which the profile compares them."""
    if profile != "trec_eval-9":
        return scores
    with np.errstate(over="ignore"):  # beyond float32 they are infinite and tie, as in C
        return scores.astype(np.float32)


def _order(run: RunFile, scores: Compared, descending: bool) -> IntVector | None:
    """Order rows by score descending inside each topic, ties by docno; None when they stand so already."""
    order, scores = _by_score(run, scores)
    tied = scores[1:] == scores[:-1]
    tied[run.offsets[1:-1] - 1] = False
    if not tied.any():
        return order
    return _break_ties(_all_rows(run, order), tied, as_words(run.docnos), descending)


def _by_score(run: RunFile, scores: Compared) -> tuple[IntVector | None, Compared]:
    """Return the rows by score descending inside each topic, None when they stand so, and their scores."""
    rise = scores[1:] > scores[:-1]
    rise[run.offsets[1:-1] - 1] = False
    if not rise.any():
        return None, scores
    order = np.lexsort((-scores, run.topic_of_rows()))
    return order, scores[order]


def _break_ties(order: IntVector, tied: Flags, docnos: Words, descending: bool) -> IntVector:
    """Re-sort by docno the stretches of `order` in which each row ties with the one before it."""
    after, before = (
        np.append(tied, False),
        np.append(False, tied),
    )  # ties with the next row, with the last one
    in_pair = tied & ~before[:-1] & ~after[1:]
    _order_pairs(order, np.flatnonzero(in_pair), docnos, descending)
    after[:-1] &= ~in_pair
    before[1:] &= ~in_pair
    places = np.flatnonzero(after | before)
    if len(places):
        group = np.cumsum(~before)[places]
        keys = docnos[order[places]].byteswap()  # big-endian words compare as their bytes do
        keys = ~keys if descending else keys
        order[places] = order[places][np.lexsort((*keys.T[::-1], group))]
    return order


def _order_pairs(order: IntVector, first: IntVector, docnos: Words, descending: bool) -> None:
    """Order two rows at a time by docno: those at `first` and the places behind it. Most ties are of two."""
    upper, lower = docnos[order[first]].byteswap(), docnos[order[first + 1]].byteswap()
    upper, lower = (lower, upper) if descending else (upper, lower)
    greater: Flags = np.zeros(len(first), dtype=bool)
    for word in reversed(range(docnos.shape[1])):
        greater = np.where(upper[:, word] == lower[:, word], greater, upper[:, word] > lower[:, word])
    swapped = first[greater]
    order[swapped], order[swapped + 1] = order[swapped + 1], order[swapped]
