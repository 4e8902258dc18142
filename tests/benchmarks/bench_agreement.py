"""How fast agreement is computed, beside the libraries that know one coefficient each.

python -m tests.benchmarks.bench_agreement [--items N] [--repeat N]

Generates labels of 10 judges on 4 grades, 30 % of them missing, in 50 topics. What is measured is printed as
medians of one loop in which the contenders take turns, and as ratios to ours; nothing is claimed that was
not measured here. Where a library computes the same number, the two are compared first. A library that
cannot take missing labels is given what it can take: the first two judges where both labelled, or complete
labels of all ten.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from assess.kappa.agreement import coefficients
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import Labels, labels_of
from assess.kappa.pairs import coefficients_of_table, compare_pairs
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import pair_tables
from tests.benchmarks.timing import in_turns

JUDGES, GRADES, TOPICS, MISSING = 10, 4, 50, 0.3
GOAL = 100.0  # milliseconds, for all coefficients
OURS = "all coefficients"

Contenders = dict[str, Callable[[], object]]


def generated(random: np.random.Generator, items: int, missing: float) -> npt.NDArray[np.int8]:
    """Places on the scale: each judge finds the truth in two of three cases, else any grade."""
    truth = random.integers(0, GRADES, items)
    any_grade = random.integers(0, GRADES, (JUDGES, items))
    places = np.where(random.random((JUDGES, items)) < 2 / 3, truth, any_grade).astype(np.int8)
    places[random.random((JUDGES, items)) < missing] = -1
    return places


def value_of(labels: Labels, key: str) -> float:
    (found,) = coefficients(labels, [REGISTRY[key]])
    assert found.value is not None
    return found.value


def ours(labels: Labels) -> Contenders:
    return {
        OURS: lambda: coefficients(labels),
        "... with 2,000 draws of topics": lambda: coefficients(labels, bootstrap=Bootstrap()),
        "every pair, all of its coefficients": lambda: compare_pairs(labels),
        "ours: alpha, ordinal": lambda: value_of(labels, "alpha-ordinal"),
        "ours: AC1 and its error": lambda: value_of(labels, "ac1"),
        "ours: Cohen, quadratic, two judges": lambda: _quadratic(labels),
    }


def _quadratic(labels: Labels) -> float:
    table = pair_tables(labels.of_judges(labels.judges[:2])).counts[0, 0]
    (found,) = coefficients_of_table(table, labels.scale, None, [REGISTRY["cohen-quadratic"]])
    assert found.value is not None
    return found.value


def theirs(labels: Labels, complete: Labels) -> Contenders:
    """Return the libraries that are installed here, after their numbers were found to be ours."""
    found: Contenders = {}
    if module := _installed("krippendorff"):
        found["krippendorff: alpha, ordinal"] = krippendorff_alpha(module, labels)
    if module := _installed("sklearn.metrics"):
        found["scikit-learn: Cohen, quadratic, two judges"] = scikit_learn_cohen(module, labels)
    if module := _installed("statsmodels.stats.inter_rater"):
        found["statsmodels: Fleiss, complete labels"] = statsmodels_fleiss(module, complete)
        found["ours: Fleiss, complete labels"] = lambda: value_of(complete, "fleiss")
    if module := _installed("irrCAC.raw"):
        found["irrCAC: AC1 and its error"] = irrcac_gwet(module, labels)
    return found


def krippendorff_alpha(module: Any, labels: Labels) -> Callable[[], float]:
    ratings, domain = np.where(labels.places < 0, np.nan, labels.places), list(range(GRADES))

    def alpha() -> float:
        return float(module.alpha(ratings, level_of_measurement="ordinal", value_domain=domain))

    assert np.isclose(alpha(), value_of(labels, "alpha-ordinal"))
    return alpha


def scikit_learn_cohen(module: Any, labels: Labels) -> Callable[[], float]:
    first, second = labels.places[:2][:, (labels.places[:2] >= 0).all(axis=0)]

    def cohen() -> float:
        return float(module.cohen_kappa_score(first, second, weights="quadratic"))

    assert np.isclose(cohen(), _quadratic(labels))
    return cohen


def statsmodels_fleiss(module: Any, complete: Labels) -> Callable[[], float]:
    def fleiss() -> float:
        return float(module.fleiss_kappa(module.aggregate_raters(complete.places.T)[0]))

    assert np.isclose(fleiss(), value_of(complete, "fleiss"))
    return fleiss


def irrcac_gwet(module: Any, labels: Labels) -> Callable[[], float]:
    frame = import_module("pandas").DataFrame(np.where(labels.places < 0, np.nan, labels.places).T)
    grades = [float(place) for place in range(GRADES)]

    def gwet() -> float:
        return float(module.CAC(frame, categories=grades, digits=12).gwet()["est"]["coefficient_value"])

    assert np.isclose(gwet(), value_of(labels, "ac1"))
    return gwet


def _installed(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        print(f"{name.split('.')[0]} is not installed; left out")
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    topic = [str(item * TOPICS // options.items) for item in range(options.items)]
    labels, complete = (
        labels_of(generated(random, options.items, share), range(GRADES), topic=topic)
        for share in (MISSING, 0)
    )
    contenders = ours(labels) | theirs(labels, complete)
    times = in_turns(contenders, options.repeat)
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    print(f"{options.items:,} items, {JUDGES} judges, {GRADES} grades, {MISSING:.0%} of the labels missing")
    for name, median in medians.items():
        print(f"{name:44} {median:9.2f} ms  {median / medians[OURS]:7.2f} x {OURS}")
    print(f"goal for {OURS}: {GOAL:g} ms: {'reached' if medians[OURS] < GOAL else 'missed'}")


if __name__ == "__main__":
    main()
