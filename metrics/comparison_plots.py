"""Plots of runs compared, and of measures compared."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import numpy as np

from metrics.measures.base import Direction, Measure
from metrics.plots import Plot, PlotValue, with_sampled_topics
from metrics.significance.discriminative_power import DiscriminativePower
from metrics.significance.paired import paired_differences
from pooling.arrays import Vector

MOST_STEPS = 200  # of a curve over pairs of runs


def differences_plot(
    measure: str,
    tags: tuple[str, str],
    topics: Sequence[str],
    first: Vector,
    second: Vector,
    direction: Direction = "higher",
) -> Plot:
    """One bar per topic: the first run's value less the second's, largest first.

    first, second: shape (topics,).
    """
    differences = paired_differences(first, second)
    rows: list[list[PlotValue]] = [
        [topics[index], float(differences[index]), float(first[index]), float(second[index])]
        for index in np.argsort(-differences, kind="stable").tolist()
    ]
    plot = Plot(
        "differences",
        "differences",
        "Difference by topic",
        f"{measure}: {tags[0]} less {tags[1]}",
        "topic, in order of the difference",
        f"difference in {measure}",
        len(topics),
        ["topic", "difference", tags[0], tags[1]],
        rows,
        dict(zip(("positive", "negative"), _words(tags, direction), strict=True)),
    )
    return with_sampled_topics(plot)


def _words(tags: tuple[str, str], direction: Direction) -> list[str]:
    """Return what is said of a topic where the first run has the higher value, and where it has the lower."""
    if direction == "neither":
        return [f"{tag} is higher" for tag in tags]
    return [f"{tag} is better" for tag in (tags if direction == "higher" else reversed(tags))]


def scatter_plot(
    measure: str,
    tags: tuple[str, str],
    topics: Sequence[str],
    first: Vector,
    second: Vector,
    direction: Direction = "higher",
) -> Plot:
    """One point per topic: the second run across, the first up; equal ones stand on the diagonal."""
    rows: list[list[PlotValue]] = [
        [x, y, topic] for x, y, topic in zip(second.tolist(), first.tolist(), topics, strict=True)
    ]
    low, high = float(min(first.min(), second.min())), float(max(first.max(), second.max()))
    top = ceil(high * 10) / 10 if 0 < high <= 1 else None  # both axes alike
    plot = Plot(
        "scatter",
        "points",
        "Scores of both runs, topic by topic",
        f"{measure}; above the line {_words(tags, direction)[0]}",
        f"{measure} of {tags[1]}",
        f"{measure} of {tags[0]}",
        len(topics),
        [tags[1], tags[0], "topic"],
        rows,
        {"to_x": top, "to_y": top, **({} if low < 0 else {"from_x": 0, "from_y": 0}), "diagonal": True},
    )
    return with_sampled_topics(plot)


def power_plot(powers: Sequence[DiscriminativePower]) -> Plot | None:
    """The achieved significance levels of every measure: p of every pair of runs, the largest first.

    None where no measure has one.
    """
    shown = [power for power in powers if power.curve]
    if not shown:
        return None
    longest = max(len(power.curve) for power in shown)
    steps = sorted({round(step) for step in np.linspace(1, longest, min(longest, MOST_STEPS)).tolist()})
    rows: list[list[PlotValue]] = [
        [step, *(power.curve[step - 1] if step <= len(power.curve) else None for power in shown)]
        for step in steps
    ]
    return Plot(
        "power",
        "lines",
        "Achieved significance levels",
        "p of every pair of runs, in order; a lower curve means more significant differences",
        "pairs of runs, largest p first",
        "p",
        shown[0].n,
        ["pairs of runs", *(power.measure for power in shown)],
        rows,
        {"from_y": 0, "to_y": 1},
    )


def measures_plot(
    pair: tuple[Measure, Measure],
    tags: Sequence[str],
    first: Sequence[float],
    second: Sequence[float],
    topics: int,
) -> Plot:
    """One point per run: its mean on two measures."""
    names = pair[0].name, pair[1].name
    directions = [measure.direction for measure in pair]
    alike = "climb" if directions[0] == directions[1] else "fall"
    about = "" if "neither" in directions else f"; where both order runs alike, the points {alike}"
    rows: list[list[PlotValue]] = [[x, y, tag] for x, y, tag in zip(first, second, tags, strict=True)]
    return Plot(
        "two-measures",
        "points",
        f"{names[0]} and {names[1]}",
        f"{len(tags)} runs{about}",
        f"mean {names[0]}",
        f"mean {names[1]}",
        topics,
        [f"mean {names[0]}", f"mean {names[1]}", "run"],
        rows,
    )
