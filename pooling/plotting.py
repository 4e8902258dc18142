"""Charts of results by matplotlib, where it is installed. Each returns the axes, to be changed or saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from pooling.arrays import IntVector
from pooling.extras import import_extra

Axes: TypeAlias = Any  # matplotlib.axes.Axes
ROW = 0.3  # inches of a row of names
MOST_NAMED = 80  # topics below the bars: more names would overlap


def plot_intervals(
    values: Mapping[str, float],
    ends: Mapping[str, tuple[float, float] | None],
    label: str,
    title: str = "",
    ax: Axes = None,
) -> Axes:
    """Draw a dot for each name, the first at the top, with a line from its lower to its upper end.

    ends: of those that have an interval.
    """
    axes = _axes(ax, max(2.0, 1 + ROW * len(values)))
    for row, (name, value) in enumerate(values.items()):
        if interval := ends.get(name):
            axes.plot(interval, [row, row], color="C0", linewidth=1.5)
        axes.plot([value], [row], "o", color="C0")
    axes.set_yticks(range(len(values)), list(values))
    axes.set_ylim(len(values) - 0.5, -0.5)
    axes.grid(axis="x", alpha=0.3)
    return _named(axes, label, "", title)


def plot_bars(values: Mapping[str, float], label: str, title: str = "", ax: Axes = None) -> Axes:
    """Draw a bar for each topic, the highest value first."""
    axes = _axes(ax)
    ordered = sorted(values, key=lambda topic: -values[topic])
    axes.bar(range(len(ordered)), [values[topic] for topic in ordered])
    axes.axhline(0, color="black", linewidth=0.8)
    shown = ordered if len(ordered) <= MOST_NAMED else []
    axes.set_xticks(range(len(shown)), shown, rotation=90, fontsize="small")
    return _named(axes, "topic", label, title)


def plot_lines(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x: str,
    y: str,
    title: str = "",
    ax: Axes = None,
) -> Axes:
    """Draw a line for each name, with a legend where there are several. lines: name -> its x and y."""
    axes = _axes(ax)
    for name, (across, up) in lines.items():
        axes.plot(across, up, marker="." if len(across) < 50 else "", label=name)
    if len(lines) > 1:
        axes.legend()
    axes.grid(alpha=0.3)
    return _named(axes, x, y, title)


def plot_matrix(
    names: Sequence[str], counts: IntVector, x: str, y: str, title: str = "", ax: Axes = None
) -> Axes:
    """Draw a square matrix with its numbers, dark where they are high. counts: shape (names, names)."""
    axes = _axes(ax)
    axes.imshow(counts, cmap="Blues")
    middle = counts.max(initial=0) / 2
    for (row, column), count in np.ndenumerate(counts):
        axes.text(
            column, row, f"{count}", ha="center", va="center", color="white" if count > middle else "black"
        )
    axes.set_xticks(range(len(names)), names)
    axes.set_yticks(range(len(names)), names)
    return _named(axes, x, y, title)


def _axes(ax: Axes, height: float | None = None) -> Axes:
    """Return the axes to draw into, new ones where none are given. Raises MissingExtra."""
    if ax is not None:
        return ax
    pyplot = import_extra("matplotlib.pyplot")
    size = None if height is None else (pyplot.rcParams["figure.figsize"][0], height)
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def _named(axes: Axes, x: str, y: str, title: str) -> Axes:
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.set_title(title)
    return axes
