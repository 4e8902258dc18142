"""What a release would be made of, and what the releases that exist hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone

from accounts.models import User
from assess.consensus import MAJORITY
from assess.event_columns import REFUSED, EventColumns
from assess.models import AdjudicationEvent, Assignment, JudgmentEvent, QrelsRelease
from assess.queries.event_logs import standing_of
from assess.queries.keeping import kept
from assess.queries.labels import events_in, to_judge_in
from assess.release_diff import Difference, difference
from assess.release_lines import Label, Labelled, Line, Settled, line_of
from assess.release_plan import ReleasePlan
from pooling.models import Campaign, Pool, PooledDocument, Topic
from pooling.qrels import Qrels, parse_qrels
from pooling.queries import ranked_runs
from pooling.strategies import Sample, parse_strata, sample_of


class Agreed(NamedTuple):
    """The grade of one pooled document after a rule was applied to its judges' grades."""

    topic: str
    docno: str
    relevance: int
    votes: int


def agreed_grades(campaign: Campaign, rule: str = MAJORITY) -> list[Agreed]:
    """Apply a rule to the labels of people; topics in campaign order, docnos ascending."""
    return [
        Agreed(line.document.topic, line.document.docno, line.relevance, grades_read(line))
        for line in current_lines(campaign, ReleasePlan(rule))
        if line.relevance is not None
    ]


def grades_read(line: Line) -> int:
    return sum(label.relevance is not None for label in line.votes.values())


def latest_release(campaign: Campaign) -> QrelsRelease | None:
    return campaign.releases.first()


def last_event(campaign: Campaign) -> int:
    """Return the key of the newest label event: a release holds what was labelled up to one."""
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign).order_by("-pk")
    return events.values_list("pk", flat=True).first() or 0


class Moment(NamedTuple):
    """When a release was made, so that it can be made again.

    last: the key of the newest label event, so that labels given meanwhile stay out of every file. at: what
    was returned or settled by then counts. primary: (topic, number of the pool) -> its primary judge then.
    """

    last: int
    at: datetime
    primary: Mapping[tuple[str, int], str]


def moment_of(campaign: Campaign) -> Moment:
    return Moment(last_event(campaign), timezone.now(), primary_judges(campaign))


def moment_of_release(release: QrelsRelease) -> Moment:
    """Return when a release was made, by its manifest; of an early one, by its time."""
    told, campaign = release.manifest, release.campaign
    until = datetime.fromisoformat(told.get("labels_until") or release.released_at.isoformat())
    events = JudgmentEvent.objects.filter(pooled__pool__campaign=campaign)
    named = events.filter(uuid=told["last_event"]) if "labels_until" in told else events.filter(at__lte=until)
    last = named.order_by("-pk").values_list("pk", flat=True).first() or 0
    kept = {(topic, pool): judge for topic, pool, judge in told.get("primary_judges", ())}
    return Moment(last, until, kept or primary_judges(campaign))


def topics_in(campaign: Campaign, plan: ReleasePlan) -> QuerySet[Topic]:
    """Return the topics in the scope of a plan, in campaign order."""
    topics = campaign.topics.order_by("place")
    return topics.filter(number__in=plan.topics) if plan.topics else topics


def pools_in(campaign: Campaign, plan: ReleasePlan) -> QuerySet[Pool]:
    pools = campaign.pools.exclude(strategy=Pool.PROBES)
    return pools.filter(number__in=plan.pools) if plan.pools else pools


def scope_of(campaign: Campaign, plan: ReleasePlan) -> QuerySet[PooledDocument]:
    """Return the pooled documents in the scope of a plan, with or without a label."""
    return to_judge_in(campaign).filter(
        topic__in=topics_in(campaign, plan), pool__in=pools_in(campaign, plan)
    )


Row = tuple[str, int, int, Label]
"""docno, pooled document, pool, label."""


def release_lines(campaign: Campaign, plan: ReleasePlan, made: Moment) -> Iterator[Line]:
    """Yield a line for every document with a label in the scope; topics in campaign order, docnos ascending.

    Reads one topic at a time: memory follows the largest topic, not the campaign.
    """
    scale = [grade.value for grade in campaign.grades]
    pools = dict(pools_in(campaign, plan).values_list("pk", "number"))
    primary, settled = made.primary, settled_grades(campaign, made.at)
    for topic in topics_in(campaign, plan):
        told = _rows_of(campaign, topic, made)
        rows = [row for row in told if row[2] in pools and plan.admits(row[3].judge, row[3].machine)]
        rows.sort(key=itemgetter(0))  # stable: a document's labels stay in their order
        for docno, group in groupby(rows, key=itemgetter(0)):
            labels = list(group)
            _, pooled, pool, _ = labels[0]
            document = Labelled(
                topic.number,
                docno,
                pools[pool],
                [label for *_, label in labels],
                primary.get((topic.number, pools[pool]), ""),
                settled.get(pooled),
            )
            yield line_of(document, plan, scale)


def _rows_of(campaign: Campaign, topic: Topic, made: Moment) -> Iterator[Row]:
    events = events_in(campaign).filter(pooled__topic=topic, pk__lte=made.last).order_by("pk")
    rows = events.values_list(
        "pooled__docno", "pooled", "pooled__pool", "judge__username", "judge__machine", "relevance",
        "reason", "at", "source", "text_hash", "uuid", "returned__at",
    )  # fmt: skip
    told: dict[tuple[int, str], list[Row]] = {}
    for row in rows.iterator():
        docno, pooled, pool, judge, machine, relevance, reason, at, source, text, uuid, returned = row
        found = Label(judge, machine is not None, relevance, reason, at.isoformat(), source, text, str(uuid))
        told.setdefault((pooled, judge), []).append((docno, pooled, pool, found))
        if returned and returned <= made.at:
            told.pop((pooled, judge))  # asked anew: what was said before does not stand
    for labels in told.values():
        yield from labels


