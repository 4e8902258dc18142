"""Scores of an answer by a rubric, from the labels of nuggets.

The expected answers of a question are nuggets of a bank that name the same question. A nugget that names none
is the only expected answer of its own question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assess.nuggets.assignments import Assignment
from assess.nuggets.banks import Importance
from metrics.nuggets.rubric import MEASURES as OF_RUBRICS
from metrics.nuggets.rubric import RubricQuestion
from metrics.nuggets.scores import weight_of
from metrics.nuggets.values import NuggetScore
from pooling.refusals import Refused

MEASURES = tuple(measure for measure in OF_RUBRICS if measure.takes == "rubric")
NOT_WEIGHED = "the nuggets are not graded as vital or okay, or by numbers"
SEVERAL_WEIGHTS = "the expected answers of a question differ in importance"


class BankedNugget(NamedTuple):
    """A nugget of a topic, by its key. question: which it is an expected answer to; "" if it names none."""

    key: int
    text: str
    importance: Importance
    question: str = ""


def rubric_scores(nuggets: Sequence[BankedNugget], own: Mapping[int, Assignment]) -> list[NuggetScore]:
    """Return the score of an answer by each of MEASURES. own: key of a nugget -> what a judge says.

    Undefined where the nuggets have no weights, and where those of one question have several.
    """
    of_question: dict[str, list[BankedNugget]] = {}
    for nugget in nuggets:
        of_question.setdefault(nugget.question or nugget.text, []).append(nugget)
    questions = []
    for expected in of_question.values():
        if len({nugget.importance for nugget in expected}) > 1:
            return [NuggetScore(None, SEVERAL_WEIGHTS)] * len(MEASURES)
        try:
            weight = weight_of(expected[0].importance)
        except Refused:
            return [NuggetScore(None, NOT_WEIGHED)] * len(MEASURES)
        questions.append(RubricQuestion(weight, tuple(own.get(nugget.key) for nugget in expected)))
    return [measure.compute(questions) for measure in MEASURES]
