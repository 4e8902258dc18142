"""Scores of many runs at once, and the judged hits that they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from django.db.models import Count, QuerySet

from accounts.models import User
from assess.models import QrelsRelease
from metrics.hits import Hits
from metrics.measure import Measure
from metrics.models import Score
from metrics.stored import NumberedIndex, StoredRun, find_stored_hits
from pooling.columns import Vector
from pooling.docnos import DocnoTable
from pooling.models import Campaign, Job, Run, RunColumns, RunQuerySet
from pooling.qrels import parse_qrels
from pooling.queries import docno_table, runs_seen_by
from pooling.queries.runs import blobs_of, numbered_columns
from pooling.stored import unpack_columns

PROFILE = "trec_eval-9"
Values = npt.NDArray[np.float64]
Key = tuple[str, int, str, str]  # checksum of the release, threshold, checksum of the run, measure

VALUES: dict[Key, tuple[float, Vector]] = {}  # what was read: the score of two checksums never changes
TOPICS: dict[str, list[str]] = {}  # checksum of the release -> its topics, in byte order
VALUES_LIMIT = 64 << 20  # bytes, in this process
INDEXES: dict[str, tuple[DocnoTable, int, NumberedIndex]] = {}  # by checksum of the release
INDEXES_KEPT = 4
RUNS_AT_ONCE = 20

STORED: dict[tuple[int, str], StoredRun] = {}  # by key and checksum of the run: those that were last scored
STORED_KEPT = 200


class Field(NamedTuple):
    """The runs that one may see, with their scores on some measures.

    topics: of the release, in byte order. values: float64 of shape (measures, runs, topics). means: float64
    of shape (measures, runs), as trec_eval -c averages.
    """

    runs: list[Run]
    measures: list[Measure]
    topics: list[str]
    values: Values
    means: Values

    def of(self, name: str) -> tuple[Values, list[float]]:
        """Return one measure's values, shape (runs, topics), and its means."""
        place = self._place(name)
        return self.values[place], self.means[place].tolist()

    def measure(self, name: str) -> Measure:
        return self.measures[self._place(name)]

    def _place(self, name: str) -> int:
        return [measure.name for measure in self.measures].index(name)


def runs_on_board(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs whose scores this person may see: of a published campaign, all of them."""
    runs = campaign.runs.all() if campaign.is_published else runs_seen_by(user, campaign)
    return runs.annotate_pooled().order_by("tag")  # a query that counts forgets the model's order


def threshold_of(release: QrelsRelease) -> int:
    """Return the grade from which the release's documents are relevant."""
    return int(release.manifest["threshold"])


def lacking(
    release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]
) -> list[tuple[Run, list[Measure]]]:
    """Return the runs that lack a score on some of the measures, each with those.

    The database is asked, not this process's memory: scores may be dropped there.
    """
    rows = _scores(release, measures).filter(run__in=runs)
    if rows.count() == len(runs) * len({measure.name for measure in measures}):
        return []
    there = set(rows.values_list("run_id", "measure"))
    pairs = ((run, [each for each in measures if (run.pk, each.name) not in there]) for run in runs)
    return [(run, missing) for run, missing in pairs if missing]


def _unread(release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]) -> list[Run]:
    """Return the runs of which this process does not hold every one of these scores."""
    qrels, level, names = release.sha256, threshold_of(release), [measure.name for measure in measures]
    return [run for run in runs if any((qrels, level, run.sha256, name) not in VALUES for name in names)]


class Progress(NamedTuple):
    done: int
    total: int


def scoring_progress(release: QrelsRelease, measures: Sequence[Measure]) -> Progress:
    """Return how many of the campaign's runs have every one of these scores, and how many there are."""
    rows = _scores(release, measures).values("run").annotate(count=Count("pk"))
    done = rows.filter(count=len({measure.name for measure in measures})).count()
    return Progress(done, release.campaign.runs.count())


def scoring_job(release: QrelsRelease) -> Job | None:
    """Return the job that scores the release, while it waits or runs."""
    jobs = release.campaign.jobs.filter(task="metrics.tasks.score_release", state__in=Job.UNFINISHED)
    return jobs.filter(arguments={"release": release.number}).first()


def _scores(release: QrelsRelease, measures: Sequence[Measure]) -> QuerySet[Score]:
    names = [measure.name for measure in measures]
    return Score.objects.filter(release=release, profile=PROFILE, measure__in=names)


