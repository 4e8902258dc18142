"""Benchmark scales: labels for values of kappa.

They are conventions of their authors, so a label is always shown with its source.
"""

from __future__ import annotations

from typing import NamedTuple


class BenchmarkStep(NamedTuple):
    """A label and the value up to which it applies. included: whether it applies to that value itself."""

    words: str
    up_to: float
    included: bool


class BenchmarkScale(NamedTuple):
    """A benchmark scale with ascending steps. citation: where it was proposed."""

    name: str
    citation: str
    steps: tuple[BenchmarkStep, ...]


LANDIS_KOCH = BenchmarkScale(
    "Landis & Koch",
    "Landis & Koch, The measurement of observer agreement for categorical data, Biometrics 33 (1977)",
    (
        BenchmarkStep("poor", 0, False),
        BenchmarkStep("slight", 0.2, True),
        BenchmarkStep("fair", 0.4, True),
        BenchmarkStep("moderate", 0.6, True),
        BenchmarkStep("substantial", 0.8, True),
        BenchmarkStep("almost perfect", 1, True),
    ),
)
MANNING = BenchmarkScale(
    "Manning",
    "Manning, Raghavan & Schütze, Introduction to Information Retrieval (2008), section 8.5",
    (BenchmarkStep("dubious", 0.67, False), BenchmarkStep("fair", 0.8, True), BenchmarkStep("good", 1, True)),
)
KRIPPENDORFF = BenchmarkScale(
    "Krippendorff",
    "Krippendorff, Content Analysis, 2nd edition (2004), chapter 11",
    (
        BenchmarkStep("not reliable", 0.667, False),
        BenchmarkStep("tentative conclusions only", 0.8, False),
        BenchmarkStep("reliable", 1, True),
    ),
)
BENCHMARK_SCALES = (LANDIS_KOCH, MANNING, KRIPPENDORFF)


def benchmark_label(value: float, scale: BenchmarkScale) -> str:
    """Return the label of a value of at most 1.

    >>> [benchmark_label(value, LANDIS_KOCH) for value in (-0.02, 0.2, 0.77612)]
    ['poor', 'slight', 'substantial']
    """
    for step in scale.steps[:-1]:
        if value < step.up_to or (step.included and value == step.up_to):
            return step.words
    return scale.steps[-1].words
