"""The labels of a set of citations, and their result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from assess.models import Answer, SupportLabel, SupportSet
from assess.support.labels import SupportWord
from assess.support.queries.tasks import standing_labels
from metrics.nuggets.support import Support
from metrics.support.result import (
    CheckedCitation,
    Citations,
    SupportResult,
    answer_scores,
    measures_of,
    support_result,
)
from pooling.queries.caching import cached


def labels_of(about: SupportSet) -> list[SupportLabel]:
    """Return the labels that count, in the order of time. Not those in answers of withdrawn runs."""
    keys = [each.pk for each in standing_labels(about.tasks.filter(answer__run__withdrawn_at=None)).values()]
    related = ("task__judge", "task__answer__topic", "task__answer__run")
    defer = [f"task__answer__{field}" for field in ("sentences", "references", "metadata")]
    labels = SupportLabel.objects.filter(pk__in=keys).select_related(*related)
    return list(labels.defer(*defer).order_by("pk"))


def checked_of(label: SupportLabel) -> CheckedCitation:
    task = label.task
    support = None if label.support == SupportWord.CANNOT else Support(label.support)
    return CheckedCitation(
        task.answer.topic.number,
        task.answer.run.tag,
        task.judge.username,
        task.sentence,
        task.citation,
        support,
    )


def citations_of(about: SupportSet) -> tuple[Citations, list[str]]:
    """Return the citations of the answers of a set, and its topics in the order of the campaign."""
    tasks = about.tasks.filter(answer__run__withdrawn_at=None).order_by()
    numbers = tasks.order_by("answer__topic__place").values_list("answer__topic__number", flat=True)
    topics = dict.fromkeys(numbers)
    runs = about.runs.filter(withdrawn_at=None)
    answers = Answer.objects.filter(run__in=runs, topic__campaign=about.campaign, topic__number__in=topics)
    citations = {}
    for answer in answers.select_related("run", "topic").iterator():
        counts = [len(sentence.citations) for sentence in answer.stored_sentences]
        most = max(counts, default=0) if about.every else 1
        citations[answer.topic.number, answer.run.tag] = [min(count, most) for count in counts]
    return citations, list(topics)


def found_result(about: SupportSet) -> SupportResult:
    """Return the result of a set, computed once for each state of its labels."""
    labels = labels_of(about)
    runs = list(about.runs.filter(withdrawn_at=None).values_list("tag", flat=True))

    def compute() -> SupportResult:
        citations, topics = citations_of(about)
        return support_result([checked_of(label) for label in labels], citations, topics, runs, about.every)

    version = tuple(label.pk for label in labels), tuple(runs)
    return cached(about.campaign, f"support-{about.pk}", version, compute)


def score_columns(about: SupportSet) -> tuple[str, ...]:
    return ("topic", "run", "judges", *(measure.name for measure in measures_of(about.every)))


def score_rows(about: SupportSet) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer: its scores, "" where one is undefined."""
    citations, topics = citations_of(about)
    checked = [checked_of(label) for label in labels_of(about)]
    for each in answer_scores(checked, citations, topics, about.every):
        values = ["" if score.value is None else f"{score.value:.6f}" for score in each.scores]
        yield dict(zip(score_columns(about), (each.topic, each.run, each.judges, *values), strict=True))


LABEL_COLUMNS = (
    "topic", "run", "judge", "sentence", "citation", "docno", "support", "marks", "text_hash", "pressed_at",
)  # fmt: skip


def label_rows(about: SupportSet) -> Iterator[dict[str, Any]]:
    """Yield a row for each label. Judges have numbers, by their first labels. marks: as JSON, or ""."""
    numbers = dict[str, int]()
    for label in labels_of(about):
        task, answer = label.task, label.task.answer
        number = numbers.setdefault(task.judge.username, len(numbers) + 1)
        marks = json.dumps(label.marks, ensure_ascii=False) if label.marks else ""
        pressed = label.pressed_at.isoformat(timespec="seconds")
        values = (
            answer.topic.number, answer.run.tag, number, task.sentence, task.citation, task.docno,
            label.support, marks, label.text_hash, pressed,
        )  # fmt: skip
        yield dict(zip(LABEL_COLUMNS, values, strict=True))
