"""Labels of a release for publication: numbers for judges, no comments, no times of day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from assess.models import QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.independence import judge_numbers
from assess.queries.releases import cutoff_of_release, release_lines
from assess.release.lines import with_judge_numbers
from assess.release.plan import plan_from_json


class PublishedLabel(NamedTuple):
    """A judge's current label. judge: a number. grade: None where there is a reason instead. date: in UTC.

    suggested: the grade of a machine judge that was on the judge's screen; None where there was none.
    """

    topic: str
    docno: str
    judge: str
    grade: int | None
    reason: str
    date: str
    suggested: int | None = None


def published_labels(release: QrelsRelease) -> Iterator[PublishedLabel]:
    """Yield the labels that were current when the release was frozen, also of documents without a grade.

    Topics are in campaign order, then docnos, then judges by number.
    """
    plan = plan_from_json(release.parameters | {"rule": release.rule})
    reads = CampaignReads(release.campaign)
    numbers = judge_numbers(reads)  # by the present names; a number never changes
    for line in release_lines(reads, plan, cutoff_of_release(release)):
        numbered = with_judge_numbers(line, numbers)
        for judge, label in numbered.votes.items():
            document = numbered.document
            yield PublishedLabel(
                document.topic, document.docno, judge, label.relevance, label.reason, label.at[:10],
                label.suggested,
            )  # fmt: skip
