"""A topic's first documents as a word, one letter each: trec_eval's `relstring`."""

from __future__ import annotations

import numpy as np

from metrics.hits import Hits


def relstrings(hits: Hits, length: int = 10, missing: bool = False) -> list[str]:
    """Return for each topic the grades of its first `length` documents.

    0 to 9 are grades, `>` is a grade above 9, `.` is pooled and not judged, `-` was not pooled. missing: also
    of the one unjudged document that profile trec_eval-10 puts in the place of a topic that the run lacks.
    """
    counts = np.minimum(hits.retrieved, length)
    if not missing:
        counts = np.where(hits.in_run, counts, 0)
    letters = [["-"] * count for count in counts.tolist()]
    top = hits.rank <= length
    for topic, rank, grade in zip(
        hits.topic[top].tolist(), hits.rank[top].tolist(), hits.grade[top].tolist(), strict=True
    ):
        letters[topic][rank - 1] = "." if grade < 0 else str(grade) if grade < 10 else ">"
    return ["".join(word) for word in letters]
