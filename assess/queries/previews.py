"""What the next release would hold, what would change by it, and what is missing."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from assess.event_columns import Ints
from assess.models import QrelsRelease
from assess.queries.caching import cached, label_version
from assess.queries.cases import Decided, decided, scope_columns
from assess.queries.pooled_columns import pooled_columns
from assess.queries.released import released_columns
from assess.queries.releases import latest_release, primary_judges
from assess.release_diff import NO_LINE, Totals, totals
from assess.release_plan import ReleasePlan, plan_to_json
from pooling.checksum import sha256_of
from pooling.models import Campaign


class Preview(NamedTuple):
    """What a release made now would come to.

    topics: those with a line. several: lines on which more than one judge gave a grade. settled: documents
    with a settled grade. waiting: those with different grades that nobody settled. unlabelled: documents in
    the scope that nobody who is read has labelled. unwritten: why documents with a label have no line ->
    how many. missing: topic -> documents in the scope without a line, most first. last: the newest release,
    "" before there is one. difference: what would change against it.
    """

    lines: int
    topics: int
    relevant: int
    several: int
    settled: int
    waiting: int
    unlabelled: int
    unwritten: list[tuple[str, int]]
    missing: list[tuple[str, int]]
    last: str
    difference: Totals | None

    @property
    def left_out(self) -> int:
        """Documents with a label that would have no line."""
        return sum(count for _, count in self.unwritten)

    @property
    def without(self) -> int:
        """Documents in the scope that would have no line."""
        return sum(count for _, count in self.missing)


def release_preview(campaign: Campaign, plan: ReleasePlan) -> Preview:
    """Work out a release without making it; kept until something it is made of changes."""
    last = latest_release(campaign)
    version = (
        label_version(campaign),
        sorted(primary_judges(campaign).items()),
        campaign.pools.count(),
        last.sha256 if last else "",
    )
    name = f"release-preview-{sha256_of(repr(plan_to_json(plan)))}"
    return cached(campaign, name, version, lambda: _release_preview(campaign, plan, last))


def _release_preview(campaign: Campaign, plan: ReleasePlan, last: QrelsRelease | None) -> Preview:
    found, topic = decided(campaign, plan), pooled_columns(campaign).topic
    written = [plan.written(decision) for decision in found.decisions]
    relevance = [NO_LINE if grade is None else grade for grade in written]
    grades = np.array(relevance, dtype=np.int64)[found.decision]
    after = np.full(len(topic), NO_LINE)
    after[found.documents] = grades
    numbers = list(campaign.topics.values_list("number", flat=True))
    in_scope, lines = (
        np.bincount(topic[chosen], minlength=len(numbers))
        for chosen in (scope_columns(campaign, plan), after != NO_LINE)
    )
    missing = dict(zip(numbers, (in_scope - lines).tolist(), strict=True))
    threshold = campaign.threshold if plan.threshold is None else plan.threshold
    return Preview(
        lines=int(lines.sum()),
        topics=int(np.count_nonzero(lines)),
        relevant=int((grades >= threshold).sum()),
        several=int((found.graders[grades != NO_LINE] > 1).sum()),
        settled=int(found.settled.sum()),
        waiting=int(found.waiting.sum()),
        unlabelled=int(in_scope.sum()) - len(grades),
        unwritten=_unwritten(found, written),
        missing=(+Counter(missing)).most_common(),
        last=f"{last}" if last else "",
        difference=_difference(last, after) if last else None,
    )


def _unwritten(found: Decided, written: list[int | None]) -> list[tuple[str, int]]:
    """Return why documents have no line -> how many. written: what each decision is in the qrels."""
    counts = np.bincount(found.decision, minlength=len(written)).tolist()
    decisions = zip(found.decisions, written, counts, strict=True)
    return Counter({str(why): count for why, grade, count in decisions if grade is None}).most_common()


def _difference(last: QrelsRelease, after: Ints) -> Totals:
    released, before = released_columns(last), np.full(len(after), NO_LINE)
    before[released.documents] = released.qrels.grades
    return totals(before, after)
