"""The magnitudes of a set, their result, and scores of runs with gains from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from accounts.models import User
from assess.magnitudes.queries.plan import candidates
from assess.magnitudes.queries.tasks import standing_magnitudes
from assess.models import Magnitude, MagnitudeSet, MagnitudeTask, QrelsRelease
from assess.queries.campaign_reads import CampaignReads
from assess.queries.release_draft import agreed_version
from assess.queries.releases import qrels_of
from metrics.engine.evaluate import score
from metrics.engine.stored_runs import NumberedIndex, find_stored_hits
from metrics.magnitudes.gains import code_gains
from metrics.magnitudes.result import MagnitudeResult, magnitude_result
from metrics.measures.registry import KINDS, make_measure
from metrics.queries.scores import ranked_runs_for, stored_runs, threshold_of, without_late_runs
from pooling.formats.qrels import Qrels, parse_qrels
from pooling.models import Run
from pooling.queries.caching import cached
from pooling.queries.runs import docno_table, docnos_version

CUTOFF = 10


class GivenMagnitudes(NamedTuple):
    """The magnitudes of a set. finished: topic -> judge -> docno -> magnitude, of topics that a judge has
    finished. open_topics: finished by no judge. cannot: documents of the former that cannot be judged."""

    finished: dict[str, dict[str, dict[str, float]]]
    open_topics: list[str]
    cannot: int


def given_magnitudes(about: MagnitudeSet, standing: dict[int, Magnitude]) -> GivenMagnitudes:
    """Return the magnitudes by topic, in the order of topics. standing: key of a task -> what was given."""
    tasks: dict[tuple[str, str], list[MagnitudeTask]] = {}
    related = about.tasks.select_related("pooled__topic", "judge")
    for task in related.order_by("pooled__topic__place", "judge__username", "place"):
        tasks.setdefault((task.pooled.topic.number, task.judge.username), []).append(task)
    finished: dict[str, dict[str, dict[str, float]]] = {}
    cannot = 0
    for (topic, judge), own in tasks.items():
        if all(task.pk in standing for task in own):
            values = {task.pooled.docno: standing[task.pk].value for task in own}
            numbers = {docno: value for docno, value in values.items() if value is not None}
            finished.setdefault(topic, {})[judge] = numbers
            cannot += len(values) - len(numbers)
    topics = dict.fromkeys(topic for topic, _ in tasks)
    return GivenMagnitudes(finished, [topic for topic in topics if topic not in finished], cannot)


def found_result(about: MagnitudeSet) -> MagnitudeResult:
    """Return the result of a set, computed once for each state of its numbers and of the labels."""
    reads, standing = CampaignReads(about.campaign), standing_magnitudes(about.tasks.all())

    def compute() -> MagnitudeResult:
        given, stored = given_magnitudes(about, standing), candidates(reads)
        grades = {
            topic: {docno: each.grade for docno, each in stored.get(topic, {}).items() if each.grade >= 0}
            for topic in given.finished
        }
        return magnitude_result(given.finished, grades, given.open_topics, given.cannot)

    keys = sorted(each.pk for each in standing.values())
    version = agreed_version(reads, reads.people_plan), tuple(keys)
    return cached(about.campaign, f"magnitudes-{about.pk}", version, compute)


class RunGains(NamedTuple):
    """A run's mean nDCG over the topics with gains: by magnitudes, and by the grades of a release."""

    run: Run
    magnitudes: float
    grades: float


def runs_by_gains(user: User, release: QrelsRelease, result: MagnitudeResult) -> list[RunGains]:
    """Return the ranked runs that a person may see, best by magnitudes first.

    The topics are those with gains that the release has, too; a document without a magnitude has no gain.
    """
    runs = without_late_runs(ranked_runs_for(user, release))
    gains = {topic: own for topic, own in result.gains.items() if topic in qrels_of(release).topics}
    if not gains or not runs:
        return []
    version = (
        release.sha256, [run.pk for run in runs], docnos_version(release.campaign),
        sorted((topic, *sorted(own.items())) for topic, own in gains.items()),
    )  # fmt: skip
    scores = cached(release.campaign, f"gains-{release.pk}", version, lambda: _scores(release, runs, gains))
    rows = [RunGains(run, *both) for run, both in zip(runs, scores, strict=True)]
    return sorted(rows, key=lambda row: (-row.magnitudes, row.run.tag))


def _scores(
    release: QrelsRelease, runs: Sequence[Run], gains: dict[str, dict[str, float]]
) -> list[tuple[float, float]]:
    coded = code_gains(gains)
    lines = [
        f"{topic} 0 {docno} {code}\n" for topic, own in coded.grades.items() for docno, code in own.items()
    ]
    scored: list[list[float]] = []
    for qrels, parameters in (
        (parse_qrels("".join(lines).encode()), {"gains": coded.gains}),
        (qrels_of(release), {}),
    ):
        scored.append(_means(release, runs, qrels, parameters, set(gains)))
    return list(zip(*scored, strict=True))


def _means(
    release: QrelsRelease, runs: Sequence[Run], qrels: Qrels, parameters: dict[str, str], topics: set[str]
) -> list[float]:
    """Return the mean nDCG of each run over some topics of qrels."""
    measure = make_measure(KINDS["nDCG"], parameters.items(), CUTOFF)
    numbered = NumberedIndex(qrels, docno_table(release.campaign))
    chosen = np.array([topic in topics for topic in numbered.index.topics])
    hits = (find_stored_hits(run, numbered, threshold_of(release)) for run in stored_runs(runs))
    return [float(np.mean(score(each, [measure]).values[chosen, 0])) for each in hits]


def qrels_lines(result: MagnitudeResult) -> Iterator[str]:
    """Yield qrels with a gain, a real number, in the place of the grade: `topic 0 docno gain`."""
    for each in result.documents:
        yield f"{each.topic} 0 {each.docno} {each.gain!r}\n"


GAIN_COLUMNS = ("topic", "docno", "gain", "relative", "judges", "lowest", "highest", "grade")


def gain_rows(result: MagnitudeResult) -> Iterator[dict[str, Any]]:
    """Yield a row for each document; grade: "" without one."""
    for each in result.documents:
        grade = "" if each.grade is None else each.grade
        values = (
            each.topic, each.docno, repr(each.gain), repr(each.relative), each.judges,
            repr(each.lowest), repr(each.highest), grade,
        )  # fmt: skip
        yield dict(zip(GAIN_COLUMNS, values, strict=True))


NUMBER_COLUMNS = ("topic", "docno", "judge", "number", "value", "reason", "text_hash", "pressed_at")


def number_rows(about: MagnitudeSet) -> Iterator[dict[str, Any]]:
    """Yield a row for each number that stands, also of open topics, by time.

    Judges have numbers, by their first numbers. value: "" for a document that cannot be judged.
    """
    keys = [each.pk for each in standing_magnitudes(about.tasks.all()).values()]
    judges = dict[str, int]()
    related = ("task__judge", "task__pooled__topic")
    for each in Magnitude.objects.filter(pk__in=keys).select_related(*related).order_by("pk"):
        pooled, judge = each.task.pooled, each.task.judge.username
        values = (
            pooled.topic.number, pooled.docno, judges.setdefault(judge, len(judges) + 1), each.number,
            "" if each.value is None else repr(each.value), each.reason, each.text_hash,
            each.pressed_at.isoformat(timespec="seconds"),
        )  # fmt: skip
        yield dict(zip(NUMBER_COLUMNS, values, strict=True))
