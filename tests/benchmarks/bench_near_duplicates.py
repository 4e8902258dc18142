"""How long the classes of near duplicates of a large pool take, and how much memory.

python -m tests.benchmarks.bench_near_duplicates [--documents N] [--words N]

Generates documents, every fifth of them a copy of an earlier one with 1 % of other words, and prints seconds
and the peak memory of the process. The time that generation takes by itself is subtracted.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from assess.near_duplicates.classes import near_duplicates

VOCABULARY = 200_000
GOAL_SECONDS, GOAL_MEGABYTES = 60, 1000  # for 100,000 documents


def generated(count: int, words: int) -> Iterator[tuple[str, str]]:
    random, vocabulary = np.random.default_rng(1), [f"w{number}" for number in range(VOCABULARY)]
    original = np.zeros(0, dtype=np.int64)
    for place in range(count):
        if place % 5 == 4:
            text = original.copy()
            changed = random.integers(0, len(text), max(1, len(text) // 100))
            text[changed] = random.integers(0, VOCABULARY, len(changed))
        else:
            length = random.integers(words // 2, words * 3 // 2)
            text = original = (random.pareto(1.0, length) * 50).astype(np.int64) % VOCABULARY
        yield f"D{place:06}", " ".join([vocabulary[word] for word in text])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--words", type=int, default=300)
    options = parser.parse_args()
    begun = time.perf_counter()
    for _ in generated(options.documents, options.words):
        pass
    generation = time.perf_counter() - begun
    begun = time.perf_counter()
    classes = near_duplicates(generated(options.documents, options.words))
    seconds = time.perf_counter() - begun - generation
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{options.documents:,} documents of about {options.words} words: {len(classes):,} classes in "
        f"{seconds:.1f} s (goal {GOAL_SECONDS}), {megabytes:.0f} MB (goal {GOAL_MEGABYTES})"
    )


if __name__ == "__main__":
    main()
