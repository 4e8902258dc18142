"""The input of a release, and the content of existing releases."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime
from functools import cache
from itertools import compress
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Max, QuerySet
from django.utils import timezone

from accounts.models import User
from assess.models import (
    AdjudicationEvent,
    JudgmentEvent,
    QrelsRelease,
    ReleaseFile,
    ReturnedLabel,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import selectors_of
from assess.queries.independence import count_hidden_labels, judge_numbers, read_judge_numbers, sees_names
from assess.queries.labels import keys_of
from assess.queries.release_plans import pools_in, primary_judges, settled_grades, topics_in
from assess.queries.run_parts import CHOSEN
from assess.release.diff import Difference, difference
from assess.release.formats import NUMBERED, SOURCES, kind_of
from assess.release.lines import LabelledDocument, ReleaseLabel, ReleaseLine, Remarks, release_lines_of
from assess.release.plan import ReleasePlan
from assess.release.propagated import judged_lines
from assess.release.public_manifest import numbered_manifest
from assess.release.sources import by_programs_alone
from pooling.formats.qrels import Qrels, parse_qrels
from pooling.manifest import pool_plan_of
from pooling.models import Campaign, PooledDocument, Topic
from pooling.queries.caching import cached
from pooling.queries.drafts import candidates_by_plan
from pooling.strategies.build import sample_of
from pooling.strategies.strata import Sample


def last_event(campaign: Campaign) -> int:
    """Return the key of the newest label event, up to which a release uses labels."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).order_by("-pk")
    return events.values_list("pk", flat=True).first() or 0


class ReleaseCutoff(NamedTuple):
    """The cutoff of a release: what it is made of, so that it can be derived again.

    last, last_return, last_settled: keys of the newest label event, return and adjudication event; later ones
    are in none of its files. Releases of earlier versions have no last return and adjudication (None): for
    these, events up to the time `at` count. primary: (topic, number of the pool) -> its primary judge.
    numbers: username -> the number in files without names. withdrawn: usernames of the judges whose labels
    were withdrawn.
    """

    last: int
    at: datetime
    primary: Mapping[tuple[str, int], str]
    numbers: Mapping[str, str]
    last_return: int | None = None
    last_settled: int | None = None
    withdrawn: frozenset[str] = frozenset()

    def is_returned(self, key: int | None, at: datetime | None) -> bool:
        """Whether an event was returned, by key and time of its return; None if it was not."""
        if key is None or at is None:
            return False
        return at <= self.at if self.last_return is None else key <= self.last_return

    def settled(self, campaign: Campaign) -> QuerySet[AdjudicationEvent]:
        """Return the adjudication events before the cutoff."""
        events = AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign)
        if self.last_settled is None:
            return events.filter(at__lte=self.at)
        return events.filter(pk__lte=self.last_settled)


def current_cutoff(campaign: Campaign) -> ReleaseCutoff:
    """Return the cutoff of a release made now; `closed_moment` of the services locks it."""
    returned = ReturnedLabel.objects.filter(event__pooled__pool__campaign=campaign)
    settled = AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign)
    last_return, last_settled = (rows.aggregate(last=Max("pk"))["last"] or 0 for rows in (returned, settled))
    now = timezone.now()
    return ReleaseCutoff(
        last_event(campaign),
        now,
        primary_judges(campaign),
        read_judge_numbers(campaign),
        last_return,
        last_settled,
        frozenset(campaign.sources.withdrawn().values_list("user__username", flat=True)),
    )


def cutoff_of_release(release: QrelsRelease) -> ReleaseCutoff:
    """Return the cutoff of a release, from its manifest; of an early version, from its time."""
    manifest, campaign = release.manifest, release.campaign
    until = datetime.fromisoformat(manifest.get("labels_until") or release.released_at.isoformat())
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    if "labels_until" in manifest:
        events = events.filter(uuid=manifest["last_event"])
    else:
        events = events.filter(at__lte=until)
    last = events.order_by("-pk").values_list("pk", flat=True).first() or 0
    stored = {(topic, pool): judge for topic, pool, judge in manifest.get("primary_judges", ())}
    primary, numbers = stored or primary_judges(campaign), numbers_of(release)
    withdrawn = frozenset(manifest.get("withdrawn_judges", ()))
    return ReleaseCutoff(last, until, primary, numbers, *_last_decisions(manifest), withdrawn)


