"""How fast runs are taken in and pooled, beside the plain loops that do the same.

python -m tests.benchmarks.bench_pooling [--runs N] [--repeat N]

Generates runs of 50 topics x 1,000 documents from a collection of 528,155. What is measured is printed as
medians of one loop in which the contenders take turns; nothing is claimed that was not measured here.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Sequence

import numpy as np

from pooling.docnos import DocnoTable
from pooling.quality.columns import complete_depth, size_of_choice
from pooling.runfile import parse_run
from pooling.stored import StoredColumns, pack, stored_columns, unpack_columns
from pooling.strategies import STRATEGIES, Candidates, candidates_of, choose, depth_pool
from pooling.strategies.columns import RankedIds, depth_columns
from pooling.submission import Expected, checked_run
from tests.benchmarks.timing import in_turns, told

TOPICS, DEPTH, COLLECTION = 50, 1000, 528_155
DRAFTED = [name for name, strategy in STRATEGIES.items() if not strategy.live]
GOALS = {"ingest, text to columns": 25.0, "depth-100 pool with docnos": 50.0}  # milliseconds
GOALS |= {"candidates to depth 100": 200.0} | {f"draft, {name}": 200.0 for name in DRAFTED}
Random = np.random.Generator


def generated(random: Random, number: int) -> bytes:
    """A run whose top is shared with others: documents are drawn with a bias that all runs have."""
    lines = []
    for topic in range(401, 401 + TOPICS):
        drawn = (COLLECTION * random.random(DEPTH * 2) ** 3).astype(int)
        documents = list(dict.fromkeys(drawn.tolist()))[:DEPTH]
        scores = np.sort(random.gamma(2, 3, len(documents)))[::-1]
        lines += [
            f"{topic} Q0 FT{document // 1000:03d}-{document % 1000:05d} {rank} {score:.4f} run{number}\n"
            for rank, (document, score) in enumerate(zip(documents, scores, strict=True), start=1)
        ]
    return "".join(lines).encode()


def ingest(content: bytes, expected: Expected, table: DocnoTable) -> StoredColumns:
    """What a submission does between the upload and the database."""
    run = checked_run(content, expected)
    columns = stored_columns(run, table.add(run.docnos))
    pack(columns)
    return columns


def by_loop(stored: Sequence[StoredColumns], names: Sequence[str]) -> int:
    """Return how many pairs a depth-100 pool has, taken from lists of docnos."""
    rankings = [
        {
            topic: [names[i] for i in run.ids[start : start + 100].tolist()]
            for topic, start in zip(run.topics, run.offsets.tolist(), strict=False)
        }
        for run in stored
    ]
    return sum(map(len, depth_pool(rankings, 100).values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    random = np.random.default_rng(1)
    expected = Expected(frozenset(str(topic) for topic in range(401, 401 + TOPICS)), DEPTH)
    contents = [generated(random, number) for number in range(options.runs)]
    table = DocnoTable()
    stored = [unpack_columns(**pack(ingest(content, expected, table))) for content in contents]
    topics = {topic: place for place, topic in enumerate(stored[0].topics)}
    ranked = [
        RankedIds(np.array([topics[topic] for topic in run.topics]), run.offsets, run.ids, run.scores)
        for run in stored
    ]
    names = [docno.decode() for docno in table.docnos().tolist()]

    def by_columns() -> int:
        pool = depth_columns(ranked, 100)
        table.docnos(pool.ids)
        return len(pool.ids)

    def candidates() -> Candidates:
        tags = [f"run{number}" for number in range(len(ranked))]
        return candidates_of(ranked, [100] * len(ranked), stored[0].topics, tags, table.docnos)

    offered = candidates()

    def drafted(name: str) -> Callable[[], object]:
        """A draft as the page makes it once the candidates are there: chosen and counted."""
        values = {"k": 100} if name == "depth" else {}

        def draft() -> None:
            chosen = choose(name, offered, values)
            size_of_choice(offered, chosen)
            complete_depth(offered, chosen)

        return draft

    assert by_columns() == by_loop(stored, names)
    contenders: dict[str, Callable[[], object]] = {
        "ingest, text to columns": lambda: ingest(contents[-1], expected, table),
        "parse alone": lambda: parse_run(contents[-1]),
        "depth-100 pool with docnos": by_columns,
        "the same by a plain loop": lambda: by_loop(stored, names),
        "candidates to depth 100": candidates,
        **{f"draft, {name}": drafted(name) for name in DRAFTED},
    }
    times = in_turns(contenders, options.repeat)
    print(f"{options.runs} runs of {TOPICS} x {DEPTH}; the pool holds {by_columns():,} documents")
    for name, taken in times.items():
        print(told(name, statistics.median(taken), GOALS.get(name)))


if __name__ == "__main__":
    main()
