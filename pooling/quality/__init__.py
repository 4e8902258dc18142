"""What a pool costs and what it covers, before and after it is judged."""

from .contribution import (
    Contribution,
    Contributions,
    Overlap,
    Pair,
    by_owner,
    contributions,
    groups_of,
    kinds_of,
    leave_one_out,
    overlap,
    shared_by,
    tallied,
    unique_to,
)
from .coverage import Judged, complete_depths, holes, mean_unjudged, unjudged_at
from .saturation import Level, levels
from .size import Size, size_of, sizes_by_depth
from .verdict import Counts, Evidence, Finding, Use, Verdict, verdict

__all__ = [
    "Contribution", "Contributions", "Counts", "Evidence", "Finding", "Judged", "Level", "Overlap", "Pair",
    "Size", "Use", "Verdict", "by_owner", "complete_depths", "contributions", "groups_of",
    "holes", "kinds_of", "leave_one_out", "levels", "mean_unjudged", "overlap", "shared_by",
    "size_of", "sizes_by_depth", "tallied", "unique_to", "unjudged_at", "verdict",
]  # fmt: skip