Said = tuple[int, int, int]
"""pooled document, judge, grade or REFUSED."""


def current_lines(campaign: Campaign, plan: ReleasePlan) -> Iterator[Line]:
    """Yield the lines of a release made now, as `release_lines` does, without the times and the history.

    Judges say the same of many documents: the rule is applied once to each case that occurs in a topic.
    """
    scale, made = [grade.value for grade in campaign.grades], moment_of(campaign)
    pools = dict(pools_in(campaign, plan).values_list("pk", "number"))
    settled, judges = settled_grades(campaign, made.at), _admitted(campaign, plan)
    current = standing_of(campaign)
    current = current.where(np.isin(current.judge, list(judges)))
    for topic in topics_in(campaign, plan):
        cases: dict[object, Line] = {}
        for docno, pool, said in _said_in(topic, pools, current.where(current.topic == topic.pk)):
            grade = settled.get(said[0][0])
            case = pool, grade, tuple((judge, relevance) for _, judge, relevance in said)
            if case not in cases:
                labels = [
                    judges[judge]._replace(relevance=None if relevance == REFUSED else relevance)
                    for _, judge, relevance in said
                ]
                primary = made.primary.get((topic.number, pools[pool]), "")
                document = Labelled(topic.number, docno, pools[pool], labels, primary, grade)
                cases[case] = line_of(document, plan, scale)
            line = cases[case]
            yield line._replace(document=line.document._replace(docno=docno))


def _admitted(campaign: Campaign, plan: ReleasePlan) -> dict[int, Label]:
    """Return judge -> a label of theirs without a grade, for all whose labels the plan reads."""
    given = np.unique(standing_of(campaign).judge).tolist()
    people = User.objects.filter(pk__in=given).values_list("pk", "username", "machine")
    labels = {pk: Label(username, machine is not None, None) for pk, username, machine in people}
    return {pk: label for pk, label in labels.items() if plan.admits(label.judge, label.machine)}


def _said_in(
    topic: Topic, pools: Mapping[int, int], current: EventColumns
) -> Iterator[tuple[str, int, list[Said]]]:
    """Yield docno, pool and what was said of each document of a topic, docnos ascending."""
    documents = topic.pooled.filter(pool__in=pools).order_by().values_list("pk", "docno", "pool")
    places = {pooled: (docno, pool) for pooled, docno, pool in documents.iterator(chunk_size=10_000)}
    said: dict[str, list[Said]] = {}
    for each in zip(current.pooled.tolist(), current.judge.tolist(), current.relevance.tolist(), strict=True):
        if place := places.get(each[0]):
            said.setdefault(place[0], []).append(each)
    for docno, labels in sorted(said.items()):
        yield docno, places[labels[0][0]][1], labels


def primary_judges(campaign: Campaign) -> dict[tuple[str, int], str]:
    """Return (topic, number of the pool) -> its primary judge: of several, whoever was given it earliest."""
    assignments = Assignment.objects.filter(topic__campaign=campaign, part=Assignment.Part.PRIMARY)
    rows = assignments.order_by("-assigned_at", "-pk").values_list(
        "topic__number", "pool__number", "judge__username"
    )
    return {(topic, pool): judge for topic, pool, judge in rows}  # the last that is written is the earliest


def settled_grades(campaign: Campaign, until: datetime) -> dict[int, Settled]:
    """Return pooled document -> its adjudicated grade at a time; what was opened again has none."""
    events = AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign, at__lte=until).order_by("pk")
    rows = events.values_list("pooled", "relevance", "by__username", "why", "at")
    last = {pooled: (relevance, by, why, at) for pooled, relevance, by, why, at in rows}
    return {
        pooled: Settled(relevance, by, why, at.isoformat())
        for pooled, (relevance, by, why, at) in last.items()
        if relevance is not None
    }


def pool_samples(campaign: Campaign, plan: ReleasePlan) -> dict[int, Sample]:
    """Return pool number -> sample of every stratified pool in the scope, made anew from the pool's runs."""
    samples = {}
    for pool in pools_in(campaign, plan).filter(strategy="stratified"):
        parameters, runs = pool.manifest["parameters"], list(pool.runs.select_related("columns"))
        deepest = parse_strata(parameters["strata"])[-1].deepest
        sample = sample_of(
            ranked_runs(campaign, runs, deepest), parameters, pool.manifest["seed"], pool.manifest["ties"]
        )
        samples[pool.number] = {
            t: placed for t, placed in sample.items() if not plan.topics or t in plan.topics
        }
    return samples


def qrels_of(release: QrelsRelease) -> Qrels:
    with release.file.open("rb") as file:
        return parse_qrels(file.read(), str(release))


def release_difference(first: QrelsRelease, second: QrelsRelease) -> Difference:
    """Return what changed. No release ever does, so it is kept."""
    stamp = first.sha256, second.sha256
    return kept(
        first.campaign,
        f"difference-{first.number}-{second.number}",
        stamp,
        lambda: difference(qrels_of(first), qrels_of(second)),
    )
