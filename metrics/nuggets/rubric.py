"""Scores of an answer by a rubric: weighted questions with expected answers, as in DRAGUN (TREC 2025).

Support and contradiction are two scores; neither is subtracted from the other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assess.nuggets.assignments import Assignment
from metrics.nuggets.values import NuggetMeasure, NuggetScore, ratio
from pooling.refusals import Refused

DRAGUN = "TREC 2025 DRAGUN track: Detection, Retrieval, and Augmented Generation for Understanding News"
WEIGHTS: Mapping[str, float] = {"A": 4, "B": 2, "C": 1}  # importance of a question -> weight
SUPPORTED = {Assignment.SUPPORT: 1.0, Assignment.PARTIAL: 0.5}
CONTRADICTED = {Assignment.CONTRADICTS: 1.0}

NO_QUESTIONS = "there are no questions"
NO_WEIGHT = "no question has a weight above 0"


class RubricQuestion(NamedTuple):
    """A question of a rubric. values: one for each expected answer, None where nobody has said yet."""

    weight: float
    values: tuple[Assignment | None, ...]


class SubmittedQuestions(NamedTuple):
    """A question of a rubric, and how similar submitted ones are: 1, 0.5 or 0; a compound question 0."""

    weight: float
    similarities: tuple[float, ...] = ()


def supportive(questions: Sequence[RubricQuestion]) -> NuggetScore:
    """Return the sum over questions of weight x support of its expected answers, over the sum of weights.

    Support is 1, partial support 0.5. Undefined without a question or a weight, and where an expected answer
    has no value. Raises Refused for a negative weight and a question without expected answers.

    >>> question = RubricQuestion(4, (Assignment.SUPPORT, Assignment.CONTRADICTS))
    >>> supportive([question]).value, contradictory([question]).value
    (0.5, 0.5)
    """
    return _score(questions, SUPPORTED)


def contradictory(questions: Sequence[RubricQuestion]) -> NuggetScore:
    """Return the same as `supportive` for contradicted answers: lower is better."""
    return _score(questions, CONTRADICTED)


def question_match(questions: Sequence[SubmittedQuestions]) -> NuggetScore:
    """Return how well submitted questions meet those of the rubric: each takes its most similar one.

    The sum of weight x best similarity, over the sum of weights. Undefined without a question or a weight.

    >>> question_match([SubmittedQuestions(4, (0.5, 1)), SubmittedQuestions(4)]).value
    0.5
    """
    _check_weights([question.weight for question in questions])
    gained = sum(question.weight * max(question.similarities, default=0.0) for question in questions)
    return ratio(gained, _total(questions), NO_WEIGHT if questions else NO_QUESTIONS)


def _score(questions: Sequence[RubricQuestion], credit: Mapping[Assignment, float]) -> NuggetScore:
    _check_weights([question.weight for question in questions])
    if not all(question.values for question in questions):
        raise Refused("expected at least one expected answer of every question, found none")
    values = [value for question in questions for value in question.values]
    if missing := values.count(None):
        return NuggetScore(None, f"{missing:,} of {len(values):,} expected answers have no value")
    gained = sum(
        question.weight * sum(credit.get(value, 0.0) for value in question.values if value)
        / len(question.values)
        for question in questions
    )  # fmt: skip
    return ratio(gained, _total(questions), NO_WEIGHT if questions else NO_QUESTIONS)


def _total(questions: Sequence[RubricQuestion | SubmittedQuestions]) -> float:
    return sum(question.weight for question in questions)


def _check_weights(weights: Sequence[float]) -> None:
    if bad := [weight for weight in weights if not weight >= 0]:
        raise Refused(f"expected weights of 0 or more, found {bad[0]}")


UNDEFINED = "without a question with a weight above 0, and where an expected answer has no value"
MEASURES = (
    NuggetMeasure(
        "rubric_support",
        "rubric",
        supportive,
        "how far an answer supports the expected answers",
        "Σ_q w_q (support of its answers / their number) / Σ w_q",
        UNDEFINED,
        DRAGUN,
    ),
    NuggetMeasure(
        "rubric_contradiction",
        "rubric",
        contradictory,
        "how many of the expected answers an answer contradicts",
        "Σ_q w_q (contradicted answers / their number) / Σ w_q",
        UNDEFINED,
        DRAGUN,
        direction="lower",
    ),
    NuggetMeasure(
        "question_match",
        "questions",
        question_match,
        "how well submitted questions meet those of the rubric",
        "Σ_q w_q max(similarity) / Σ w_q",
        "without a question with a weight above 0",
        DRAGUN,
    ),
)
