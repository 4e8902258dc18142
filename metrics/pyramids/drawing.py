"""Where the tiers and units of a pyramid stand in its drawing, and which of them are ringed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from metrics.pyramids.scores import tiers_of

MOST_UNITS = 300  # of a pyramid that is drawn
IN_A_ROW, STEP, ROW = 14, 44, 52  # units in a row; places of units in a row and of rows
SLOPE = 40  # by which a side goes out in a row, if there is room
TOP, BESIDE = 6, 12  # above the drawing, and beside the units of a row
HALF = IN_A_ROW * STEP / 2 + BESIDE  # of the widest tier
CENTRE, WIDTH = HALF + 4, 2 * HALF + 172  # the rest is for the texts of tiers
LONG = 1000  # uids from here on are written smaller


class DrawnUnit(NamedTuple):
    """A unit as a circle. is_best: in some optimal summary. first, second: ringed as of one of two."""

    uid: int
    label: str
    x: float
    y: float
    is_best: bool
    first: bool
    second: bool

    @property
    def is_long(self) -> bool:
        return self.uid >= LONG


class DrawnTier(NamedTuple):
    """The units of one weight. points: the corners of the shape behind them, as SVG has them."""

    weight: int
    points: str
    y: float
    units: Sequence[DrawnUnit]


class Drawing(NamedTuple):
    width: float
    height: float
    label_x: float
    tiers: Sequence[DrawnTier]


def drawing_of(
    weights: Mapping[int, int],
    labels: Mapping[int, str],
    best: Collection[int],
    rings: Sequence[Collection[int]],
) -> Drawing | None:
    """Return the drawing of a pyramid, the heaviest tier on top; None for one of too many units or none.

    weights, labels: of each uid. best: uids in some optimal summary. rings: the uids of up to two summaries.
    A tier of more than IN_A_ROW units has several rows. The sides are straight, and hold every row.
    """
    if not 0 < len(weights) <= MOST_UNITS:
        return None
    rows = [(weight, row) for weight in tiers_of(weights.values()) for row in _rows_of(weights, weight)]
    count, needed = len(rows), [len(row) * STEP / 2 + BESIDE for _, row in rows]
    base = min(HALF, max(need + SLOPE * (count - place) for place, need in enumerate(needed)))
    slope = min([SLOPE, *((base - need) / (count - place) for place, need in enumerate(needed))])
    tiers, ringed = [], [*rings, (), ()]
    for weight in tiers_of(weights.values()):
        places = [place for place, (own, _) in enumerate(rows) if own == weight]
        above, below = places[0], places[-1] + 1
        corners = ((above, -1), (above, 1), (below, 1), (below, -1))
        points = " ".join(
            f"{CENTRE + side * (base - slope * (count - row)):g},{TOP + ROW * row}" for row, side in corners
        )
        units = [
            DrawnUnit(
                uid,
                labels[uid],
                CENTRE + STEP * (column - (len(rows[place][1]) - 1) / 2),
                TOP + ROW * (place + 0.5),
                uid in best,
                uid in ringed[0],
                uid in ringed[1],
            )
            for place in places
            for column, uid in enumerate(rows[place][1])
        ]
        tiers.append(DrawnTier(weight, points, TOP + ROW * (above + below) / 2, units))
    return Drawing(WIDTH, 2 * TOP + ROW * count, 2 * HALF + 16, tiers)


def _rows_of(weights: Mapping[int, int], weight: int) -> list[list[int]]:
    """Return the units of a tier in as few rows as they need, as even as they can be; longer ones last."""
    tier = [uid for uid, own in weights.items() if own == weight]
    count = -(-len(tier) // IN_A_ROW)
    ends = [len(tier) * row // count for row in range(count + 1)]
    return [tier[start:end] for start, end in zip(ends, ends[1:], strict=False)]
