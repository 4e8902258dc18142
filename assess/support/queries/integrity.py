"""The integrity check of citation support: tasks are citations of answers of their runs, labels are known."""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import SupportLabel, SupportTask
from assess.support.labels import SupportWord
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def support_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every set, each a count of what breaks a promise."""
    for about in campaign.support_sets.order_by("number"):
        labels = SupportLabel.objects.filter(task__support_set=about)
        sides = {
            "answers of other runs": (
                0,
                about.tasks.exclude(answer__run__in=about.runs.values("pk")).count(),
            ),
            "documents that the sentence does not cite": (
                0,
                sum(not _is_cited(task) for task in about.tasks.select_related("answer").iterator()),
            ),
            "labels that judges cannot give": (0, labels.exclude(support__in=["", *SupportWord]).count()),
        }
        yield differing("citation support", str(about), sides)


def _is_cited(task: SupportTask) -> bool:
    sentences = task.answer.stored_sentences
    cited = sentences[task.sentence - 1].citations if 0 < task.sentence <= len(sentences) else []
    return 0 < task.citation <= len(cited) and cited[task.citation - 1] == task.docno


CHECKS = (Check("citation support", support_faults),)
