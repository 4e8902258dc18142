"""The scores of many runs at once, and the judged hits they are computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from django.db.models import Count, Q, QuerySet

from accounts.models import User
from assess.models import QrelsRelease
from assess.queries.release_states import annotate_after_release, is_published
from metrics.engine.evaluate import score
from metrics.engine.hits import Hits
from metrics.engine.stored_runs import NumberedIndex, StoredRun, find_stored_hits
from metrics.measures.base import BadMeasure, Measure
from metrics.measures.registry import make_measure
from metrics.models import Score
from pooling.arrays import IntVector, Matrix
from pooling.formats.qrels import parse_qrels
from pooling.models import Campaign, Job, Run, RunQuerySet, Topic
from pooling.queries.caching import cached
from pooling.queries.campaigns import visible_runs
from pooling.queries.runs import docno_table, docnos_version, stored_arrays

PROFILE = "trec_eval-9"
RUNS_AT_ONCE = 20
LONGEST_NAME = Score._meta.get_field("measure").max_length or 0  # characters of a name


class ScoreTable(NamedTuple):
    """Runs with their scores on some measures.

    topics: of the release, in byte order. values: float64 of shape (measures, runs, topics). means: float64
    of shape (measures, runs), averaged as trec_eval -c; those of Unjudged@k over the topics that the run
    answers. answered: int64 of shape (runs,), the number of topics of the release that each run answers.
    """

    runs: list[Run]
    measures: list[Measure]
    topics: list[str]
    values: Matrix
    means: Matrix
    answered: IntVector

    def of(self, name: str) -> tuple[Matrix, list[float]]:
        """Return the values, shape (runs, topics), and the means of one measure."""
        index = self._place(name)
        return self.values[index], self.means[index].tolist()

    def in_order(self, runs: Sequence[Run]) -> ScoreTable:
        """Return the table of these runs of it, in this order."""
        at = [self.runs.index(run) for run in runs]
        values, means = self.values[:, at], self.means[:, at]
        return self._replace(runs=list(runs), values=values, means=means, answered=self.answered[at])

    def measure(self, name: str) -> Measure:
        return self.measures[self._place(name)]

    def _place(self, name: str) -> int:
        return [measure.name for measure in self.measures].index(name)


def runs_with_visible_scores(user: User, release: QrelsRelease) -> RunQuerySet:
    """Return the runs whose scores this person may see, with `pool_count` and `after_release`.

    Participants see the scores of their own runs; by a public release those of every ranked run. Hidden runs
    are seen by organisers and by their own group. Withdrawn runs have no scores.
    """
    runs = _runs_seen_by(user, release.campaign, release.is_public).annotate_pooled()
    # annotate() with a count drops the default order of the model
    return annotate_after_release(runs, release.campaign).order_by("tag")


def comparable_runs(user: User, campaign: Campaign) -> RunQuerySet:
    """Return the runs of panels that this person may see: of a published campaign, every ranked run."""
    return _runs_seen_by(user, campaign, is_published(campaign))


def _runs_seen_by(user: User, campaign: Campaign, is_public: bool) -> RunQuerySet:
    own = visible_runs(user, campaign).active()
    if not is_public:
        return own
    return campaign.runs.active().filter(Q(is_hidden=False) | Q(pk__in=own.order_by().values("pk")))


def public_runs(release: QrelsRelease) -> list[Run]:
    """Return the runs of the public page: those that are not withdrawn or hidden."""
    runs = release.campaign.runs.ranked().annotate_pooled()
    return list(annotate_after_release(runs, release.campaign).order_by("tag"))


def without_late_runs(runs: Iterable[Run]) -> list[Run]:
    """Leave out runs that were submitted after a release was shared; of such runs alone, none."""
    every = list(runs)
    return [run for run in every if getattr(run, "after_release", None) is None] or every


def ranked_runs_for(user: User, release: QrelsRelease) -> RunQuerySet:
    """Return the runs of leaderboards, comparisons and files for this person: hidden ones are left out."""
    return runs_with_visible_scores(user, release).filter(is_hidden=False)


def threshold_of(release: QrelsRelease) -> int:
    """Return the grade from which the release's documents are relevant."""
    return int(release.manifest["threshold"])


def missing_scores(
    release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]
) -> list[tuple[Run, list[Measure]]]:
    """Return the runs without a stored score on some of the measures, each with those measures."""
    stored = set(_scores(release, measures).filter(run__in=runs).values_list("run_id", "measure"))
    pairs = ((run, [measure for measure in measures if (run.pk, measure.name) not in stored]) for run in runs)
    return [(run, missing) for run, missing in pairs if missing]


def measure_for(release: QrelsRelease, measure: Measure) -> Measure:
    """Return a measure for the runs of a release: with the size of the collection, if that is known.

    Raises BadMeasure for a measure that needs other judgments, or whose name is too long to be stored.
    """
    if measure.kind.needs != "qrels":
        raise BadMeasure(f"{measure.name} needs other qrels than a release has")
    size = release.campaign.collection_size
    if "N" in measure.kind.parameters and measure.arguments["N"] is None and size:
        given = {**dict(measure.parameters), "N": size}
        measure = make_measure(measure.kind, given.items(), measure.cutoff)
    if len(measure.name) > LONGEST_NAME:
        raise BadMeasure(f"expected a name of at most {LONGEST_NAME} characters, found {measure.name}")
    return measure


class ScoringProgress(NamedTuple):
    done: int
    total: int


