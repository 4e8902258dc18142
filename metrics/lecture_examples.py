"""The rankings with which the lectures work out their measures, as `metrics.worked_example` reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode


class LectureExample(NamedTuple):
    """A ranking of a lecture. measure: its name. ranking, missed: grades, as of `read_example`."""

    measure: str
    ranking: str
    missed: str = ""

    @property
    def query(self) -> str:
        """The query of the page of the measure with this example."""
        return urlencode(self._asdict())


TWO_OF_FIVE = "1 0 0 1 0"
TEN_RELEVANT = "1 0 1 0 0 1 0 0 0 1 0 0 0 0 1", "1 1 1 1 1"
TWENTY_RELEVANT = TWO_OF_FIVE, " ".join("1" * 18)
GRADED = "3 2 3 0 1 2"

LECTURE_EXAMPLES: Mapping[str, LectureExample] = {
    "SetP": LectureExample("SetP", "1 1 1 0 0 0", "1 1"),
    "SetR": LectureExample("SetR", "1 1 1 0 0 0", "1 1"),
    "P": LectureExample("P@5", *TWENTY_RELEVANT),
    "R": LectureExample("R@5", *TWENTY_RELEVANT),
    "FBeta": LectureExample("FBeta", *TWENTY_RELEVANT),
    "Fallout": LectureExample("Fallout", TWO_OF_FIVE),
    "Specificity": LectureExample("Specificity", TWO_OF_FIVE),
    "Dice": LectureExample("Dice", *TWENTY_RELEVANT),
    "IPrec": LectureExample("IPrec@0.2", *TEN_RELEVANT),
    "AP": LectureExample("AP", *TEN_RELEVANT),
    "Rprec": LectureExample("Rprec", TWO_OF_FIVE, "1 1 1"),
    "RR": LectureExample("RR", "0 0 1 0"),
    "bpref": LectureExample("bpref", TWO_OF_FIVE, "1"),
    "BprefR": LectureExample("BprefR", TWO_OF_FIVE, "1"),
    "CG": LectureExample("CG", GRADED),
    "DCG": LectureExample("DCG", GRADED),
    "nDCG": LectureExample("nDCG", GRADED),
}
"""Kind of measure -> the ranking of a lecture."""

LECTURE_MEASURES = (
    "SetP SetR P@10 R@10 FBeta FBeta(beta=2) Fallout Specificity Dice IPrec@0.2 AP Rprec RR bpref BprefR"
    " CG@10 DCG@10 nDCG@10 DCG(dcg='jk-log2')@10 nDCG(dcg='jk-log2')@10 DCG(dcg='exp-log2')@10"
)
"""The measures of the lectures, with cut-offs that fit the rankings of runs."""
