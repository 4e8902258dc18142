"""The integrity check of gradings: answers of its runs, and grades that are on the scales."""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import GivenGrades
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def grading_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every grading, each a count of what breaks a promise."""
    for grading in campaign.gradings.prefetch_related("criteria").order_by("number"):
        most = [len(criterion.levels) - 1 for criterion in grading.criteria.all()]
        given = GivenGrades.objects.filter(task__grading=grading).values_list("grades", flat=True)
        off_scale = sum(not _is_on_scale(grades, most) for grades in given.iterator())
        others = grading.tasks.exclude(answer__run__in=grading.runs.values("pk")).count()
        sides = {"answers of other runs": (0, others), "grades that are not on the scales": (0, off_scale)}
        yield differing("grading", str(grading), sides)


def _is_on_scale(grades: list[int], most: list[int]) -> bool:
    """Whether grades are one of each criterion, or none because they are taken back."""
    if not grades:
        return True
    return len(grades) == len(most) and all(
        0 <= grade <= top for grade, top in zip(grades, most, strict=True)
    )


CHECKS = (Check("gradings", grading_faults),)
