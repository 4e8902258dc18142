"""The services of metrics: the only code here that writes to the database."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple

from django.conf import settings
from django.core.files.base import ContentFile
from django.db import IntegrityError, transaction
from django.db.models import Max
from django.urls import reverse

from accounts.models import User
from accounts.services import make_once
from assess.models import QrelsRelease
from assess.queries.release_plans import latest_release
from metrics.engine.evaluate import Scores, score
from metrics.interleaving.clicks import read_clicks
from metrics.interleaving.lists import Plan, as_json_lines, lists_name, merged_lists, topics_that_differ
from metrics.leaderboard import UNJUDGED
from metrics.measures.base import Measure
from metrics.measures.names import parse_measure, usual_measures
from metrics.models import Interleaving, InterleavingClicks, Score
from metrics.queries.interleaving import comparison_of, rankings_of
from metrics.queries.runs import CURVE
from metrics.queries.scores import PROFILE, hits_of_runs, missing_scores, scoring_progress
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.models import Campaign, Job, Run, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.files import store_once
from pooling.services.jobs import advance, finish

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
        found = hits_of_runs(release, [run for run, _ in chunk])
        scores: list[Score] = []
        for (run, its_measures), hits in zip(chunk, found, strict=True):
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


class InterleavingRefused(Refused):
    """Two runs cannot be interleaved; the message says why."""


class InterleavingPlan(NamedTuple):
    """The request for lists. length: documents in a list. lists: the number of lists of a topic."""

    run_a: Run
    run_b: Run
    method: str
    length: int
    lists: int
    seed: int
    topics: Sequence[Topic]


def create_interleaving(
    campaign: Campaign, organiser: User, asked: InterleavingPlan, key: str = ""
) -> Interleaving:
    """Merge the lists of two runs, and store them. A topic on which the runs do not differ has no list.

    key: see `make_once`. The lists are merged and stored before the transaction. Raises InterleavingRefused
    and StateRefused.
    """
    check_writable(campaign.state)
    if asked.run_a == asked.run_b:
        raise InterleavingRefused("Choose two different runs.")
    rankings = rankings_of(asked.run_a), rankings_of(asked.run_b)
    differing = set(topics_that_differ(*rankings, asked.length))
    numbers = [topic.number for topic in asked.topics]
    topics = [number for number in numbers if number in differing]
    if not topics:
        raise InterleavingRefused(
            f"Nothing to compare: on every topic, both runs have the same first {asked.length} documents, "
            "or one of them has none."
        )
    plan = Plan(asked.run_a.tag, asked.run_b.tag, asked.method, asked.length, asked.seed, asked.lists)
    content = as_json_lines(plan, merged_lists(plan, *rankings, topics))
    parameters = {
        **{name: value for name, value in plan._asdict().items() if name != "method"},
        "topics": topics,
        "left_out": [number for number in numbers if number not in differing],
    }
    checksum = sha256_of(content)
    row = Interleaving(
        campaign=campaign,
        run_a=asked.run_a,
        run_b=asked.run_b,
        method=asked.method,
        parameters=parameters,
        sha256=checksum,
        file=store_once(lists_name(checksum), ContentFile(content), checksum),
        list_count=content.count(b"\n"),
        created_by=organiser,
    )
    return make_once(organiser, key, Interleaving, lambda: _store_interleaving(row))


def _store_interleaving(row: Interleaving) -> Interleaving:
    campaign = row.campaign
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # one number at a time
    row.number = (campaign.interleavings.aggregate(last=Max("number"))["last"] or 0) + 1
    row.save()
    summary = f"{row.run_a.tag} and {row.run_b.tag}, {row.method}, {row.list_count:,} lists"
    log_change(campaign, row.created_by, "interleaved runs", summary, number=row.number, sha256=row.sha256)
    return row


def load_clicks(interleaving: Interleaving, organiser: User, content: bytes, name: str) -> InterleavingClicks:
    """Count the sessions of a file of clicks. Only the counts and the checksum are stored.

    The file is read before the transaction. Raises BadFile, and then nothing is stored, and StateRefused.
    """
    check_writable(interleaving.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    checksum = sha256_of(text)
    again = BadFile(
        "expected a file that was not loaded before, but its sessions are counted already", name=name
    )
    if interleaving.clicks.filter(sha256=checksum).exists():
        raise again
    counts = read_clicks(text, comparison_of(interleaving), name)
    try:
        with transaction.atomic():
            stored = InterleavingClicks.objects.create(
                interleaving=interleaving, sha256=checksum, counts=counts, loaded_by=organiser
            )
            sessions = sum(each.sessions for each in counts.values())
            summary = f"{sessions:,} sessions of {interleaving}"
            log_change(
                interleaving.campaign, organiser, "loaded interleaving clicks", summary, sha256=checksum
            )
    except IntegrityError:  # another request loaded the same file first
        raise again from None
    return stored
