"""How fast judges are swapped, beside a plain loop that gives scipy's Kendall tau and nothing else.

python -m tests.benchmarks.bench_judge_swap [--draws N] [--repeat N]

48 topics, 33 systems and 3 judges, as in Voorhees's study, with generated scores. What is measured is printed
as the median of a loop in which the contenders take turns; the plain loop does 500 draws.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from scipy.stats import kendalltau

from metrics.rankings.judge_swap import swap_judges
from pooling.arrays import Matrix

JUDGES, TOPICS, SYSTEMS, BY_LOOP = 3, 48, 33, 500
GOAL = 0.5  # seconds for 100,000 draws


def generated(random: np.random.Generator, steps: int | None) -> Matrix:
    """Scores of systems that differ a little, on topics that differ much. steps: of a coarse measure."""
    hard, good = random.random((TOPICS, 1)), np.linspace(0, 0.15, SYSTEMS)
    scores: Matrix = 0.6 * hard + good + 0.2 * random.random((JUDGES, TOPICS, SYSTEMS))
    return scores if steps is None else np.rint(scores * steps) / steps


def by_loop(scores: Matrix, official: Matrix, draws: int) -> float:
    """Return the mean tau of draws that are made, scored and compared one by one."""
    random, reference, found = np.random.default_rng(0), official.mean(axis=0), []
    for _ in range(draws):
        chosen = random.integers(len(scores), size=TOPICS)
        means = scores[chosen, np.arange(TOPICS)].mean(axis=0)
        found.append(float(kendalltau(reference, means).statistic))
    return statistics.fmean(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    judged = np.ones((JUDGES, TOPICS), dtype=bool)
    for name, steps in (("fine scores, no ties", None), ("P@10-like scores, many ties", 10)):
        scores = generated(np.random.default_rng(1), steps)
        ours: list[float] = []
        loops: list[float] = []
        for _ in range(options.repeat):
            start = time.perf_counter()
            found = swap_judges(scores, judged, scores[0], options.draws)
            ours.append(time.perf_counter() - start)
            start = time.perf_counter()
            by_loop(scores, scores[0], BY_LOOP)
            loops.append((time.perf_counter() - start) * options.draws / BY_LOOP)
        median = statistics.median(ours)
        goal = f"; goal {GOAL} s: {'reached' if median <= GOAL else 'missed'}"
        print(f"{name}: {options.draws:,} qrels of {TOPICS} topics x {SYSTEMS} systems, {JUDGES} judges")
        print(f"  tau mean {found.tau.mean:.3f}; {len(found.swapped)} pairs swap in some draw")
        print(f"  ours       {median:8.3f} s{goal if options.draws == 100_000 else ''}")
        print(f"  plain loop {statistics.median(loops):8.3f} s (from {BY_LOOP} draws)")


if __name__ == "__main__":
    main()
