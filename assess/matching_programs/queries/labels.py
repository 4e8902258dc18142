"""The labels of programs, and how far a program is."""

from __future__ import annotations

from typing import NamedTuple

from django.db.models import Count, Q, QuerySet

from assess.models import MatchingProgram, MatchingProgramLoad, ProgramNuggetLabel
from pooling.models import Campaign
from pooling.words import counted


class CountedLabel(NamedTuple):
    """The label that counts of a nugget and an answer, or the last result without one. key: of its row."""

    key: int
    assignment: str


def labels_by_cell(program: MatchingProgram) -> dict[tuple[int, int], CountedLabel]:
    """Return keys of answer and nugget -> the label that counts, in the order of loading.

    Of several labels the first readable one counts, and without one the last result is shown. Labels of
    withdrawn files do not count, and those of answers of withdrawn runs do not.
    """
    standing = Q(load__withdrawn_at=None, answer__run__withdrawn_at=None)
    rows = ProgramNuggetLabel.objects.filter(standing, load__program=program).order_by("pk")
    labels: dict[tuple[int, int], CountedLabel] = {}
    for key, answer, nugget, assignment in rows.values_list("pk", "answer", "nugget", "assignment"):
        if (answer, nugget) not in labels or not labels[answer, nugget].assignment:
            labels[answer, nugget] = CountedLabel(key, assignment)
    return labels


class ProgramProgress(NamedTuple):
    """How far a program is. total: answers times the nuggets of their topics. unreadable: keys of rows."""

    total: int
    labelled: int
    unreadable: list[int]

    @property
    def without_result(self) -> int:
        return self.total - self.labelled - len(self.unreadable)


def progress_of(program: MatchingProgram, cells: int) -> ProgramProgress:
    """Return how far a program is. cells: of answers of runs that were not withdrawn."""
    labels = labels_by_cell(program).values()
    unreadable = [label.key for label in labels if not label.assignment]
    return ProgramProgress(cells, len(labels) - len(unreadable), unreadable)


def unreadable_labels(progress: ProgramProgress) -> QuerySet[ProgramNuggetLabel]:
    """Return the results without a readable label, with the texts of the replies."""
    labels = ProgramNuggetLabel.objects.filter(pk__in=progress.unreadable)
    return labels.select_related("load").order_by("load", "line", "pk")


def loads_of(program: MatchingProgram) -> QuerySet[MatchingProgramLoad]:
    """Return the files of a program with `label_count` and `unreadable_count`, the withdrawn ones too."""
    return program.loads.select_related("loaded_by", "withdrawn_by").annotate(
        label_count=Count("labels", filter=Q(labels__assignment__gt="")),
        unreadable_count=Count("labels", filter=Q(labels__assignment="")),
    )


def programs_of(campaign: Campaign) -> QuerySet[MatchingProgram]:
    """Return the programs of a campaign with `label_count`, of files that stand, newest first."""
    standing = Q(loads__withdrawn_at=None, loads__labels__assignment__gt="")
    programs = campaign.matching_programs.select_related("matching", "made_by")
    return programs.annotate(label_count=Count("loads__labels", filter=standing))


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its programs; "" if it can."""
    labels = ProgramNuggetLabel.objects.filter(load__program__campaign=campaign).count()
    what = counted(labels, "label")
    return f"It holds {what} of programs on nuggets, and labels are never deleted." if labels else ""
