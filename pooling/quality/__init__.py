"""What a pool costs and what it covers, before and after it is judged."""

from .contribution import Contribution, groups_of, kinds_of
from .coverage import complete_depth
from .saturation import Level
from .size import Size, size_of
from .verdict import Counts, Evidence, Finding, Use, Verdict, verdict

__all__ = [
    "Contribution", "Counts", "Evidence", "Finding", "Level", "Size", "Use", "Verdict", "complete_depth",
    "groups_of", "kinds_of", "size_of", "verdict",
]  # fmt: skip
