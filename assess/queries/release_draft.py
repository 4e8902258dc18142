"""The draft of the next release from the current labels: grades, differences, missing documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.consensus import Decisions, LabelColumns, decide
from assess.event_columns import Ints, unique_of_sorted
from assess.models import AdjudicationEvent, QrelsRelease
from assess.no_grade import NoGrade
from assess.queries.adjudication import changed_in, settled_in
from assess.queries.caching import cached, label_version
from assess.queries.labels import CurrentLabels, current_labels, has_suggestion, keys_of
from assess.queries.pooled_columns import PooledColumns, is_to_be_judged, pooled_columns
from assess.queries.releases import (
    latest_release,
    pools_in,
    primary_judges,
    qrels_of,
    settled_grades,
    topics_in,
)
from assess.release.diff import Totals, totals
from assess.release.plan import ReleasePlan, plan_to_json
from assess.release.sources import BETWEEN, MACHINES, PEOPLE, SHOWN, bit_of, names_of, sources_of
from pooling.arrays import Flags
from pooling.checksum import sha256_of
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import Qrels
from pooling.models import Campaign
from pooling.queries.documents import pool_keys
from pooling.strategies.candidates import pair_keys


class DraftDecisions(NamedTuple):
    """The documents in the scope of a plan that have a label, and the decisions of its rule.

    documents: places in `pooled_columns`. decisions: in the same order. settled: whether adjudicated.
    sources: of each decision, as sets of bits (`assess.release.sources`).
    """

    documents: Ints
    decisions: Decisions
    settled: Flags
    sources: Ints

    @property
    def waiting(self) -> Flags:
        """Which documents have different grades and are not settled."""
        return self.decisions.differ & ~self.settled

    def written(self, plan: ReleasePlan) -> Ints:
        """Return the number of each document in the qrels, or NoGrade.NO_LINE."""
        numbers = [plan.written(decision) for decision in self.decisions.different]
        written = [NoGrade.NO_LINE if number is None else number for number in numbers]
        return np.array(written, dtype=np.int64)[self.decisions.of_document]


def draft_decisions(campaign: Campaign, plan: ReleasePlan) -> DraftDecisions:
    """Return the decisions of a release made now."""
    labels, pooled = current_labels(campaign), pooled_columns(campaign)
    judges = _admitted(plan, labels)
    read = np.isin(labels.judge, [*judges])
    read &= scope_columns(campaign, plan)[np.searchsorted(pooled.pk, labels.pooled)]
    labels = labels.where(read)
    machines = [*campaign.machines.values_list("user", flat=True)]
    labels = labels.where(plan.uses(labels.pooled, np.isin(labels.judge, machines)))
    return decide_labels(campaign, plan, labels, judges)


def decide_labels(
    campaign: Campaign, plan: ReleasePlan, labels: CurrentLabels, judges: Mapping[int, str]
) -> DraftDecisions:
    """Return the decisions of a plan's rule on the documents that have one of these labels.

    judges: key -> username of the judges of the labels, keys ascending.
    """
    pooled = pooled_columns(campaign)
    kinds = dict(campaign.machines.values_list("user", "kind"))
    keys, document = unique_of_sorted(labels.pooled)  # labels are sorted by topic and document
    documents, names = np.searchsorted(pooled.pk, keys), [*judges.values()]
    settled = _settled(campaign, pooled.pk)[documents]
    primary = _primary_judges(campaign, pooled.where(documents), names)
    columns = LabelColumns(document, np.searchsorted([*judges], labels.judge), labels.relevance)
    scale = [grade.value for grade in campaign.grades]
    decisions = decide(plan.rule, columns, names, primary, settled, plan.judge, scale)
    chosen = names.index(plan.judge) if plan.judge in names else -1
    source = _label_sources(campaign, labels, kinds)
    sources = sources_of(plan.rule, columns, source, primary, settled, chosen)
    return DraftDecisions(documents, decisions, settled != NoGrade.MISSING, sources)


def _label_sources(campaign: Campaign, labels: CurrentLabels, kinds: Mapping[int, str]) -> Ints:
    """Return the bit of the source of each label. kinds: key of a machine judge's user -> kind."""
    bits = np.where(has_suggestion(campaign, labels), bit_of(SHOWN), bit_of(PEOPLE))
    for judge, kind in kinds.items():
        bits[labels.judge == judge] = bit_of(MACHINES[kind])
    return bits


class AgreedColumns(NamedTuple):
    """documents: places in `pooled_columns`, by topic, then key. grades: of a release made now."""

    documents: Ints
    grades: Ints


