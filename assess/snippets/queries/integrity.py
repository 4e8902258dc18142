"""The integrity check of snippets: results of the campaign, and documents that come after their snippets."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F

from assess.models import SnippetGrade, SnippetTask
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def snippet_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every set, each a count of what breaks a promise."""
    for about in campaign.snippet_sets.order_by("number"):
        tasks = about.tasks
        given = SnippetGrade.objects.filter(task__snippet_set=about)
        snippets = {
            (task.result_id, task.judge_id): task.place
            for task in tasks.filter(step=SnippetTask.Step.SNIPPET)
        }
        documents = tasks.filter(step=SnippetTask.Step.DOCUMENT)
        sides = {
            "results of another campaign": (0, about.results.exclude(topic__campaign=campaign).count()),
            "tasks of another set": (0, tasks.exclude(result__snippet_set=F("snippet_set")).count()),
            "documents before their snippets": (
                0,
                sum(
                    snippets.get((task.result_id, task.judge_id), task.place) >= task.place
                    for task in documents
                ),
            ),
            "grades that are not on the scale": (
                0,
                given.exclude(grade=None).exclude(grade__in=[each.value for each in about.grades]).count(),
            ),
        }
        yield differing("snippets", str(about), sides)


CHECKS = (Check("snippets", snippet_faults),)
