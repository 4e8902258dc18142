"""The only writers of the top floor. They never see a request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assess.models import QrelsRelease
from metrics.evaluate import score
from metrics.measure import Measure
from metrics.models import Score
from metrics.queries import PROFILE, runs_without_scores, scored
from metrics.registry import parse_measures
from metrics.stored import NumberedIndex, find_stored_hits
from pooling.models import Run
from pooling.qrels import parse_qrels
from pooling.queries import docno_table

MEASURES = "nDCG@10 AP P@5 P@10 R@100 nDCG Rprec RR bpref"


def score_release(release: QrelsRelease) -> int:
    """Score every run of the campaign that this release has no scores for; return how many.

    A score hangs on two checksums alone, so this may be called again at any time and changes nothing then.
    """
    runs = list(runs_without_scores(release))
    if not runs:
        return 0
    with release.file.open("rb") as file:
        qrels = parse_qrels(file.read(), str(release))
    index = NumberedIndex(qrels, docno_table(release.campaign))
    measures = parse_measures(MEASURES)
    scores = [line for run in runs for line in _scores_of(run, release, index, measures)]
    Score.objects.bulk_create(scores, batch_size=500, ignore_conflicts=True)
    return len(runs)


def _scores_of(
    run: Run, release: QrelsRelease, index: NumberedIndex, measures: Sequence[Measure]
) -> Iterator[Score]:
    threshold = release.manifest["threshold"]
    scores = score(find_stored_hits(scored(run), index, threshold), measures, missing="all")
    for column, measure in enumerate(measures):
        by_topic = dict(zip(scores.topics, scores.values[:, column].tolist(), strict=True))
        yield Score(
            run=run,
            release=release,
            profile=PROFILE,
            measure=measure.name,
            value=float(scores.means[column]),
            by_topic=by_topic,
        )