def scoring_progress(release: QrelsRelease, measures: Sequence[Measure]) -> ScoringProgress:
    """Return the number of the campaign's runs that have all of these scores, and the number of runs."""
    active = _scores(release, measures).filter(run__withdrawn_at=None)
    rows = active.values("run").annotate(count=Count("pk"))
    done = rows.filter(count=len({measure.name for measure in measures})).count()
    return ScoringProgress(done, release.campaign.runs.active().count())


def scoring_job(release: QrelsRelease) -> Job | None:
    """Return the unfinished job that scores the release, if there is one."""
    jobs = release.campaign.jobs.filter(task="metrics.tasks.score_release", state__in=Job.UNFINISHED)
    return jobs.filter(arguments={"release": release.number}).first()


def _scores(release: QrelsRelease, measures: Sequence[Measure]) -> QuerySet[Score]:
    names = [measure.name for measure in measures]
    return Score.objects.filter(release=release, profile=PROFILE, measure__in=names)


def score_table(release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]) -> ScoreTable:
    """Return the scores of all of `runs` on all of the measures.

    Stored scores are read; others are computed and not stored. Raises BadMeasure for a measure that cannot
    be computed on these qrels.
    """
    named = {measure.name: measure for measure in measures}
    places = {name: index for index, name in enumerate(named)}
    columns = {run.pk: column for column, run in enumerate(runs)}
    rows = _scores(release, measures).filter(run__in=columns)
    topics = _topics(release, rows) if runs else []
    values = np.zeros((len(named), len(runs), len(topics)))
    means = np.zeros((len(named), len(runs)))
    known = np.zeros((len(named), len(runs)), dtype=bool)
    for pk, name, mean, by_topic in rows.values_list("run_id", "measure", "value", "by_topic").iterator():
        at = places[name], columns[pk]
        values[at] = [by_topic[topic] for topic in topics]
        means[at], known[at] = mean, True
    missing = np.flatnonzero(~known.all(axis=0)).tolist()
    every_hits = hits_of_runs(release, [runs[column] for column in missing])
    for column, hits in zip(missing, every_hits, strict=True):
        wanted = np.flatnonzero(~known[:, column]).tolist()
        scores = score(hits, [list(named.values())[index] for index in wanted])
        values[wanted, column], means[wanted, column] = scores.values.T, scores.means
    answered = answered_topics(runs, topics)
    for index, measure in enumerate(named.values()):
        if measure.kind.name == "Unjudged":  # a topic that a run lacks says nothing about the judgments
            means[index] = values[index].sum(axis=1) / np.maximum(answered, 1)
    return ScoreTable(list(runs), list(named.values()), topics, values, means, answered)


def answered_topics(runs: Sequence[Run], topics: Sequence[str]) -> IntVector:
    """Return for how many of these topics each run has documents; int64 of shape (runs,)."""
    wanted = set(topics)
    counts = [len(wanted.intersection(columns.topics)) for columns in stored_arrays(runs)]
    return np.array(counts, dtype=np.int64)


def mean_scores(release: QrelsRelease, runs: Sequence[Run], measures: Sequence[Measure]) -> Matrix:
    """Return the means of runs, shape (measures, runs), without reading topic values where all are stored."""
    rows = _scores(release, measures).filter(run__in=runs).values_list("measure", "run_id", "value")
    stored = {(name, run): value for name, run, value in rows}
    means = [[stored.get((measure.name, run.pk)) for run in runs] for measure in measures]
    if any(value is None for row in means for value in row):
        return score_table(release, runs, measures).means
    return np.array(means, dtype=np.float64).reshape(len(measures), len(runs))


def topics_with_places(release: QrelsRelease, table: ScoreTable) -> Iterator[tuple[Topic, int]]:
    """Yield the topics of a table in campaign order, without their long texts, and their positions in it."""
    places = {topic: index for index, topic in enumerate(table.topics)}
    for topic in release.campaign.topics.defer("description", "narrative"):
        if topic.number in places:
            yield topic, places[topic.number]


def _topics(release: QrelsRelease, rows: QuerySet[Score]) -> list[str]:
    """Return the release's topics in byte order: from a stored score if there is one, else from the qrels."""
    stored = rows.values_list("by_topic", flat=True).first()
    return sorted(stored, key=str.encode) if stored else list(numbered_index(release).index.topics)


def numbered_index(release: QrelsRelease) -> NumberedIndex:
    """Return the release's qrels indexed for stored runs, cached until the campaign has more documents."""

    def read() -> NumberedIndex:
        with release.file.open("rb") as file:
            return NumberedIndex(parse_qrels(file.read(), str(release)), docno_table(release.campaign))

    version = release.sha256, docnos_version(release.campaign)
    return cached(release.campaign, f"qrels-index-{release.number}", version, read)


def stored_runs(runs: Sequence[Run]) -> list[StoredRun]:
    """Return stored runs in the scoring order of the profile; their scores are not read."""
    return [
        StoredRun(PROFILE, columns.topics, columns.offsets, columns.scored_ids)
        for columns in stored_arrays(runs, "ids", "scoring")
    ]


def hits_of(release: QrelsRelease, run: Run) -> Hits:
    """Return the judged hits of a stored run."""
    return next(hits_of_runs(release, [run]))


def hits_of_runs(release: QrelsRelease, runs: Sequence[Run]) -> Iterator[Hits]:
    """Yield the judged hits of each run, in order; RUNS_AT_ONCE runs are in memory at a time."""
    for first in range(0, len(runs), RUNS_AT_ONCE):
        some = stored_runs(runs[first : first + RUNS_AT_ONCE])
        index = numbered_index(
            release
        )  # read after the runs, so that it has numbers for all of their documents
        for run in some:
            yield find_stored_hits(run, index, threshold_of(release))
