"""How long the features of a large collection take, and a round of active learning on them.

python -m tests.benchmarks.bench_active_learning [--documents N] [--words N]

Generates short documents whose words are distributed as in a language, and prints seconds and the peak memory
of the process. The time that generation takes by itself is subtracted.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator

import numpy as np

from assess.active_learning.features import text_features
from assess.active_learning.ranking import Judged, rank_rest

VOCABULARY = 2_000_000
LETTERS = "etaoinshrdlucmfw"
GOAL_SECONDS, GOAL_MEGABYTES = 600, 4000  # for 1,000,000 documents


def word(number: int) -> str:
    """Return a word of its own for a number, shorter for a smaller one."""
    letters = LETTERS[number % 16]
    while number := number // 16:
        letters += LETTERS[number % 16]
    return letters + "s"


def generated(count: int, words: int) -> Iterator[str]:
    random, vocabulary = np.random.default_rng(1), [word(number) for number in range(VOCABULARY)]
    for _ in range(count):
        length = random.integers(words // 2, words * 3 // 2)
        text = (random.pareto(0.7, length) * 50).astype(np.int64) % VOCABULARY
        yield " ".join([vocabulary[number] for number in text])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=60)
    options = parser.parse_args()
    begun = time.perf_counter()
    for _ in generated(options.documents, options.words):
        pass
    generation = time.perf_counter() - begun
    begun = time.perf_counter()
    features = text_features(generated(options.documents, options.words))
    seconds = time.perf_counter() - begun - generation
    matrix = features.matrix
    begun = time.perf_counter()
    judged = Judged(np.arange(1000), np.arange(1000) % 10 == 0)
    rank_rest(matrix, None, judged, np.arange(1000, options.documents), seed=0, number=0)
    round_seconds = time.perf_counter() - begun
    megabytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{options.documents:,} documents of about {options.words} words: {matrix.shape[1]:,} terms, "
        f"{matrix.nnz:,} weights in {seconds:.1f} s (goal {GOAL_SECONDS}), a round with 1,000 labels in "
        f"{round_seconds:.1f} s, {megabytes:.0f} MB (goal {GOAL_MEGABYTES})"
    )


if __name__ == "__main__":
    main()
