"""The integrity check of matchings: answers of their runs, and labels of nuggets of the answers' topics."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import F, QuerySet

from assess.models import NuggetLabel
from assess.nuggets.assignments import Assignment
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def matching_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every matching, each a count of what breaks a promise."""
    for matching in campaign.matchings.select_related("bank").order_by("number"):
        labels = NuggetLabel.objects.filter(task__matching=matching)
        allowed = [
            "",
            *(each for each in Assignment if matching.contradicts or each != Assignment.CONTRADICTS),
        ]
        yield differing(
            "matching",
            str(matching),
            {
                "draft banks": (0, int(matching.bank.is_draft)),
                "answers of other runs": (
                    0,
                    matching.tasks.exclude(answer__run__in=matching.runs.values("pk")).count(),
                ),
                "labels of nuggets of another bank": (0, labels.exclude(nugget__bank=matching.bank).count()),
                "labels of nuggets of another topic": (
                    0,
                    labels.exclude(nugget__topic=F("task__answer__topic")).count(),
                ),
                "labels that judges cannot give": (0, labels.exclude(assignment__in=allowed).count()),
                "decisions on nuggets of another bank": (
                    0,
                    matching.decisions.exclude(nugget__bank=matching.bank).count(),
                ),
                "decisions that nobody can give": (
                    0,
                    matching.decisions.exclude(assignment__in=allowed).count(),
                ),
                "sentences that the answer does not have": (0, _wrong_sentences(labels)),
            },
        )


def _wrong_sentences(labels: QuerySet[NuggetLabel]) -> int:
    rows = labels.exclude(sentence=None).values_list("sentence", "task__answer__sentences")
    return sum(not 1 <= (place or 0) <= len(sentences) for place, sentences in rows.iterator())


CHECKS = (Check("matchings", matching_faults),)
