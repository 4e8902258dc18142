"""The draft of the next release from the current labels: grades, differences, missing documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assess.consensus import Decisions, LabelColumns, decide
from assess.event_columns import Ints, unique_of_sorted
from assess.models import QrelsRelease
from assess.no_grade import NoGrade
from assess.queries.adjudication import changed_in, settled_in
from assess.queries.campaign_reads import CampaignReads
from assess.queries.label_columns import CurrentLabels
from assess.queries.labels import has_suggestion
from assess.queries.release_plans import is_in_scope
from assess.queries.releases import qrels_of
from assess.release.diff import Totals, totals
from assess.release.plan import ReleasePlan, plan_to_json
from assess.release.sources import BETWEEN, MACHINES, PEOPLE, SHOWN, bit_of, names_of, sources_of
from pooling.arrays import Flags
from pooling.checksum import sha256_of
from pooling.formats.docnos import DocnoTable
from pooling.formats.qrels import Qrels
from pooling.strategies.candidates import pair_keys


class DraftDecisions(NamedTuple):
    """The documents in the scope of a plan that have a label, and the decisions of its rule.

    documents: places in `CampaignReads.pooled`. decisions: in the same order. settled: whether adjudicated.
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


def draft_decisions(reads: CampaignReads, plan: ReleasePlan) -> DraftDecisions:
    """Return the decisions of a release made now."""
    labels, judges = reads.labels.all, _admitted(reads, plan, reads.labels.all)
    read = np.isin(labels.judge, [*judges])
    read &= scope_columns(reads, plan)[np.searchsorted(reads.pooled.pk, labels.pooled)]
    labels, by_machine = labels.where(read), reads.labels.by_machine[read]
    return decide_labels(reads, plan, labels.where(plan.uses(labels.pooled, by_machine)), judges)


def decide_labels(
    reads: CampaignReads, plan: ReleasePlan, labels: CurrentLabels, judges: Mapping[int, str]
) -> DraftDecisions:
    """Return the decisions of a plan's rule on the documents that have one of these labels.

    judges: key -> username of the judges of the labels, keys ascending.
    """
    keys, document = unique_of_sorted(labels.pooled)  # labels are sorted by topic and document
    documents, names = np.searchsorted(reads.pooled.pk, keys), [*judges.values()]
    settled = _settled(reads)[documents]
    primary = _primary_judges(reads, documents, names)
    columns = LabelColumns(document, np.searchsorted([*judges], labels.judge), labels.relevance)
    scale = [grade.value for grade in reads.campaign.grades]
    decisions = decide(plan.rule, columns, names, primary, settled, plan.judge, scale)
    chosen = names.index(plan.judge) if plan.judge in names else -1
    sources = sources_of(plan.rule, columns, _label_sources(reads, labels), primary, settled, chosen)
    return DraftDecisions(documents, decisions, settled != NoGrade.MISSING, sources)


def _label_sources(reads: CampaignReads, labels: CurrentLabels) -> Ints:
    """Return the bit of the source of each label."""
    bits = np.where(has_suggestion(reads, labels), bit_of(SHOWN), bit_of(PEOPLE))
    for machine in reads.machines:
        bits[labels.judge == machine.user_id] = bit_of(MACHINES[machine.kind])
    return bits


class AgreedColumns(NamedTuple):
    """documents: places in `CampaignReads.pooled`, by topic, then key. grades: of a release made now."""

    documents: Ints
    grades: Ints


def agreed_columns(reads: CampaignReads, plan: ReleasePlan) -> AgreedColumns:
    """Return the grades of a release made now by this plan; cached until they may change."""
    return reads.cached("agreed", agreed_version(reads, plan), lambda: _agreed(reads, plan))


def agreed_version(reads: CampaignReads, plan: ReleasePlan) -> tuple[object, ...]:
    """Return a version that changes whenever the grades by a plan may change."""
    return reads.version, plan, tuple(reads.pool_keys), tuple(sorted(reads.primary_judges.items()))


def _agreed(reads: CampaignReads, plan: ReleasePlan) -> AgreedColumns:
    draft = draft_decisions(reads, plan)
    grades = draft.written(plan)
    graded = grades >= 0
    documents, grades = draft.documents[graded], grades[graded]
    order = np.argsort(reads.pooled.topic[documents], kind="stable")
    return AgreedColumns(documents[order], grades[order])


def scope_columns(reads: CampaignReads, plan: ReleasePlan) -> Flags:
    """Return for every document of `reads.pooled` whether it is in the scope of a plan: see `scope_of`."""
    topics = [not plan.topics or number in plan.topics for number in reads.topic_numbers]
    pools = [pool.pk for pool in reads.pools if is_in_scope(pool, plan)]
    inside: Flags = np.isin(reads.pooled.pool, pools)
    inside &= np.array(topics, dtype=bool)[reads.pooled.topic] & reads.is_to_be_judged
    return inside


def _admitted(reads: CampaignReads, plan: ReleasePlan, labels: CurrentLabels) -> dict[int, str]:
    """Return key -> username of the judges whose labels the plan uses, keys ascending."""
    used = set(labels.judge.tolist())
    sources = sorted(reads.sources, key=lambda source: source.user_id)
    return {
        source.user_id: source.user.username
        for source in sources
        if source.user_id in used and plan.admits(source.user.username, source.is_program)
    }


