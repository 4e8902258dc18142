"""The symbols that the formulas of measures share, and their common undefined cases."""

from __future__ import annotations

from collections.abc import Mapping

SYMBOLS: Mapping[str, str] = {
    "k": "a rank, from 1",
    "n": "how many documents the run retrieved for the topic",
    "R": "how many documents are relevant: their grade reaches the threshold",
    "rel(k)": "1 where the document at rank k is relevant, else 0",
    "g(k)": "the grade of the document at rank k, 0 without one",
    "P(k)": "precision at rank k: Σ rel(i) over the ranks 1 to k, divided by k",
    "tp, fp, fn, tn": "relevant retrieved, other retrieved, relevant missed, all others",
    "N": "how many documents the collection has",
}
NO_RELEVANT = "0 where R is 0."
NO_GAIN = "0 where no document has a positive grade."