def field_of(release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]) -> Field:
    """Return the scores of those of `runs` that are scored on every measure."""
    qrels, level, names = release.sha256, threshold_of(release), [measure.name for measure in measures]
    unread = _unread(release, runs, measures)
    found = _read(release, unread, measures) if unread else {}
    kept = [
        (run, [found.get(key) or VALUES.get(key) for key in ((qrels, level, run.sha256, n) for n in names)])
        for run in runs
    ]
    scored = [(run, [pair for pair in row if pair]) for run, row in kept if all(row)]
    topics = TOPICS.get(qrels, []) if scored else []
    values = np.zeros((len(measures), len(scored), len(topics)))
    means = np.zeros((len(measures), len(scored)))
    for column, (_, row) in enumerate(scored):
        means[:, column] = [mean for mean, _ in row]
        for place, (_, vector) in enumerate(row):
            values[place, column] = vector
    return Field([run for run, _ in scored], list(measures), topics, values, means)


def _read(
    release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]
) -> dict[Key, tuple[float, Vector]]:
    """Read scores from the database, and keep them in this process."""
    qrels, level, by_pk = release.sha256, threshold_of(release), {run.pk: run.sha256 for run in runs}
    rows = _scores(release, measures).filter(run__in=by_pk)
    found: dict[Key, tuple[float, Vector]] = {}
    topics: list[str] = TOPICS.get(qrels, [])
    for pk, name, value, by_topic in rows.values_list("run_id", "measure", "value", "by_topic").iterator():
        topics = topics or sorted(by_topic, key=str.encode)
        found[qrels, level, by_pk[pk], name] = value, np.array([by_topic[topic] for topic in topics])
    if (len(VALUES) + len(found)) * 8 * len(topics) > VALUES_LIMIT:
        VALUES.clear()
    if len(found) * 8 * len(topics) <= VALUES_LIMIT:
        VALUES.update(found)
    if found:
        TOPICS[qrels] = topics
    return found


def numbered_index(release: QrelsRelease) -> NumberedIndex:
    """Return the release's qrels ready for stored runs; kept until the campaign numbers more documents."""
    table = docno_table(release.campaign)
    kept = INDEXES.get(release.sha256)
    if kept and kept[0] is table and kept[1] == len(table):
        return kept[2]
    size = len(table)
    with release.file.open("rb") as file:
        qrels = parse_qrels(file.read(), str(release))
    index = NumberedIndex(qrels, table)
    while len(INDEXES) >= INDEXES_KEPT:
        INDEXES.pop(next(iter(INDEXES)), None)
    INDEXES[release.sha256] = table, size, index
    return index


def scored(columns: RunColumns) -> StoredRun:
    """Return a stored run in the scoring order of the profile; its scores are not read."""
    blobs = (columns.topics, columns.offsets, columns.ids, b"", columns.scoring)
    found = unpack_columns(*map(bytes, blobs))
    return StoredRun(PROFILE, found.topics, found.offsets, found.scored_ids)


def stored_runs(runs: Sequence[Run]) -> list[StoredRun]:
    """Return runs as `scored` does, kept in this process: no run ever changes.

    Pools keep the documents of runs already: only the order in which they are scored is read.
    """
    known = {run.pk: STORED.get((run.pk, run.sha256)) for run in runs}
    found = {pk: run for pk, run in known.items() if run}
    if unread := [run for run in runs if run.pk not in found]:
        blobs = blobs_of([run.pk for run in unread], "scoring")
        orders = {pk: np.frombuffer(bytes(scoring), dtype="<i4") for pk, scoring in blobs}
        for run, columns in zip(unread, numbered_columns(unread), strict=True):
            ids = replace(columns, scoring=orders[run.pk]).scored_ids
            found[run.pk] = StoredRun(PROFILE, columns.topics, columns.offsets, ids)
        STORED.clear()
        STORED.update({(run.pk, run.sha256): found[run.pk] for run in runs[:STORED_KEPT]})
    return [found[run.pk] for run in runs]


def hits_of(release: QrelsRelease, columns: RunColumns) -> Hits:
    """Return the judged hits of a stored run."""
    return find_stored_hits(scored(columns), numbered_index(release), threshold_of(release))


def hits_of_runs(release: QrelsRelease, runs: Sequence[Run]) -> Iterator[Hits]:
    """Yield the judged hits of each run, in order; a few runs are held at a time."""
    for first in range(0, len(runs), RUNS_AT_ONCE):
        keys = [run.pk for run in runs[first : first + RUNS_AT_ONCE]]
        columns = RunColumns.objects.defer("scores").in_bulk(keys)
        index = numbered_index(release)  # read after the columns: it numbers every document of theirs
        for key in keys:
            yield find_stored_hits(scored(columns[key]), index, threshold_of(release))