def agreed_columns(campaign: Campaign, plan: ReleasePlan) -> AgreedColumns:
    """Return the grades of a release made now by this plan; cached until they may change."""
    return cached(campaign, "agreed", agreed_version(campaign, plan), lambda: _agreed(campaign, plan))


def agreed_version(campaign: Campaign, plan: ReleasePlan) -> tuple[object, ...]:
    """Return a version that changes whenever the grades by a plan may change."""
    primary = tuple(sorted(primary_judges(campaign).items()))
    return label_version(campaign), plan, tuple(pool_keys(campaign)), primary


def _agreed(campaign: Campaign, plan: ReleasePlan) -> AgreedColumns:
    draft = draft_decisions(campaign, plan)
    grades = draft.written(plan)
    graded = grades >= 0
    documents, grades = draft.documents[graded], grades[graded]
    order = np.argsort(pooled_columns(campaign).topic[documents], kind="stable")
    return AgreedColumns(documents[order], grades[order])


def scope_columns(campaign: Campaign, plan: ReleasePlan) -> Flags:
    """Return for every document of `pooled_columns` whether it is in the scope of a plan: see `scope_of`."""
    documents, wanted = pooled_columns(campaign), set(keys_of(topics_in(campaign, plan)))
    topics = [key in wanted for key in campaign.topics.values_list("pk", flat=True)]
    inside: Flags = np.isin(documents.pool, keys_of(pools_in(campaign, plan)))
    inside &= np.array(topics, dtype=bool)[documents.topic] & is_to_be_judged(campaign)
    return inside


def _admitted(plan: ReleasePlan, labels: CurrentLabels) -> dict[int, str]:
    """Return key -> username of the judges whose labels the plan uses, keys ascending."""
    people = User.objects.filter(pk__in=np.unique(labels.judge).tolist()).order_by("pk")
    rows = people.values_list("pk", "username", "machine")
    return {pk: name for pk, name, machine in rows if plan.admits(name, machine is not None)}


def _primary_judges(campaign: Campaign, documents: PooledColumns, judges: Sequence[str]) -> Ints:
    """Return the place of each document's primary judge among the judges, -1 for none of them."""
    pools = campaign.pools.order_by("pk").values_list("pk", "number")
    topics = _places(campaign.topics.values_list("number", flat=True))
    numbers, row_of = _places(number for _, number in pools), _places(judges)
    of_part = np.full((len(topics), len(numbers)), -1)
    for (topic, pool), judge in primary_judges(campaign).items():
        of_part[topics[topic], numbers[pool]] = row_of.get(judge, -1)
    return of_part[documents.topic, np.searchsorted([key for key, _ in pools], documents.pool)]


def _places(values: Iterable[Hashable]) -> dict[Hashable, int]:
    return {value: place for place, value in enumerate(values)}


def _settled(campaign: Campaign, keys: Ints) -> Ints:
    """Return the adjudicated grade of each pooled document, NoGrade.MISSING without one. keys: ascending."""
    settled = settled_grades(AdjudicationEvent.objects.filter(pooled__pool__campaign=campaign))
    grades = np.full(len(keys), NoGrade.MISSING, dtype=np.int64)
    grades[np.searchsorted(keys, list(settled))] = [each.relevance for each in settled.values()]
    return grades


class ReleasedLines(NamedTuple):
    """documents: the place in `pooled_columns` of every line."""

    qrels: Qrels
    documents: Ints


def released_columns(release: QrelsRelease) -> ReleasedLines:
    """Return the lines of a release."""
    # Keys of documents never change; their places do, when a pool with lower keys is committed later.
    qrels, keys = cached(
        release.campaign, "released-lines", release.sha256, lambda: _lines_with_keys(release)
    )
    return ReleasedLines(qrels, np.searchsorted(pooled_columns(release.campaign).pk, keys))


def _lines_with_keys(release: QrelsRelease) -> tuple[Qrels, Ints]:
    """Return the lines of a release, and the key of the pooled document of every line."""
    qrels, documents = qrels_of(release), pooled_columns(release.campaign)
    numbers, names = release.campaign.topics.values_list("number", flat=True), DocnoTable(documents.docno)
    place_of = {number: place for place, number in enumerate(numbers)}
    keys = pair_keys(documents.topic, names.find(documents.docno))
    order = np.argsort(keys)
    places = np.array([place_of[topic] for topic in qrels.topics], dtype=np.int64)
    wanted = pair_keys(places[qrels.topic_of_rows()], names.find(qrels.docnos))
    return qrels, documents.pk[order[np.searchsorted(keys[order], wanted)]]


