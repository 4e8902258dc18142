"""The integrity check of scores: every stored score is recomputed from its two files."""

from __future__ import annotations

from collections.abc import Iterator

from assess.models import QrelsRelease
from assess.queries.extensions import integrity_checks
from assess.queries.integrity import CHECKS as ASSESS
from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import QrelsIndex, index_qrels
from metrics.measures.names import parse_measure
from metrics.models import Score
from pooling.formats.files import BadFile
from pooling.formats.qrels import parse_qrels
from pooling.integrity import Check, Fault, Faults
from pooling.models import Campaign, Run
from pooling.queries.integrity import CHECKS as POOLING
from pooling.queries.runs import read_submitted


def score_faults(campaign: Campaign) -> Iterator[Faults]:
    """Yield the faults of every run's scores against every release: values that differ in any bit."""
    for release in campaign.releases.order_by("number"):
        if not Score.objects.filter(release=release).exists():
            continue
        try:
            with release.file.open("rb") as file:
                index = index_qrels(parse_qrels(file.read(), str(release)))
        except (OSError, BadFile) as error:
            yield [Fault("scores", str(release), "a file of qrels", str(error))]
            continue
        for run in campaign.runs.filter(scores__release=release).distinct():
            yield list(_run_faults(run, release, index))


def _run_faults(run: Run, release: QrelsRelease, index: QrelsIndex) -> Iterator[Fault]:
    scores = list(Score.objects.filter(run=run, release=release).order_by("pk"))
    where = f"{run.tag} on {release}"
    try:
        _, columns = read_submitted(run)
        measures = {score.measure: parse_measure(score.measure) for score in scores}
    except (OSError, ValueError) as error:
        yield Fault("scores", where, "a file of a run and measures", str(error))
        return
    for profile in sorted({score.profile for score in scores}):
        given = [score for score in scores if score.profile == profile]
        requested = [measures[score.measure] for score in given]
        computed = evaluate(columns, index, requested, profile, "all", release.manifest["threshold"])
        for column, score in enumerate(given):
            values = dict(zip(computed.topics, computed.values[:, column].tolist(), strict=True))
            yield from _score_faults(
                score, f"{score.measure}, {where}", float(computed.means[column]), values
            )


def _score_faults(score: Score, where: str, mean: float, values: dict[str, float]) -> Iterator[Fault]:
    if repr(mean) != repr(score.value):
        yield Fault("score", where, repr(mean), repr(score.value))
    computed = {topic: repr(value) for topic, value in values.items()}
    stored = {topic: repr(value) for topic, value in score.by_topic.items()}
    differ = sorted(topic for topic in {*computed, *stored} if computed.get(topic) != stored.get(topic))
    if differ:
        others = f" ({len(differ) - 1:,} more topics)" if len(differ) > 1 else ""
        pair = computed.get(differ[0], "no value"), stored.get(differ[0], "no value")
        yield Fault("score", f"{where}, topic {differ[0]}{others}", *pair)


CHECKS = (Check("scored runs", score_faults),)


def every_fault(campaign: Campaign, checked_counts: dict[str, int]) -> Iterator[Fault]:
    """Yield every fault of a campaign.

    checked_counts: receives the number of items that each check examined.
    """
    for check in (*POOLING, *ASSESS, *CHECKS, *integrity_checks):
        checked_counts[check.name] = 0
        for faults in check.look(campaign):
            checked_counts[check.name] += 1
            yield from faults
