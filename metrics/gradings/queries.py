"""The grades of a grading, and their result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db.models import Max

from assess.models import GivenGrades, Grading
from metrics.gradings.result import GradedAnswer, GradingResult, Scale, grading_result
from pooling.queries.caching import cached

MOST_REASONS = 30  # on the page; the file has all


def standing_given(grading: Grading) -> list[GivenGrades]:
    """Return the grades that count, in the order of time. Not those of answers of withdrawn runs."""
    rows = GivenGrades.objects.filter(task__grading=grading, task__answer__run__withdrawn_at=None)
    last = rows.order_by().values("task").annotate(last=Max("pk")).values("last")
    related = ("task__judge", "task__answer__topic", "task__answer__run")
    defer = [f"task__answer__{field}" for field in ("sentences", "references", "metadata")]
    grades = GivenGrades.objects.filter(pk__in=last).exclude(grades=[]).select_related(*related).defer(*defer)
    return list(grades.order_by("pk"))


def graded_of(given: GivenGrades) -> GradedAnswer:
    answer = given.task.answer
    return GradedAnswer(answer.topic.number, answer.run.tag, given.task.judge.username, given.grades)


class FoundGrades(NamedTuple):
    """A result, and the newest grades with a reason. reason_count: of all."""

    result: GradingResult
    reasons: list[GivenGrades]
    reason_count: int


def found_grades(grading: Grading) -> FoundGrades:
    """Return the result of a grading, computed once for each state of its grades."""
    given = standing_given(grading)
    runs = list(grading.runs.filter(withdrawn_at=None).values_list("tag", flat=True))
    version = tuple(each.pk for each in given), tuple(runs)
    scales = [Scale(each.name, each.levels) for each in grading.criteria.all()]
    result = cached(
        grading.campaign,
        f"gradings-{grading.pk}",
        version,
        lambda: grading_result([graded_of(each) for each in given], scales, runs),
    )
    reasons = [each for each in given if each.reason][::-1]
    return FoundGrades(result, reasons[:MOST_REASONS], len(reasons))


COLUMNS = ("topic", "run", "judge", "criterion", "grade", "level", "reason", "pressed_at")


def grade_rows(grading: Grading) -> Iterator[dict[str, Any]]:
    """Yield a row for each criterion of each answer. Judges have numbers, by their first grades."""
    criteria, numbers = list(grading.criteria.all()), dict[str, int]()
    for given in standing_given(grading):
        each = graded_of(given)
        number = numbers.setdefault(each.judge, len(numbers) + 1)
        for criterion, grade in zip(criteria, each.grades, strict=True):
            level, pressed = criterion.levels[grade], given.pressed_at.isoformat(timespec="seconds")
            values = each.topic, each.run, number, criterion.name, grade, level, given.reason, pressed
            yield dict(zip(COLUMNS, values, strict=True))
