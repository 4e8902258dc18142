"""What the next release would hold, what would change by it, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from django.core.cache import cache

from assess.models import AdjudicationEvent, Probe, QrelsRelease, Return
from assess.queries.cases import TopicCases, current_cases
from assess.queries.event_logs import log_of, newest_deed
from assess.queries.labels import keys_of
from assess.queries.pooled_columns import pooled_columns, to_judge_columns
from assess.queries.releases import latest_release, pools_in, qrels_of, topics_in
from assess.release_diff import Difference, Grades, grades_of, joined, topic_difference
from assess.release_lines import Tally
from assess.release_plan import ReleasePlan, plan_to_json
from pooling.checksum import sha256_of
from pooling.models import Campaign

PREVIEWS_KEPT = 3600  # seconds


class Preview(NamedTuple):
    """What a release made now would come to.

    unlabelled: pooled documents in the scope that nobody who is read has labelled. missing: topic ->
    documents in the scope without a line, most first. difference: against the last release, if there is one.
    """

    tally: Tally
    unlabelled: int
    missing: list[tuple[str, int]]
    last: QrelsRelease | None
    difference: Difference | None

    @property
    def unwritten(self) -> list[tuple[str, int]]:
        """Why documents with a label have no line -> how many."""
        return self.tally.unwritten.most_common()

    @property
    def without(self) -> int:
        """Documents in the scope that would have no line."""
        return sum(count for _, count in self.missing)


class _Share(NamedTuple):
    """What a topic adds to a preview. labels: see `EventColumns.newest_by_topic`."""

    labels: tuple[int, int] | None
    tally: Tally
    difference: Difference


def release_preview(campaign: Campaign, plan: ReleasePlan) -> Preview:
    """Work out a release without making it; kept until something it is made of changes."""
    settled = AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign).order_by("-pk")
    last = latest_release(campaign)
    state = (
        campaign.pk,
        newest_deed(campaign),
        *settled.values_list("pk", "relevance", "at")[:1],
        Return.objects.filter(event__pooled__pool__campaign=campaign).count(),
        Probe.objects.filter(pooled__pool__campaign=campaign).count(),
        campaign.pools.count(),
        last.number if last else 0,
        campaign.threshold,
        plan_to_json(plan),
    )
    shares = _shares(campaign, plan, last, f"release-preview-{sha256_of(repr(state))}")
    tally = Tally(campaign.threshold if plan.threshold is None else plan.threshold)
    for share in shares:
        tally.include(share.tally)
    missing = [(topic, size - tally.by_topic[topic]) for topic, size in _sizes(campaign, plan)]
    missing = sorted(((topic, count) for topic, count in missing if count), key=lambda each: -each[1])
    without = sum(count for _, count in missing)
    changed = joined(share.difference for share in shares) if last else None
    return Preview(tally, without - sum(tally.unwritten.values()), missing, last, changed)


def _sizes(campaign: Campaign, plan: ReleasePlan) -> list[tuple[str, int]]:
    """Return how many documents each topic has in the scope of a plan, in campaign order."""
    documents, pools = pooled_columns(campaign), keys_of(pools_in(campaign, plan))
    inside = to_judge_columns(campaign) & np.isin(documents.pool, pools)
    numbers = list(campaign.topics.values_list("number", flat=True))
    sizes = np.bincount(documents.topic[inside], minlength=len(numbers)).tolist()
    wanted = set(plan.topics or numbers)
    return [(number, size) for number, size in zip(numbers, sizes, strict=True) if number in wanted]


def _shares(campaign: Campaign, plan: ReleasePlan, last: QrelsRelease | None, key: str) -> list[_Share]:
    """Return what each topic of the plan or of the last release adds; made anew where a label came in.

    key: another one whenever anything else changes that a preview is made of.
    """
    shares: dict[str, _Share] = cache.get(key) or {}
    labels = log_of(campaign).newest_by_topic()
    now = {number: labels.get(pk) for pk, number in topics_in(campaign, plan).values_list("pk", "number")}
    stale = [number for number in now if number not in shares or shares[number].labels != now[number]]
    if stale or not shares:
        before = qrels_of(last) if last else None
        others = before.topics if before and not shares else ()
        threshold = campaign.threshold if plan.threshold is None else plan.threshold
        cases = current_cases(campaign, replace(plan, topics=tuple(stale))) if stale else iter(())
        of_topic = {each.topic: each for each in cases}
        for number in dict.fromkeys([*stale, *others]):
            known = grades_of(before, number)
            shares[number] = _share(number, of_topic.get(number), known, threshold, now.get(number))
        cache.set(key, shares, PREVIEWS_KEPT)
    return list(shares.values())


def _share(
    topic: str, cases: TopicCases | None, before: Grades, threshold: int, labels: tuple[int, int] | None
) -> _Share:
    tally, after = Tally(threshold), {}
    if cases:
        documents = np.bincount(cases.line, minlength=len(cases.lines)).tolist()
        for line, count in zip(cases.lines, documents, strict=True):
            tally.add(line, count)
        grades = [line.relevance for line in cases.lines]
        told = zip(cases.docno.tolist(), map(grades.__getitem__, cases.line.tolist()), strict=True)
        after = {docno: grade for docno, grade in told if grade is not None}
    return _Share(labels, tally, topic_difference(topic, before, after, listed=False))
