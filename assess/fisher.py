"""Fisher's exact test of two shares, faster than scipy's, which takes milliseconds."""

from __future__ import annotations

import numpy as np

AS_LIKELY = 1 + 1e-7  # tolerance for rounding of equally likely cases, as in R's fisher.test

Share = tuple[int, int]  # hits, cases


def fisher_exact(first: Share, second: Share) -> float:
    """Return the two-sided p of Fisher's exact test.

    It is the chance of a difference at least as unlikely as this one, given the totals. Raises ValueError for
    more hits than cases. Fisher, R. A. Statistical Methods for Research Workers, 1934.

    >>> round(fisher_exact((3, 4), (1, 4)), 6)
    0.485714
    """
    (yes, labels), (other_yes, other_labels) = first, second
    if not (0 <= yes <= labels and 0 <= other_yes <= other_labels):
        raise ValueError(f"expected numbers of hits from 0 to the cases, found {first} and {second}")
    both = yes + other_yes
    lowest = max(0, both - other_labels)
    cases = np.arange(lowest, min(labels, both) + 1)
    # log n!, so that the probabilities of 2,000 labels do not underflow
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, labels + other_labels + 1)))])
    ways = -(factorial[cases] + factorial[labels - cases])
    ways -= factorial[both - cases] + factorial[other_labels - (both - cases)]
    chances = np.exp(ways - ways.max())
    observed = chances[yes - lowest]
    return float(min(1.0, chances[chances <= observed * AS_LIKELY].sum() / chances.sum()))
