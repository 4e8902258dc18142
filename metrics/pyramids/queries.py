"""A stored pyramid as its page shows it, and the scores of peers against the pyramids of a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assess.models import AnnotatedPeer, TopicPyramid
from assess.pyramids.model import Pyramid, Unit
from assess.pyramids.queries import pyramid_in
from metrics.pyramids.drawing import Drawing, drawing_of
from metrics.pyramids.means import PeerScores
from metrics.pyramids.scores import (
    ROUNDINGS,
    OptimalSummaries,
    PyramidScores,
    best_weight,
    expected_units,
    optimal_summaries,
    pyramid_scores,
    tiers_of,
)
from pooling.models import Campaign

MOST_SUMMARIES = 20  # optimal ones that are listed
MOST_COUNTED = 1_000_000  # more optimal summaries than this are said to be more


def scores_of(pyramid: TopicPyramid, peer: AnnotatedPeer) -> PeerScores:
    """Return the scores of a peer against its pyramid."""
    weights, order, spans = pyramid.weights, pyramid.order, peer.span_counts
    floor, ceil = (pyramid_scores(weights, order, spans, rounding) for rounding in ROUNDINGS)
    return PeerScores(pyramid.topic.number, peer.peer, floor, ceil)


def campaign_scores(campaign: Campaign) -> list[PeerScores]:
    """Return the scores of all peers on all topics, without withdrawn files."""
    annotated = AnnotatedPeer.objects.filter(pyramid__campaign=campaign, withdrawn_at=None)
    peers = annotated.filter(pyramid__withdrawn_at=None).select_related("pyramid__topic")
    return [scores_of(peer.pyramid, peer) for peer in peers.order_by("pyramid__topic__place", "peer")]


COLUMNS = (
    "topic", "peer", "weight", "units", "repeated", "unmatched", "spans", "best_of_spans", "original",
    "mean_units", "expected_units_floor", "best_floor", "modified_floor", "comprehensive_floor",
    "expected_units_ceil", "best_ceil", "modified_ceil", "comprehensive_ceil", "undefined",
)  # fmt: skip


def score_rows(scored: Iterable[PeerScores]) -> Iterator[dict[str, Any]]:
    """Yield a row for each peer on each topic; an undefined score is None, and `undefined` says why."""
    for topic, peer, floor, ceil in scored:
        own = [getattr(floor, name) for name in COLUMNS[2:10]]
        said = "; ".join(
            f"{name}: {why}" for name, why in floor.reasons.items()
        )  # rounded up there are no others
        values = (topic, peer, *own, *_rounded(floor), *_rounded(ceil), said)
        yield dict(zip(COLUMNS, values, strict=True))


def _rounded(scores: PyramidScores) -> tuple[int | float | None, ...]:
    return scores.expected_units, scores.best_of_expected, scores.modified, scores.comprehensive


class UnitRow(NamedTuple):
    """A unit in the table. models: its words in each model summary, "" where it has none.

    words: of all contributors, for files that do not say of which models they are. spans: of the peer.
    """

    uid: int
    label: str
    weight: int
    models: Sequence[str]
    words: Sequence[str]
    spans: int


class SummaryRow(NamedTuple):
    """An optimal summary. tiers: weight -> uids. ring: how it is drawn, or ""."""

    number: int
    tiers: dict[int, list[int]]
    ring: str


class PyramidView(NamedTuple):
    """What the page of a pyramid shows. size: of the optimal summaries.

    floor, ceil: mean number of units in a model summary, made whole; None without the number of models.
    """

    order: int | None
    units: Sequence[UnitRow]
    total: int
    mean: float | None
    floor: int | None
    ceil: int | None
    tiers: dict[int, int]
    size: int
    best: int
    optimal: OptimalSummaries
    summaries: Sequence[SummaryRow]
    drawing: Drawing | None

    @property
    def number(self) -> str:
        """How many optimal summaries there are; the exact number may have thousands of digits."""
        return f"{self.optimal.number:,}" if self.optimal.number <= MOST_COUNTED else "more than a million"


def pyramid_view(stored: TopicPyramid, size: int | None, peer: AnnotatedPeer | None) -> PyramidView:
    """Return the view of a pyramid. size: of the optimal summaries, by default as many units as a model has.

    Raises OSError and BadFile if the stored file cannot be read.
    """
    pyramid, weights, order = pyramid_in(stored), stored.weights, stored.order
    floor, ceil = (
        expected_units(weights.values(), order, rounding) if order else None for rounding in ROUNDINGS
    )
    size = min(len(weights), max(1, size or floor or 1))
    optimal = optimal_summaries(weights, size, MOST_SUMMARIES)
    rings = [optimal.summaries[0], *optimal.summaries[1:][-1:]]
    least = weights[optimal.summaries[0][-1]]
    labels = {unit.uid: unit.label for unit in pyramid.units}
    counts = peer.span_counts if peer else {}
    return PyramidView(
        order,
        [_unit_row(pyramid, unit, counts.get(unit.uid, 0)) for unit in by_weight(pyramid.units)],
        sum(weights.values()),
        sum(weights.values()) / order if order else None,
        floor,
        ceil,
        tiers_of(weights.values()),
        size,
        best_weight(tiers_of(weights.values()), size),
        optimal,
        _summary_rows(optimal, weights),
        drawing_of(weights, labels, {uid for uid, weight in weights.items() if weight >= least}, rings),
    )


def by_weight(units: Iterable[Unit]) -> list[Unit]:
    """Return units, the heaviest first, otherwise in their order."""
    return sorted(units, key=lambda unit: -len(unit.contributors))


def _unit_row(pyramid: Pyramid, unit: Unit, spans: int) -> UnitRow:
    models, words = [""] * (pyramid.order or 0), [own.label for own in unit.contributors]
    for own in unit.contributors:
        model = pyramid.model_of(own.parts[0])
        if model is not None:
            models[model] = own.label
    return UnitRow(unit.uid, unit.label, len(unit.contributors), models, words, spans)


def _summary_rows(optimal: OptimalSummaries, weights: Mapping[int, int]) -> list[SummaryRow]:
    rings = {len(optimal.summaries): "outer ring", 1: "dashed ring"}
    rows = []
    for number, uids in enumerate(optimal.summaries, start=1):
        tiers: dict[int, list[int]] = {}
        for uid in uids:
            tiers.setdefault(weights[uid], []).append(uid)
        rows.append(SummaryRow(number, tiers, rings.get(number, "")))
    return rows
