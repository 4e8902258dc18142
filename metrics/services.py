"""The only writers of the top floor. They never see a request."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence

from django.db import transaction
from django.urls import reverse

from assess.models import QrelsRelease
from assess.queries.releases import latest_release
from metrics.boards import UNJUDGED
from metrics.evaluate import Scores, score
from metrics.measure import Measure
from metrics.models import Score
from metrics.queries.reports import CURVE
from metrics.queries.scores import PROFILE, hits_of_runs, lacking, scoring_progress
from metrics.registry import parse_measure, usual_measures
from pooling.models import Job, Run
from pooling.services.jobs import advance, finish

CHUNK = 20  # runs whose scores are committed together


def measures_first(release: QrelsRelease) -> list[Measure]:
    """Return the measures that every run is scored on before anybody asks."""
    return [*usual_measures(len(release.manifest["scale"])), parse_measure(UNJUDGED)]


def measures_at_release(release: QrelsRelease) -> list[Measure]:
    """Return what the job of a release scores: the first measures, and those that a run's page draws."""
    return [*measures_first(release), *CURVE]


def score_release(
    release: QrelsRelease,
    measures: Sequence[Measure] | None = None,
    runs: Iterable[Run] | None = None,
) -> int:
    """Score runs (all of the campaign) on measures (the usual ones) where they have no score yet.

    Returns how many runs were scored. A score hangs on two checksums alone, so this may be called again at
    any time, also after it was broken off: what is there stays. Raises BadMeasure for a measure that these
    qrels cannot carry.
    """
    return sum(score_in_chunks(release, measures, runs))


def score_in_chunks(
    release: QrelsRelease,
    measures: Sequence[Measure] | None = None,
    runs: Iterable[Run] | None = None,
    told: Callable[[int], None] = lambda scored: None,
) -> Generator[int, None, None]:
    """Do what `score_release` does, a few runs at a time; yield how many were scored after each commit.

    told: is told how many are scored so far, in the transaction that stores them.
    """
    wanted = measures_first(release) if measures is None else measures
    missing = lacking(release, list(release.campaign.runs.all() if runs is None else runs), wanted)
    for first in range(0, len(missing), CHUNK):
        chunk = missing[first : first + CHUNK]
        found = hits_of_runs(release, [run for run, _ in chunk])
        scores: list[Score] = []
        for (run, its_measures), hits in zip(chunk, found, strict=True):
            scores += _scores_of(run, release, score(hits, its_measures, missing="all"))
        with transaction.atomic():
            Score.objects.bulk_create(scores, batch_size=500, ignore_conflicts=True)
            told(first + len(chunk))
        yield len(chunk)


def score_submitted_run(run: Run) -> None:
    """Store the scores of a new run against the newest release, if there is one."""
    if release := latest_release(run.campaign):
        score_release(release, measures_at_release(release), [run])


def score_in_background(job: Job) -> None:
    """Score every run against the release of a job. Raises Stopped.

    Arguments of the job: release, its number. What an earlier attempt stored is not scored again.
    """
    release = job.campaign.releases.get(number=job.arguments["release"])
    scored, total = scoring_progress(release, measures_first(release))

    def note(more: int) -> None:
        advance(job, min(scored + more, total), total, "runs scored")

    for _ in score_in_chunks(release, measures_at_release(release), told=note):
        pass
    place = reverse("metrics:leaderboard", args=[job.campaign.slug, release.number])
    finish(job, f"{total:,} runs scored against {release}", place)


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