def _primary_judges(reads: CampaignReads, places: Ints, judges: Sequence[str]) -> Ints:
    """Return the place of each document's primary judge among the judges, -1 for none of them."""
    pools = sorted(reads.pools, key=lambda pool: pool.pk)
    topics, documents = _places(reads.topic_numbers), reads.pooled.where(places)
    numbers, row_of = _places(pool.number for pool in pools), _places(judges)
    of_part = np.full((len(topics), len(numbers)), -1)
    for (topic, pool), judge in reads.primary_judges.items():
        of_part[topics[topic], numbers[pool]] = row_of.get(judge, -1)
    return of_part[documents.topic, np.searchsorted([pool.pk for pool in pools], documents.pool)]


def _places(values: Iterable[Hashable]) -> dict[Hashable, int]:
    return {value: place for place, value in enumerate(values)}


def _settled(reads: CampaignReads) -> Ints:
    """Return the adjudicated grade of each pooled document, NoGrade.MISSING without one."""
    grades = np.full(len(reads.pooled.pk), NoGrade.MISSING, dtype=np.int64)
    places = np.searchsorted(reads.pooled.pk, list(reads.settled))
    grades[places] = [settled.relevance for settled in reads.settled.values()]
    return grades


class ReleasedLines(NamedTuple):
    """documents: the place in `CampaignReads.pooled` of every line."""

    qrels: Qrels
    documents: Ints


def released_columns(reads: CampaignReads, release: QrelsRelease) -> ReleasedLines:
    """Return the lines of a release."""
    # Keys of documents never change; their places do, when a pool with lower keys is committed later.
    qrels, keys = reads.cached("released-lines", release.sha256, lambda: _lines_with_keys(reads, release))
    return ReleasedLines(qrels, np.searchsorted(reads.pooled.pk, keys))


def _lines_with_keys(reads: CampaignReads, release: QrelsRelease) -> tuple[Qrels, Ints]:
    """Return the lines of a release, and the key of the pooled document of every line."""
    qrels, documents = qrels_of(release), reads.pooled
    names = DocnoTable(documents.docno)
    place_of = {number: place for place, number in enumerate(reads.topic_numbers)}
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
    last: the newest release, "" before there is one. difference: from that release. has_other_files: whether
    that release has no propagated labels and this one would. numbers: of the topics with a line.
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
    has_other_files: bool = False
    numbers: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the release would have judgments, and other judgments or files than the newest release."""
        d = self.difference
        changed = d is None or bool(d.added or d.removed or d.changed)
        return self.lines > 0 and (changed or self.has_other_files)

    @property
    def excluded(self) -> int:
        """Labelled documents that would have no line."""
        return sum(count for _, count in self.unwritten)

    @property
    def without(self) -> int:
        """Documents in the scope that would have no line."""
        return sum(count for _, count in self.missing)


def release_preview(reads: CampaignReads, plan: ReleasePlan) -> ReleasePreview:
    """Return the figures of a release without making it; cached until its input changes."""
    last = reads.latest_release
    version = *agreed_version(reads, plan), last.sha256 if last else ""
    name = f"release-figures-{sha256_of(repr(plan_to_json(plan)))}"
    return reads.cached(name, version, lambda: _release_preview(reads, plan, last))


def _release_preview(reads: CampaignReads, plan: ReleasePlan, last: QrelsRelease | None) -> ReleasePreview:
    draft, topic = draft_decisions(reads, plan), reads.pooled.topic
    grades = draft.written(plan)
    after = np.full(len(topic), NoGrade.NO_LINE, dtype=np.int64)
    after[draft.documents] = grades
    numbers = reads.topic_numbers
    in_scope, lines = (
        np.bincount(topic[chosen], minlength=len(numbers))
        for chosen in (scope_columns(reads, plan), after != NoGrade.NO_LINE)
    )
    missing = dict(zip(numbers, (in_scope - lines).tolist(), strict=True))
    threshold = reads.campaign.threshold if plan.threshold is None else plan.threshold
    return ReleasePreview(
        lines=int(lines.sum()),
        topics=int(np.count_nonzero(lines)),
        relevant=int((grades >= threshold).sum()),
        several=int((draft.decisions.graders[grades != NoGrade.NO_LINE] > 1).sum()),
        settled=int(draft.settled.sum()),
        changed=_changed(reads, draft),
        waiting=int(draft.waiting.sum()),
        unlabelled=int(in_scope.sum()) - len(grades),
        sources=_sources(draft.sources[grades != NoGrade.NO_LINE]),
        unwritten=_unwritten(draft.decisions, plan),
        missing=(+Counter(missing)).most_common(),
        last=f"{last}" if last else "",
        difference=_difference(reads, last, after) if last else None,
        has_other_files=bool(last and plan.propagated and not last.parameters.get("propagated")),
        numbers=tuple(number for number, count in zip(numbers, lines.tolist(), strict=True) if count),
    )


def _changed(reads: CampaignReads, draft: DraftDecisions) -> int:
    """Return the number of settled documents of a draft with a label that a judge changed since."""
    changed = list(changed_in(settled_in(reads.campaign)).values_list("pooled", flat=True))
    documents = reads.pooled.pk[draft.documents[draft.settled]]
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


def _difference(reads: CampaignReads, last: QrelsRelease, after: Ints) -> Totals:
    released, before = released_columns(reads, last), np.full(len(after), NoGrade.NO_LINE, dtype=np.int64)
    before[released.documents] = released.qrels.grades
    return totals(before, after)