class ReleasePreview(NamedTuple):
    """The figures of a release made now.

    topics: with a line. several: lines with grades of more than one judge. settled: documents with a settled
    grade. changed: those of them with a label that a judge changed since. waiting: documents with different
    grades that are not settled. unlabelled: documents in the scope without a label that is used. sources:
    sources -> lines, most first. unwritten: reason -> number of labelled documents without a line. missing:
    topic -> documents in the scope without a line, most first.
    last: the newest release, "" before there is one. difference: from that release.
    """

    lines: int
    topics: int
    relevant: int
    several: int
    settled: int
    changed: int
    waiting: int
    unlabelled: int
    sources: list[tuple[str, int]]
    unwritten: list[tuple[str, int]]
    missing: list[tuple[str, int]]
    last: str
    difference: Totals | None

    @property
    def is_new(self) -> bool:
        """Whether the release would have judgments, and others than the newest release."""
        d = self.difference
        return self.lines > 0 and (d is None or bool(d.added or d.removed or d.changed))

    @property
    def excluded(self) -> int:
        """Labelled documents that would have no line."""
        return sum(count for _, count in self.unwritten)

    @property
    def without(self) -> int:
        """Documents in the scope that would have no line."""
        return sum(count for _, count in self.missing)


def release_preview(campaign: Campaign, plan: ReleasePlan) -> ReleasePreview:
    """Return the figures of a release without making it; cached until its input changes."""
    last = latest_release(campaign)
    version = *agreed_version(campaign, plan), last.sha256 if last else ""
    name = f"release-figures-{sha256_of(repr(plan_to_json(plan)))}"
    return cached(campaign, name, version, lambda: _release_preview(campaign, plan, last))


def _release_preview(campaign: Campaign, plan: ReleasePlan, last: QrelsRelease | None) -> ReleasePreview:
    draft, topic = draft_decisions(campaign, plan), pooled_columns(campaign).topic
    grades = draft.written(plan)
    after = np.full(len(topic), NoGrade.NO_LINE, dtype=np.int64)
    after[draft.documents] = grades
    numbers = list(campaign.topics.values_list("number", flat=True))
    in_scope, lines = (
        np.bincount(topic[chosen], minlength=len(numbers))
        for chosen in (scope_columns(campaign, plan), after != NoGrade.NO_LINE)
    )
    missing = dict(zip(numbers, (in_scope - lines).tolist(), strict=True))
    threshold = campaign.threshold if plan.threshold is None else plan.threshold
    return ReleasePreview(
        lines=int(lines.sum()),
        topics=int(np.count_nonzero(lines)),
        relevant=int((grades >= threshold).sum()),
        several=int((draft.decisions.graders[grades != NoGrade.NO_LINE] > 1).sum()),
        settled=int(draft.settled.sum()),
        changed=_changed(campaign, draft),
        waiting=int(draft.waiting.sum()),
        unlabelled=int(in_scope.sum()) - len(grades),
        sources=_sources(draft.sources[grades != NoGrade.NO_LINE]),
        unwritten=_unwritten(draft.decisions, plan),
        missing=(+Counter(missing)).most_common(),
        last=f"{last}" if last else "",
        difference=_difference(last, after) if last else None,
    )


def _changed(campaign: Campaign, draft: DraftDecisions) -> int:
    """Return the number of settled documents of a draft with a label that a judge changed since."""
    changed = list(changed_in(settled_in(campaign)).values_list("pooled", flat=True))
    documents = pooled_columns(campaign).pk[draft.documents[draft.settled]]
    return int(np.isin(documents, changed).sum())


def _sources(bits: Ints) -> list[tuple[str, int]]:
    """Return sources and numbers of lines, most first."""
    different, counts = np.unique(bits, return_counts=True)
    names = (BETWEEN.join(names_of(each)) for each in different.tolist())
    return Counter(dict(zip(names, counts.tolist(), strict=True))).most_common()


def _unwritten(decisions: Decisions, plan: ReleasePlan) -> list[tuple[str, int]]:
    """Return reasons and numbers of documents without a line."""
    counts = np.bincount(decisions.of_document, minlength=len(decisions.different)).tolist()
    documents = zip(decisions.different, counts, strict=True)
    return Counter({str(why): count for why, count in documents if plan.written(why) is None}).most_common()


def _difference(last: QrelsRelease, after: Ints) -> Totals:
    released, before = released_columns(last), np.full(len(after), NoGrade.NO_LINE, dtype=np.int64)
    before[released.documents] = released.qrels.grades
    return totals(before, after)
