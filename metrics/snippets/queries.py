"""The grades of a set of snippets, and its figures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from assess.kappa.coefficient import Coefficient
from assess.kappa.registry import REGISTRY
from assess.models import SnippetGrade, SnippetSet
from assess.snippets.queries.tasks import Step, sets_of, standing_grades
from metrics.snippets.result import GradedResult, SnippetFigures, snippet_figures
from pooling.models import Campaign
from pooling.queries.caching import cached
from pooling.scale import Grade


def graded_results(about: SnippetSet, standing: dict[int, SnippetGrade]) -> list[GradedResult]:
    """Return each result once for each of its judges, in the order of topics and ranks.

    standing: key of a task -> what was given.
    """
    tasks = about.tasks.select_related("result__topic", "judge")
    results: dict[tuple[int, int], GradedResult] = {}
    for task in tasks.order_by("result__topic__place", "judge__username", "result__rank", "place"):
        result, given = task.result, standing.get(task.pk)
        key = result.pk, task.judge_id
        each = results.get(key) or GradedResult(
            result.topic.number, result.docno, result.rank, task.judge.username, None, False, None
        )
        if given and task.step == Step.SNIPPET:
            each = each._replace(snippet=given.grade, answers=given.answers)
        elif given:
            each = each._replace(document=given.grade)
        results[key] = each
    return list(results.values())


class FoundResult(NamedTuple):
    """A set, its results as judges graded them, and its figures."""

    results: list[GradedResult]
    figures: SnippetFigures


def found_result(about: SnippetSet) -> FoundResult:
    """Return the result of a set, computed once for each state of its grades."""
    standing = standing_grades(about.tasks.all())

    def compute() -> FoundResult:
        results = graded_results(about, standing)
        scale = [each.value for each in about.grades]
        return FoundResult(results, snippet_figures(results, scale, about.threshold))

    version = (about.tasks.count(), tuple(sorted(each.pk for each in standing.values())))
    return cached(about.campaign, f"snippets-{about.pk}", version, compute)


class SetLine(NamedTuple):
    """A set on the list. kappa: Cohen's, relevant or not."""

    about: SnippetSet
    figures: SnippetFigures
    kappa: Coefficient


def set_lines(campaign: Campaign) -> list[SetLine]:
    """Return the sets with their figures, newest first."""
    lines = []
    for about in sets_of(campaign):
        about.campaign = campaign
        figures = found_result(about).figures
        lines.append(SetLine(about, figures, dict(figures.coefficients)["cohen-binary"]))
    return lines


class TableRow(NamedTuple):
    """A grade of snippets. cells: (number of documents, whether the same grade) for each grade of them."""

    grade: Grade
    cells: list[tuple[int, bool]]
    total: int


def table_rows(about: SnippetSet, figures: SnippetFigures) -> list[TableRow]:
    """Return the confusion matrix, a row for each grade of snippets."""
    return [
        TableRow(grade, [(count, at == place) for at, count in enumerate(counts)], sum(counts))
        for place, (grade, counts) in enumerate(zip(about.grades, figures.table, strict=True))
    ]


def named_coefficients(figures: SnippetFigures) -> list[tuple[str, Coefficient]]:
    """Return the coefficients with their names."""
    return [(REGISTRY[key].name, coefficient) for key, coefficient in figures.coefficients]


def agreement_rows(figures: SnippetFigures) -> tuple[list[tuple[str, list[Coefficient]]], str]:
    """Return the agreement of judges, (name, of snippets and of documents), and why intervals are missing.

    Empty where no snippet has grades of two judges.
    """
    rows = [
        (REGISTRY[key].name, [snippets, documents]) for key, snippets, documents in figures.judges_of_same
    ]
    if not any(snippets.n for _, (snippets, _) in rows):
        return [], ""
    missing = (
        each.no_interval
        for _, both in rows
        for each in both
        if each.value is not None and each.interval is None
    )
    return rows, next(missing, "")


GRADE_COLUMNS = (
    "topic", "docno", "rank", "judge", "step", "grade", "answers", "reason", "snippet", "text_hash",
    "pressed_at",
)  # fmt: skip


def grade_rows(about: SnippetSet) -> Iterator[dict[str, Any]]:
    """Yield a row for each grade that stands, by time. Judges have numbers, by their first grades."""
    keys = [each.pk for each in standing_grades(about.tasks.all()).values()]
    judges = dict[str, int]()
    related = ("task__judge", "task__result__topic")
    for each in SnippetGrade.objects.filter(pk__in=keys).select_related(*related).order_by("pk"):
        task, result = each.task, each.task.result
        is_snippet = task.step == Step.SNIPPET
        values = (
            result.topic.number, result.docno, result.rank,
            judges.setdefault(task.judge.username, len(judges) + 1), task.step, each.grade,
            int(each.answers) if is_snippet else "", each.reason, result.snippet if is_snippet else "",
            each.text_hash, each.pressed_at.isoformat(timespec="seconds"),
        )  # fmt: skip
        yield dict(zip(GRADE_COLUMNS, values, strict=True))
