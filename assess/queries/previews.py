"""What the next release would hold, what would change by it, and what is missing."""

from __future__ import annotations

from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count

from assess.models import AdjudicationEvent, Probe, QrelsRelease, Return
from assess.queries.releases import current_lines, last_event, latest_release, qrels_of, scope_of
from assess.release_diff import Difference, difference
from assess.release_formats import qrels_line
from assess.release_lines import Tally
from assess.release_plan import ReleasePlan, plan_to_json
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.qrels import parse_qrels

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


def release_preview(campaign: Campaign, plan: ReleasePlan) -> Preview:
    """Work out a release without making it; kept until something it is made of changes."""
    settled = AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign).order_by("-pk")
    last = latest_release(campaign)
    state = (
        campaign.pk,
        last_event(campaign),
        *settled.values_list("pk", "relevance", "at")[:1],
        Return.objects.filter(event__pooled__pool__campaign=campaign).count(),
        Probe.objects.filter(pooled__pool__campaign=campaign).count(),
        campaign.pools.count(),
        last.number if last else 0,
        campaign.threshold,
        plan_to_json(plan),
    )
    key = f"release-preview-{sha256_of(repr(state))}"
    found: Preview | None = cache.get(key)
    if found is None:
        found = _preview(campaign, plan, last)
        cache.set(key, found, PREVIEWS_KEPT)
    return found


def _preview(campaign: Campaign, plan: ReleasePlan, last: QrelsRelease | None) -> Preview:
    tally = Tally(campaign.threshold if plan.threshold is None else plan.threshold)
    lines = []
    for line in current_lines(campaign, plan):
        tally.add(line)
        if line.relevance is not None:
            lines.append(qrels_line(line))
    sizes = scope_of(campaign, plan).values("topic__number").annotate(n=Count("pk")).order_by("topic__place")
    missing = [(row["topic__number"], row["n"] - tally.by_topic[row["topic__number"]]) for row in sizes]
    missing = sorted(((topic, count) for topic, count in missing if count), key=lambda each: -each[1])
    without = sum(count for _, count in missing)
    new = parse_qrels(b"".join(lines)) if lines else None
    return Preview(
        tally,
        without - sum(tally.unwritten.values()),
        missing,
        last,
        difference(qrels_of(last), new)._replace(changes=[]) if last else None,
    )
