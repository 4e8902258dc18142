"""What the next release would hold, what would change by it, and what is missing."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

import numpy as np
from django.core.cache import cache
from django.db.models import Count

from assess.event_columns import summed
from assess.models import AdjudicationEvent, Probe, QrelsRelease, Return
from assess.queries.event_logs import log_of, newest_deed
from assess.queries.releases import current_lines, latest_release, qrels_of, scope_of, topics_in
from assess.release_diff import Difference, difference, joined
from assess.release_formats import qrels_line
from assess.release_lines import Line, Tally
from assess.release_plan import ReleasePlan, plan_to_json
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.qrels import Qrels, parse_qrels

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
    """What a topic adds to a preview. labels: see `_labels_by_topic`."""

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
    sizes = scope_of(campaign, plan).values("topic__number").annotate(n=Count("pk")).order_by("topic__place")
    missing = [(row["topic__number"], row["n"] - tally.by_topic[row["topic__number"]]) for row in sizes]
    missing = sorted(((topic, count) for topic, count in missing if count), key=lambda each: -each[1])
    without = sum(count for _, count in missing)
    changed = joined(share.difference for share in shares) if last else None
    return Preview(tally, without - sum(tally.unwritten.values()), missing, last, changed)


def _shares(campaign: Campaign, plan: ReleasePlan, last: QrelsRelease | None, key: str) -> list[_Share]:
    """Return what each topic of the plan or of the last release adds; made anew where a label came in.

    key: another one whenever anything else changes that a preview is made of.
    """
    shares: dict[str, _Share] = cache.get(key) or {}
    labels = _labels_by_topic(campaign)
    now = {number: labels.get(pk) for pk, number in topics_in(campaign, plan).values_list("pk", "number")}
    stale = [number for number in now if number not in shares or shares[number].labels != now[number]]
    if stale or not shares:
        before = qrels_of(last) if last else None
        others = before.topics if before and not shares else ()
        threshold = campaign.threshold if plan.threshold is None else plan.threshold
        lines = current_lines(campaign, replace(plan, topics=tuple(stale))) if stale else iter(())
        of_topic = {number: [*each] for number, each in groupby(lines, key=lambda each: each.document.topic)}
        for number in dict.fromkeys([*stale, *others]):
            known = before.of_topic(number) if before else None
            shares[number] = _share(of_topic.pop(number, []), known, threshold, now.get(number))
        cache.set(key, shares, PREVIEWS_KEPT)
    return list(shares.values())


def _labels_by_topic(campaign: Campaign) -> dict[int, tuple[int, int]]:
    """Return topic -> the key of its newest event and how many there are: another pair after any label."""
    log = log_of(campaign)
    newest = summed([log.topic], log.key, how=np.maximum)
    counts = summed([log.topic], np.ones_like(log.key))
    return {topic: (key, count) for ((topic,), (key,)), (_, (count,)) in zip(newest, counts, strict=True)}


def _share(lines: list[Line], before: Qrels | None, threshold: int, labels: tuple[int, int] | None) -> _Share:
    tally = Tally(threshold)
    for line in lines:
        tally.add(line)
    written = b"".join(qrels_line(line) for line in lines if line.relevance is not None)
    changed = difference(before, parse_qrels(written) if written else None)
    return _Share(labels, tally, changed._replace(changes=[]))
