"""Fisher's exact test of two shares, without a table of every case that scipy takes milliseconds for."""

from __future__ import annotations

import numpy as np

AS_LIKELY = 1 + 1e-7  # what rounding leaves of two cases that are equally likely; as in R's fisher.test

Share = tuple[int, int]  # how many, of how many


def fisher_exact(first: Share, second: Share) -> float:
    """Return the two-sided p of Fisher's exact test: the chance of a difference as unlikely as this one.

    Given all that were counted in both, every choice of who they are is as likely as any other. Raises
    ValueError for more than there are. Fisher, R. A. Statistical Methods for Research Workers, 1934.

    >>> round(fisher_exact((3, 4), (1, 4)), 6)
    0.485714
    """
    (yes, labels), (other_yes, other_labels) = first, second
    if not (0 <= yes <= labels and 0 <= other_yes <= other_labels):
        raise ValueError(f"expected shares of 0 to all, found {first} and {second}")
    both = yes + other_yes
    lowest = max(0, both - other_labels)
    cases = np.arange(lowest, min(labels, both) + 1)
    # log n!, so that the chances of 2,000 labels do not vanish
    factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, labels + other_labels + 1)))])
    ways = -(factorial[cases] + factorial[labels - cases])
    ways -= factorial[both - cases] + factorial[other_labels - (both - cases)]
    chances = np.exp(ways - ways.max())
    observed = chances[yes - lowest]
    return float(min(1.0, chances[chances <= observed * AS_LIKELY].sum() / chances.sum()))
