"""The plot of stability against the number of topics."""

from __future__ import annotations

from math import ceil

from metrics.generalisability.studies import GStudy, d_study
from metrics.plots import Plot, PlotValue

RELATIVE, ABSOLUTE = "relative (Eρ²)", "absolute (Φ)"
POINTS, STEP = 40, 5


def stability_plot(measure: str, study: GStudy) -> Plot:
    """Both stabilities, with the 95 % interval of the relative one as a band.

    Points are evenly spaced, up to twice the topics of the study or further.
    """
    step = STEP * max(1, ceil(2 * study.topics / (POINTS * STEP)))
    curve = d_study(study, range(step, POINTS * step + 1, step))
    rows: list[list[PlotValue]] = [
        [each.topics, each.relative.value, each.absolute.value, each.relative.low, each.relative.high]
        for each in curve
    ]
    has_band = curve[0].relative.low is not None
    columns, about = ["number of topics", RELATIVE, ABSOLUTE, "low end", "high end"], "; band: 95 % interval"
    return Plot(
        "stability",
        "lines",
        "Stability by number of topics",
        f"{measure} of {study.systems} runs{about if has_band else ''}",
        "number of topics",
        "stability",
        study.topics,
        columns if has_band else columns[:3],
        rows if has_band else [row[:3] for row in rows],
        {"from_y": 0, "to_y": 1} | ({"band": [3, 4]} if has_band else {}),
    )
