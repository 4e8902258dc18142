"""How fast runs are taken in and pooled: the engine beside a plain loop, and what an organiser waits for.

python -m tests.benchmarks.bench_pooling [--runs N] [--repeat N]

Generates runs of 50 topics x 1,000 documents from a collection of 528,155. What is measured is printed as
medians of one loop in which the contenders take turns; nothing is claimed that was not measured here. Then a
campaign is made in a folder that is removed again, of runs that overlap as those of a track do: they are sent
to a server of its own over HTTP, a draft is made as the page shows it, and a pool is frozen.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pooling.formats.docnos import DocnoTable
from pooling.formats.run_checks import RunRequirements, check_run_file
from pooling.formats.run_columns import RunColumnArrays, column_arrays, pack_columns, unpack_columns
from pooling.formats.runs import parse_run
from pooling.quality.coverage import complete_depth, size_of_selection
from pooling.queries.reads import PoolingReads
from pooling.strategies.build import select_candidates
from pooling.strategies.candidates import Candidates, RankedIds, candidates_of
from pooling.strategies.registry import STRATEGIES
from tests.benchmarks.sites import in_new_process
from tests.benchmarks.timing import in_turns, milliseconds, told
from tests.oracles.pools import depth_pool

TOPICS, DEPTH, COLLECTION = 50, 1000, 528_155
DRAFTED = [name for name, strategy in STRATEGIES.items() if not strategy.live]
GOALS = {"ingest, text to columns": 25.0}  # milliseconds
GOALS |= {"candidates to depth 100": 200.0} | {f"select, {name}": 200.0 for name in DRAFTED}
SITE_GOALS = {
    "runs over HTTP, all": 15_000.0,
    "draft as the page shows it, first": 300.0,
    "draft, again": 300.0,
    "freeze, all told": 3000.0,
    "freeze, the write lock held": 300.0,
}
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


def ingest(content: bytes, expected: RunRequirements, table: DocnoTable) -> RunColumnArrays:
    """What a submission does between the upload and the database."""
    run, _ = check_run_file(content, expected)
    columns = column_arrays(run, table.add(run.docnos))
    pack_columns(columns)
    return columns


def by_loop(stored: Sequence[RunColumnArrays], names: Sequence[str]) -> int:
    """Return how many pairs a depth-100 pool has, taken from lists of docnos."""
    rankings = [
        {
            topic: [names[i] for i in run.ids[start : start + 100].tolist()]
            for topic, start in zip(run.topics, run.offsets.tolist(), strict=False)
        }
        for run in stored
    ]
    return sum(map(len, depth_pool(rankings, 100).values()))


def engine(runs: int, repeat: int) -> None:
    """Time reading, candidates and every selection, all in memory."""
    random = np.random.default_rng(1)
    expected = RunRequirements(frozenset(str(topic) for topic in range(401, 401 + TOPICS)), DEPTH)
    contents = [generated(random, number) for number in range(runs)]
    table = DocnoTable()
    stored = [unpack_columns(**pack_columns(ingest(content, expected, table))) for content in contents]
    topics = {topic: place for place, topic in enumerate(stored[0].topics)}
    ranked = [
        RankedIds(np.array([topics[topic] for topic in run.topics]), run.offsets, run.ids, run.scores)
        for run in stored
    ]
    names = [docno.decode() for docno in table.docnos().tolist()]

    def candidates() -> Candidates:
        tags = [f"run{number}" for number in range(len(ranked))]
        return candidates_of(ranked, [100] * len(ranked), stored[0].topics, tags, table.docnos)

    offered = candidates()

    def by_columns() -> int:
        found = candidates()
        pool = found.pooled(select_candidates("depth", found, {"k": 100}))
        return sum(map(len, pool.values()))

    def selected(name: str) -> Callable[[], object]:
        """A selection as a draft makes it once the candidates are there: chosen and counted."""
        values = {"k": 100} if name == "depth" else {}

        def select() -> None:
            chosen = select_candidates(name, offered, values)
            size_of_selection(offered, chosen)
            complete_depth(offered, chosen)

        return select

    assert by_columns() == by_loop(stored, names)
    contenders: dict[str, Callable[[], object]] = {
        "ingest, text to columns": lambda: ingest(contents[-1], expected, table),
        "parse alone": lambda: parse_run(contents[-1]),
        "depth-100 pool by name": by_columns,
        "the same by a plain loop": lambda: by_loop(stored, names),
        "candidates to depth 100": candidates,
        **{f"select, {name}": selected(name) for name in DRAFTED},
    }
    times = in_turns(contenders, repeat)
    for name, taken in times.items():
        print(told(name, statistics.median(taken), GOALS.get(name)))


def site(runs: int) -> None:
    """Send the runs to a server, then draft and freeze in a new process."""
    from tests.soak.organiser import send_run
    from tests.soak.track_runs import track_run
    from tests.support.judges import Judge
    from tests.support.server import running

    numbers = [str(topic) for topic in range(401, 401 + TOPICS)]
    contents = [track_run(number, runs, numbers, DEPTH) for number in range(runs)]
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as web:
        web.shell(f"from tests.benchmarks.bench_pooling import make_campaign; make_campaign({numbers})")
        olga = Judge(web, "olga")
        olga.sign_in()
        began = time.perf_counter()
        for number, content in enumerate(contents):
            send_run(olga, "bench", f"run{number}", content)
        taken = 1000 * (time.perf_counter() - began)
        olga.close()
        print(told("runs over HTTP, all", taken, SITE_GOALS["runs over HTTP, all"]))
        os.environ["JURYPOOL_DATA"] = folder
        print(in_new_process("bench_pooling", "--step", "pool"), end="")


def make_campaign(numbers: list[str]) -> None:
    from accounts.models import User
    from pooling.models import Topic
    from pooling.scale import FOUR_STEPS
    from pooling.services.people import create_campaign
    from tests.support.names import PASSWORD

    campaign = create_campaign(
        User.objects.create_user("olga", password=PASSWORD), "Bench", "bench", FOUR_STEPS, 1
    )
    Topic.objects.bulk_create(
        Topic(campaign=campaign, number=number, title=number, place=place)
        for place, number in enumerate(numbers)
    )


def pool() -> None:
    """Draft and freeze a depth-100 pool of all runs of the campaign, as the pages do."""
    import django

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    from django.db import connection

    from accounts.models import User
    from pooling.manifest import PoolPlan
    from pooling.models import Campaign
    from pooling.queries.drafts import draft_of
    from pooling.services.pools import freeze_pool

    campaign, olga = Campaign.objects.get(slug="bench"), User.objects.get(username="olga")
    runs, plan, began = list(campaign.runs.all()), PoolPlan("depth", {"k": 100}), [0.0]
    taken = {
        "draft as the page shows it, first": milliseconds(
            lambda: draft_of(PoolingReads(campaign), runs, plan)
        ),
        "draft, again": milliseconds(lambda: draft_of(PoolingReads(campaign), runs, plan)),
    }
    draft = draft_of(PoolingReads(campaign), runs, plan)

    def watch(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        answer = execute(sql, params, many, context)
        if sql.startswith("BEGIN"):
            began[0] = time.perf_counter()
        return answer

    with connection.execute_wrapper(watch):
        taken["freeze, all told"] = milliseconds(lambda: freeze_pool(campaign, olga, runs, plan))
    taken["freeze, the write lock held"] = 1000 * (time.perf_counter() - began[0])  # it ends with the commit
    frozen = campaign.pools.get().documents.count()
    assert frozen == draft.size.total
    print(f"a pool of {frozen:,} documents")
    for name, milli in taken.items():
        print(told(name, milli, SITE_GOALS[name]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=7)
    parser.add_argument("--step", choices=["pool"], help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.step:
        return pool()
    engine(options.runs, options.repeat)
    site(options.runs)


if __name__ == "__main__":
    main()
