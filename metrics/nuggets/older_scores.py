"""Nugget scores of earlier tracks: question answering, nugget pyramids, and coverage of questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import NamedTuple

from metrics.nuggets.scores import NO_VITAL
from metrics.nuggets.values import NuggetMeasure, NuggetScore, f_measure, ratio
from pooling.refusals import Refused

VOORHEES_2003 = "E. Voorhees. Overview of the TREC 2003 Question Answering Track. TREC 2003"
LIN_2006 = "J. Lin and D. Demner-Fushman. Will Pyramids Built of Nuggets Topple Over? HLT-NAACL 2006"
FARZI_2024 = "N. Farzi and L. Dietz. Pencils Down! Automatic Rubric-based Evaluation. ICTIR 2024"
ALLOWED = 100  # non-blank characters for each nugget that is returned
BETA = 3  # of TREC QA; 5 in 2003
THRESHOLD = 4  # the least grade, of 0 to 5, with which a passage answers a question

NO_VOTES = "nobody called a nugget vital"
NO_QUESTIONS = "there are no questions"


class ReturnedNuggets(NamedTuple):
    """What an answer returned. vital_returned, okay_returned: nuggets. vital: in the topic. length: of the
    answer, in non-blank characters."""

    vital_returned: int
    okay_returned: int
    vital: int
    length: int


class VotedNugget(NamedTuple):
    """A nugget of a nugget pyramid. votes: judges who call it vital. is_returned: by the answer."""

    votes: int
    is_returned: bool


def non_blank_characters(text: str) -> int:
    """Return the length of an answer.

    >>> non_blank_characters("Boats  float.")
    11
    """
    return sum(map(len, text.split()))


def trec_qa_recall(answer: ReturnedNuggets) -> NuggetScore:
    """Return the share of the vital nuggets that an answer returns; undefined without a vital nugget."""
    if min(answer) < 0 or answer.vital_returned > answer.vital:
        raise Refused(f"expected counts of 0 or more, at most {answer.vital} of them vital, found {answer}")
    return ratio(answer.vital_returned, answer.vital, NO_VITAL)


def trec_qa_precision(answer: ReturnedNuggets) -> NuggetScore:
    """Return 1 up to an allowance of 100 characters a nugget, then 1 - (length - allowance) / length."""
    allowance = ALLOWED * (answer.vital_returned + answer.okay_returned)
    if answer.length <= allowance or not answer.length:
        return NuggetScore(1.0)
    return NuggetScore(1 - (answer.length - allowance) / answer.length)


def trec_qa(answer: ReturnedNuggets, beta: float = BETA) -> NuggetScore:
    """Return the F measure of TREC question answering; recall counts beta times as much as precision.

    >>> round(trec_qa(ReturnedNuggets(vital_returned=2, okay_returned=1, vital=4, length=500)).value, 4)
    0.5085
    """
    return f_measure(trec_qa_precision(answer), trec_qa_recall(answer), beta)


def nugget_pyramid(nuggets: Sequence[VotedNugget]) -> NuggetScore:
    """Return the weights of the returned nuggets over all weights: votes over the largest number of votes.

    Undefined where nobody called a nugget vital.

    >>> nugget_pyramid([VotedNugget(5, True), VotedNugget(3, False), VotedNugget(2, False)]).value
    0.5
    """
    if any(nugget.votes < 0 for nugget in nuggets):
        raise Refused("expected numbers of votes of 0 or more")
    most = max((nugget.votes for nugget in nuggets), default=0)
    weights = [nugget.votes / most if most else 0.0 for nugget in nuggets]
    returned = sum(w for w, nugget in zip(weights, nuggets, strict=True) if nugget.is_returned)
    return ratio(returned, sum(weights), NO_VOTES)


def question_coverage(grades: Mapping[str, Sequence[int]], threshold: int = THRESHOLD) -> NuggetScore:
    """Return the share of questions that some passage answers: with at least this grade.

    grades: question -> grades of the run's passages, from 0 to 5. Undefined without a question.

    >>> question_coverage({"Why?": [0, 4], "When?": [3], "Who?": []}).value
    0.3333333333333333
    """
    covered = sum(max(own, default=-1) >= threshold for own in grades.values())
    return ratio(covered, len(grades), NO_QUESTIONS)


def passage_grades(grades: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Return the grade of each passage in qrels: that of the question that it answers best.

    grades: question -> docno -> grade.

    >>> passage_grades({"Why?": {"D1": 2, "D2": 0}, "When?": {"D1": 4}})
    {'D1': 4, 'D2': 0}
    """
    best: dict[str, int] = {}
    for own in grades.values():
        for docno, grade in own.items():
            best[docno] = max(grade, best.get(docno, grade))
    return best


MEASURES = (
    NuggetMeasure(
        "qa_f3",
        "returned",
        trec_qa,
        "vital nuggets that are returned, at a length that the returned nuggets allow",
        "10 P R / (9 P + R); R = vital returned / vital; P = 1 - (length - allowance) / length, at most 1",
        "without a vital nugget",
        VOORHEES_2003,
    ),
    NuggetMeasure(
        "qa_f5",
        "returned",
        partial(trec_qa, beta=5),
        "the same with recall counted five times",
        "26 P R / (25 P + R)",
        "without a vital nugget",
        VOORHEES_2003,
    ),
    NuggetMeasure(
        "nugget_pyramid",
        "votes",
        nugget_pyramid,
        "the weight of the returned nuggets, by the judges who call them vital",
        "Σ_returned w / Σ w; w = votes / largest number of votes",
        "where nobody called a nugget vital",
        LIN_2006,
    ),
    NuggetMeasure(
        "question_coverage",
        "grades",
        question_coverage,
        "the share of questions that a passage answers",
        "questions with a passage graded 4 or more / questions",
        "without a question",
        FARZI_2024,
    ),
)
