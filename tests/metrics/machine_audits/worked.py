"""The worked example of a stratified audit: 1,000 documents, 200 labels, strata of machine grades 0 to 3."""

from __future__ import annotations

import numpy as np

from metrics.machine_audits.intervals import Estimate
from metrics.machine_audits.sample import SampleStratum

DOCUMENTS, SAMPLED, RELEVANT = (528, 278, 138, 56), (106, 56, 28, 10), (11, 18, 17, 7)
STRATA = [
    SampleStratum(str(grade), *sizes) for grade, sizes in enumerate(zip(DOCUMENTS, SAMPLED, strict=True))
]
GRADE = np.repeat(np.arange(4), SAMPLED)  # of the machine, which is the stratum
HUMAN = np.concatenate(
    [np.arange(n) < relevant for n, relevant in zip(SAMPLED, RELEVANT, strict=True)]
).astype(np.int64)


def digits(*values: float | None, places: int = 4) -> list[float | None]:
    """Return the values rounded."""
    return [None if value is None else round(value, places) for value in values]


def covers(found: Estimate, truth: float | None) -> bool:
    """Tell whether the estimate has an interval that contains the truth."""
    if found.low is None or found.high is None or truth is None:
        return False
    return found.low <= truth <= found.high
