"""The parameters of measures, apart from the cut-off: default, allowed values and meaning."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf

from pooling.formats.qrels import LARGEST_GRADE

Value = int | float | str | bool | None


@dataclass(frozen=True)
class Parameter:
    """A parameter of a kind of measure.

    default: its type is the type of every value; None stands for a whole number that is not set. meaning: one
    line. low, high: the smallest and the largest number. choices: the allowed words, if they are limited.
    """

    default: Value
    meaning: str
    low: float = -inf
    high: float = inf
    choices: tuple[str, ...] = ()

    def with_default(self, default: Value) -> Parameter:
        """Return a copy of the parameter with another default."""
        return replace(self, default=default)


BELOW_ONE = 0.999999  # the largest persistence: a series in p has a sum only below 1
REL = Parameter(None, "the lowest relevant grade; without it, the general threshold", 0)
MIN_REL = Parameter(0, "the grade that counts as gain 0", 0, LARGEST_GRADE)
MAX_REL = Parameter(None, "the grade of full gain; without it, the highest of the qrels", 1, LARGEST_GRADE)
COLLECTION = Parameter(None, "documents in the collection; without it, the size given for all", 1, 1e15)
GAINS = Parameter("", "gains of grades other than the grade itself, such as '1=3,2=9'")
PERSISTENCE = Parameter(0.8, "the probability of going on to the next rank", 0, BELOW_ONE)
WANTED = Parameter(1.0, "T, the gain that the reader wants", 0.000001, 1e6)
BETA = Parameter(1.0, "the weight of recall against precision", 0, 1e6)
JUDGED_ONLY = Parameter(False, "whether documents without a grade are left out of the ranking")
