"""The services of metrics: the only code here that writes to the database."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from django.db import transaction
from django.urls import reverse

from assess.models import QrelsRelease
from assess.queries.release_plans import latest_release
from metrics.engine.evaluate import Scores, score
from metrics.leaderboard import UNJUDGED
from metrics.measures.base import Measure
from metrics.measures.names import parse_measure, usual_measures
from metrics.models import Score
from metrics.queries.runs import CURVE
from metrics.queries.scores import PROFILE, hits_of_runs, missing_scores, scoring_progress
from pooling.models import Job, Run
from pooling.services.jobs import advance, finish
from pooling.words import counted

CHUNK = 20  # runs whose scores are committed together


def default_measures(release: QrelsRelease) -> list[Measure]:
    """Return the measures that every run is scored on and that pages show by default."""
    return [*usual_measures(len(release.manifest["scale"])), parse_measure(UNJUDGED)]


def release_measures(release: QrelsRelease) -> list[Measure]:
    """Return the measures of a release's scoring job: the default ones and the curve of a run's page."""
    return [*default_measures(release), *CURVE]


def score_release(
    release: QrelsRelease,
    measures: Sequence[Measure] | None = None,
    runs: Iterable[Run] | None = None,
) -> int:
    """Score runs (by default all) on measures (by default the usual ones) where no score is stored.

    Returns the number of runs that were scored. A score is a function of two checksums, so this may be called
    again at any time, also after an interruption; stored scores stay. Raises BadMeasure for a measure that
    cannot be computed on these qrels.
    """
    return sum(score_in_chunks(release, measures, runs))


def score_in_chunks(
    release: QrelsRelease,
    measures: Sequence[Measure] | None = None,
    runs: Iterable[Run] | None = None,
    on_progress: Callable[[int], None] = lambda scored: None,
) -> Generator[int, None, None]:
    """Score as `score_release`, CHUNK runs at a time; yield the size of each chunk after its commit.

    on_progress: called with the number of runs scored so far, in the transaction that stores them.
    """
    wanted = default_measures(release) if measures is None else measures
    missing = missing_scores(release, list(release.campaign.runs.active() if runs is None else runs), wanted)
    for first in range(0, len(missing), CHUNK):
        chunk = missing[first : first + CHUNK]
        all_hits = hits_of_runs(release, [run for run, _ in chunk])
        scores: list[Score] = []
        for (run, its_measures), hits in zip(chunk, all_hits, strict=True):
            scores += _scores_of(run, release, score(hits, its_measures, missing="all"))
        with transaction.atomic():
            Score.objects.bulk_create(scores, batch_size=500, ignore_conflicts=True)
            on_progress(first + len(chunk))
        yield len(chunk)


def score_submitted_run(run: Run) -> None:
    """Store the scores of a new run against the latest release, if there is one."""
    if release := latest_release(run.campaign):
        score_release(release, release_measures(release), [run])


def score_in_background(job: Job) -> None:
    """Score every run against the release of a job. Raises Stopped.

    The job's argument `release` is the release number. Scores of an earlier attempt are not computed again.
    """
    release = job.campaign.releases.get(number=job.arguments["release"])
    scored, total = scoring_progress(release, default_measures(release))

    def report_progress(more: int) -> None:
        advance(job, min(scored + more, total), total, "runs scored")

    for _ in score_in_chunks(release, release_measures(release), on_progress=report_progress):
        pass
    url = reverse("metrics:leaderboard", args=[job.campaign.slug, release.number])
    finish(job, f"{counted(total, 'run')} scored against {release}", url)


def _scores_of(run: Run, release: QrelsRelease, scores: Scores) -> Iterator[Score]:
    for column, measure in enumerate(scores.measures):
        by_topic = dict(zip(scores.topics, scores.values[:, column].tolist(), strict=True))
        yield Score(
            run=run,
            release=release,
            profile=PROFILE,
            measure=measure.name,
            value=float(scores.means[column]),
            by_topic=by_topic,
        )