def _last_decisions(manifest: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Return the keys of the last return and adjudication in a manifest, 0 for none."""
    if "last_return" not in manifest:
        return None, None
    returned = (
        ReturnedLabel.objects.filter(event__uuid=manifest["last_return"]) if manifest["last_return"] else None
    )
    settled = manifest["last_settled"] and AdjudicationEvent.objects.filter(uuid=manifest["last_settled"])
    return returned.get().pk if returned else 0, settled.get().pk if settled else 0


def scope_of(reads: CampaignReads, plan: ReleasePlan) -> QuerySet[PooledDocument]:
    """Return the pooled documents in the scope of a plan, with or without a label."""
    topics, pools = topics_in(reads.campaign, plan), pools_in(reads.campaign, plan)
    return reads.documents_to_judge().filter(topic__in=keys_of(topics), pool__in=keys_of(pools))


def release_lines(reads: CampaignReads, plan: ReleasePlan, cutoff: ReleaseCutoff) -> Iterator[ReleaseLine]:
    """Yield a line for every labelled document in the scope; topics in campaign order, docnos ascending.

    It reads one topic at a time: memory depends on the largest topic, not on the campaign.
    """
    campaign = reads.campaign
    scale = [grade.value for grade in campaign.grades]
    pools = dict(pools_in(campaign, plan).values_list("pk", "number"))
    settled = settled_grades(cutoff.settled(campaign))
    unfinished = _judges_unfinished_at(campaign, cutoff)
    chosen_by = selectors_of(campaign)
    for topic in topics_in(campaign, plan):
        selector = chosen_by.get(topic.number)
        reasons = selector.reasons(campaign, topic.number) if selector else {}
        documents = [
            LabelledDocument(
                topic.number,
                docno,
                pools[pool],
                labels,
                cutoff.primary.get((topic.number, pools[pool]), ""),
                settled.get(pooled),
                reasons.get(docno),
            )
            for (docno, pooled, pool), labels in _labels_on(reads, topic, plan, cutoff, unfinished)
            if pool in pools
        ]
        yield from release_lines_of(documents, plan, scale)


def _judges_unfinished_at(campaign: Campaign, cutoff: ReleaseCutoff) -> list[int]:
    """Return the judges whose labels were being loaded at the cutoff: nobody could see the labels then.

    The last label event of a load is stored when the labels become visible. Read once for all topics, because
    the load may end meanwhile.
    """
    later = JudgmentEvent.with_unfinished.filter(
        pk__gt=cutoff.last, source="import", pooled__pool__campaign=campaign
    )
    loads = campaign.unfinished_loads.filter(judge__isnull=False)
    return [
        *later.order_by().values_list("judge", flat=True).distinct(),
        *loads.values_list("judge", flat=True),
    ]


Document = tuple[str, int, int]
"""docno, key of the pooled document, key of its pool."""


def _labels_on(
    reads: CampaignReads,
    topic: Topic,
    plan: ReleasePlan,
    cutoff: ReleaseCutoff,
    unfinished: Collection[int],
) -> list[tuple[Document, list[ReleaseLabel]]]:
    """Return the documents of a topic, docnos ascending, with the labels before the cutoff.

    Labels that the plan does not use are left out, and those of unfinished and withdrawn judges; those of one
    judge are together, oldest first.
    """
    programs = {source.user.username: source.kind for source in reads.sources if source.is_program}
    events = reads.events_of_all().filter(pooled__topic=topic, pk__lte=cutoff.last)
    events = events.exclude(judge__in=unfinished)
    rows = events.order_by(*JudgmentEvent.PRESS_ORDER).values_list(
        "pooled__docno", "pooled", "pooled__pool", "judge__username", "returned", "returned__at",
        "relevance", "reason", "pressed_at", "source", "text_hash", "uuid", "suggested", "comment",
        "evidence",
    )  # fmt: skip
    by_judge: dict[tuple[Document, str], list[ReleaseLabel]] = {}
    for row in rows.iterator():
        (
            docno, pooled, pool, judge, returned, when, grade, reason, at, source, text, uuid, seen, comment,
            evidence,
        ) = row  # fmt: skip
        is_program = judge in programs
        if judge in cutoff.withdrawn or not plan.admits(judge, is_program):
            continue
        key = (docno, pooled, pool), judge
        label = ReleaseLabel(judge, is_program, grade, reason, at.isoformat(), source, text, str(uuid))
        remarks = Remarks(comment, evidence)
        label = label._replace(machine_kind=programs.get(judge, ""), suggested=seen, remarks=remarks)
        by_judge.setdefault(key, []).append(label)
        if cutoff.is_returned(returned, when):
            del by_judge[key]  # the judge was asked again: earlier labels are not current
    pooled_keys = np.array([document[1] for document, _ in by_judge], dtype=np.int64)
    machines = np.array([labels[0].machine for labels in by_judge.values()], dtype=bool)
    by_document: dict[Document, list[ReleaseLabel]] = {}
    for (document, _), labels in compress(by_judge.items(), plan.uses(pooled_keys, machines).tolist()):
        by_document.setdefault(document, []).extend(labels)
    return sorted(by_document.items())


def pool_samples(reads: CampaignReads, plan: ReleasePlan) -> dict[int, Sample]:
    """Return pool number -> sample of every stratified pool in the scope, drawn again from its runs.

    CHOSEN: the sample of topics whose documents were chosen by something else than runs, if it is one.
    """
    samples: dict[int, Sample] = {}
    for pool in pools_in(reads.campaign, plan).filter(strategy="stratified"):
        pool_plan = pool_plan_of(pool.manifest)
        candidates = candidates_by_plan(reads, pool.runs.all())(pool_plan)
        sample = sample_of(candidates, pool_plan.parameters, pool_plan.seed, pool_plan.ties)
        samples[pool.number] = {
            t: placed for t, placed in sample.items() if not plan.topics or t in plan.topics
        }
    chosen = {
        topic: dict(placed)
        for topic, selector in selectors_of(reads.campaign).items()
        if not plan.topics or topic in plan.topics
        if (placed := selector.sample(reads.campaign, topic))
    }
    if chosen and not plan.pools:
        samples[CHOSEN] = chosen
    return samples


def numbers_of(release: QrelsRelease) -> dict[str, str]:
    """Return username -> number of a release's judges, from its manifest; of an early version, as now."""
    numbers: dict[str, str] | None = release.manifest.get("judge_numbers")
    return judge_numbers(CampaignReads(release.campaign)) if numbers is None else numbers


def manifest_seen_by(release: QrelsRelease, campaign: Campaign) -> dict[str, Any]:
    """Return the manifest for a member: with numbers for judges, unless they may see names."""
    if sees_names(campaign):
        manifest: dict[str, Any] = release.manifest
        return manifest
    return numbered_manifest(release.manifest, numbers_of(release), lambda kind: not kind_of(kind).names)


def why_file_is_hidden(user: User, campaign: Campaign, kind: str) -> str:
    """Return why a member may not download files of a kind, an empty string if they may."""
    return _why_hidden(campaign, kind, lambda: count_hidden_labels(user, campaign))


def _why_hidden(campaign: Campaign, kind: str, hidden_labels: Callable[[], int]) -> str:
    """Return why files of a kind are hidden from a member. hidden_labels: counts those that the member may
    not see.

    Files never change, so no line is left out of them: a file with labels is refused while one of its
    documents is still to be judged by this member.
    """
    if kind_of(kind).names and not sees_names(campaign):
        return (
            "This file names judges, so only organisers and adjudicators may download it."
            f" The file {kind}{NUMBERED} has numbers instead."
        )
    if kind_of(kind).has_labels and hidden_labels():
        return "This file has labels of documents that you are still to judge yourself. Judge them first."
    return ""


def files_seen_by(user: User, campaign: Campaign, release: QrelsRelease) -> list[ReleaseFile]:
    """Return the files of a release that a member may download."""
    hidden_labels = cache(lambda: count_hidden_labels(user, campaign))
    return [stored for stored in release.files.all() if not _why_hidden(campaign, stored.kind, hidden_labels)]


def qrels_of(release: QrelsRelease) -> Qrels:
    with release.file.open("rb") as file:
        return parse_qrels(file.read(), str(release))


class ByPrograms(NamedTuple):
    """Judgments of a release whose grade is from programs alone.

    judgments: number of the topic -> how many, without topics that have none. topics: those on which each
    relevant document is one of them, in their order.
    """

    judgments: Counter[str]
    topics: list[str]


def judged_by_programs(release: QrelsRelease) -> ByPrograms:
    """Return the judgments of programs alone. Cached for ever: releases never change."""
    file = release.files.filter(kind=SOURCES).first() if release.has_labels_of_programs else None
    if file is None:
        return ByPrograms(Counter(), [])
    name = f"judged-by-programs-{release.number}"
    return cached(release.campaign, name, file.sha256, lambda: _judged_by_programs(release, file))


def _judged_by_programs(release: QrelsRelease, file: ReleaseFile) -> ByPrograms:
    with file.file.open("rb") as sources:
        lines = [
            (topic, int(grade) >= release.manifest["threshold"], by_programs_alone(source))
            for topic, _, grade, source in judged_lines(sources.read())
        ]
    judgments = Counter(topic for topic, _, by_programs in lines if by_programs)
    others = {topic for topic, relevant, by_programs in lines if relevant and not by_programs}
    topics = dict.fromkeys(topic for topic, relevant, _ in lines if relevant and topic not in others)
    return ByPrograms(judgments, list(topics))


def release_difference(first: QrelsRelease, second: QrelsRelease) -> Difference:
    """Return the difference of two releases. Cached for ever: releases never change."""
    version = first.sha256, second.sha256
    return cached(
        first.campaign,
        f"difference-{first.number}-{second.number}",
        version,
        lambda: difference(qrels_of(first), qrels_of(second)),
    )
