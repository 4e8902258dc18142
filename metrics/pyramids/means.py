"""The scores of peers, cell by cell, and their means over topics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from metrics.pyramids.scores import PyramidScores
from metrics.rankings.ranking import ranks

NAMES = (
    "original",
    "modified, floor",
    "modified, ceil",
    "comprehensive, floor",
    "comprehensive, ceil",
)  # floor, ceil: how the mean number of units in a model summary is made whole
RANKED = NAMES.index("comprehensive, floor")


class ScoreCell(NamedTuple):
    """A score. how: its numerator and denominator, "" for a mean of others. reason: why it is undefined."""

    name: str
    value: float | None
    how: str
    reason: str


class PeerScores(NamedTuple):
    """The scores of a peer on a topic, with the mean number of units rounded down and up."""

    topic: str
    peer: str
    floor: PyramidScores
    ceil: PyramidScores

    @property
    def cells(self) -> list[ScoreCell]:
        """A cell for each of NAMES."""
        floor, ceil = self.floor, self.ceil
        return [
            _cell(NAMES[0], floor.original, "original", floor, f"{floor.weight} / {floor.best_of_spans}"),
            _cell(NAMES[1], floor.modified, "modified", floor, _capped(floor)),
            _cell(NAMES[2], ceil.modified, "modified", ceil, _capped(ceil)),
            _cell(NAMES[3], floor.comprehensive, "comprehensive", floor, ""),
            _cell(NAMES[4], ceil.comprehensive, "comprehensive", ceil, ""),
        ]


def _cell(name: str, value: float | None, kind: str, scores: PyramidScores, how: str) -> ScoreCell:
    reason = scores.reasons.get(kind, "")
    return ScoreCell(name, value, "" if reason else how, reason)


def _capped(scores: PyramidScores) -> str:
    best = scores.best_of_expected or 0
    fraction = f"{scores.weight} / {best}"
    return f"min(1, {fraction})" if scores.weight > best else fraction


class MeanScore(NamedTuple):
    """The mean over the topics on which a score is defined; None without one."""

    mean: float | None
    topics: int


class PeerMeans(NamedTuple):
    """The means of a peer, one for each of NAMES. left_out: the undefined scores, in words.

    rank: by the mean of the comprehensive score, floor; None without one.
    """

    peer: str
    topics: int
    means: Sequence[MeanScore]
    left_out: Sequence[str]
    rank: int | None


def peer_means(scored: Iterable[PeerScores]) -> list[PeerMeans]:
    """Return the means of every peer over its topics, the best first. Undefined scores are left out."""
    by_peer: dict[str, list[PeerScores]] = {}
    for each in scored:
        by_peer.setdefault(each.peer, []).append(each)
    rows = [PeerMeans(peer, len(own), _means(own), _left_out(own), None) for peer, own in by_peer.items()]
    ranked = [row for row in rows if row.means[RANKED].mean is not None]
    values = np.array([row.means[RANKED].mean for row in ranked], dtype=np.float64)
    placed = [
        row._replace(rank=rank)
        for row, rank in zip(ranked, ranks(values).tolist() if ranked else [], strict=True)
    ]
    unplaced = [row for row in rows if row.means[RANKED].mean is None]
    return sorted(placed, key=lambda row: (row.rank or 0, row.peer)) + sorted(unplaced)


def _means(own: Sequence[PeerScores]) -> list[MeanScore]:
    columns = zip(*(each.cells for each in own), strict=True)
    defined = [[cell.value for cell in column if cell.value is not None] for column in columns]
    return [MeanScore(sum(values) / len(values) if values else None, len(values)) for values in defined]


def _left_out(own: Sequence[PeerScores]) -> list[str]:
    return [
        f"topic {each.topic}, {cell.name}: {cell.reason}"
        for each in own
        for cell in each.cells
        if cell.reason and not cell.name.startswith("comprehensive")
    ]
