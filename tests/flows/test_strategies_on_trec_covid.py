"""What strategies are worth on real runs and real judgments: 16 full runs of TREC-COVID round 1, one a group.

Two kinds of figures stand here. Relations that the literature leads one to expect, such as that orders which
learn find more than depth order does for the same money, but leave holes in the first ten. And regression
figures: computed with this program, on these runs and NIST's qrels, and published nowhere. They hold the
strategies to the last pair; as science they are worth little, for most of what a deep pool would have found
was never judged.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import pytest
from scipy.stats import kendalltau

from metrics.engine.evaluate import evaluate
from metrics.engine.qrels_index import index_qrels
from metrics.measures.names import parse_measure
from pooling.formats.files import unpack
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import RunFile, parse_run
from pooling.quality.coverage import size_of
from pooling.strategies.build import build_pool, simulate_pool
from pooling.strategies.candidates import Pooled
from pooling.strategies.rankings import RunRankings, rank_run
from pooling.strategies.registry import STRATEGIES
from tests.metrics.shared_data import DATA, needs
from tests.oracles.contributions import contributions, leave_one_out, mean_unjudged, unjudged_at

pytestmark = needs("trec-covid-round1")

Pairs = Mapping[tuple[str, str], int]
LIVE = [name for name, each in STRATEGIES.items() if each.live]
BUDGETED = [name for name, each in STRATEGIES.items() if name not in ("depth", "stratified")]
FIGURES = {  # budget 100, no floor: share of the relevant, unjudged@10, tau with NIST's ranking by MAP
    "take": ("0.452", "0.083", "0.900"),
    "rrf": ("0.497", "0.328", "0.900"),
    "borda": ("0.489", "0.353", "0.917"),
    "rbp": ("0.464", "0.084", "0.900"),
    "combsum": ("0.482", "0.289", "0.933"),
    "combmnz": ("0.494", "0.323", "0.950"),
    "mtf": ("0.495", "0.159", "0.883"),
    "maxmean": ("0.472", "0.343", "0.917"),
    "maxmean-ns": ("0.493", "0.279", "0.900"),
    "thompson": ("0.500", "0.223", "0.900"),
    "hedge": ("0.479", "0.391", "0.900"),
}
WORST_LOSS = {"take": "0.076", "rrf": "0.000", "maxmean": "0.071", "hedge": "0.080"}  # leave-one-run-out
BY_DEPTH = {  # documents a topic, share of the relevant, tau with NIST's ranking by MAP
    1: ("13.3", "0.092", "0.717"),
    5: ("57.7", "0.326", "0.833"),
    10: ("107.3", "0.463", "0.883"),
    20: ("205.2", "0.590", "0.950"),
    50: ("488.6", "0.739", "0.950"),
    100: ("914.8", "0.823", "0.983"),
}


class Round(NamedTuple):
    """The full runs of the round, what NIST judged, and the MAP that NIST published."""

    parsed: dict[str, RunFile]
    runs: list[RunRankings]
    grades: Pairs
    official: dict[str, float]

    def relevant(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = {}
        for (topic, docno), grade in self.grades.items():
            if grade > 0:
                found.setdefault(topic, set()).add(docno)
        return found

    def pool(self, name: str, floor: int, budget: int) -> Pooled:
        """Return what is judged with a budget; of a live order as NIST's labels lead it."""
        parameters = {"floor": floor, "budget": budget}
        if STRATEGIES[name].live:
            return simulate_pool(name, self.runs, self.relevant(), parameters)
        return build_pool(name, self.runs, parameters)

    def recall(self, pool: Pooled) -> float:
        relevant = self.relevant()
        found = sum(len(docnos & pool[topic].keys()) for topic, docnos in relevant.items())
        return found / sum(map(len, relevant.values()))

    def judged(self, pool: Pooled) -> Pairs:
        return {
            (topic, docno): grade for (topic, docno), grade in self.grades.items() if docno in pool[topic]
        }

    def unjudged(self, pool: Pooled) -> float:
        return fmean(mean_unjudged(unjudged_at(self.runs, pool, 10)).values())

    def scores(self, grades: Pairs, *tags: str) -> dict[str, float]:
        """Return tag -> MAP by some judgments."""
        lines = "".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items())
        index, measures = index_qrels(parse_qrels(lines.encode())), [parse_measure("AP")]
        return {tag: evaluate(self.parsed[tag], index, measures).means[0] for tag in tags or self.parsed}

    def tau(self, pool: Pooled) -> float:
        scores = self.scores(self.judged(pool))
        return float(kendalltau([scores[tag] for tag in self.official], [*self.official.values()]).statistic)

    def worst_loss(self, pool: Pooled) -> float:
        """Return the largest share of its MAP that a run loses without what it alone brought."""
        grades = self.judged(pool)
        full = self.scores(grades)
        brought = contributions(pool, self.runs, dict.fromkeys(full, 100))
        return max(
            1 - self.scores(left, tag)[tag] / full[tag] for tag, left in leave_one_out(grades, brought)
        )


@cache
def read(folder: Path) -> Round:
    parsed = {
        path.name.removesuffix(".gz"): parse_run(unpack(path.read_bytes()))
        for path in sorted((folder / "runs").glob("*.gz"))
    }
    rows = (line.split() for line in (folder / "qrels-rnd1.txt").read_text().splitlines())
    with (folder / "leaderboard.csv").open() as file:
        board = {row["run"]: float(row["MAP"]) for row in csv.DictReader(file)}
    return Round(
        parsed,
        [replace(rank_run(run), tag=tag) for tag, run in parsed.items()],
        {(topic, docno): int(grade) for topic, _, docno, grade in rows},
        {tag: board[tag] for tag in parsed},
    )


@pytest.fixture
def covid() -> Round:
    return read(DATA / "trec-covid-round1")


def test_every_judgment_together_gives_the_scores_that_nist_published(covid: Round) -> None:
    scores = covid.scores(covid.grades)
    assert {tag: f"{score:.4f}" for tag, score in scores.items()} == {
        tag: f"{score:.4f}" for tag, score in covid.official.items()
    }


@pytest.mark.parametrize("name", [name for name in BUDGETED if name != "take"])
@pytest.mark.parametrize("budget", [50, 100, 200])
def test_every_order_finds_more_than_depth_order_for_the_same_budget(
    covid: Round, name: str, budget: int
) -> None:
    pool, by_depth = covid.pool(name, 0, budget), covid.pool("take", 0, budget)
    assert size_of(pool).total == size_of(by_depth).total == 30 * budget
    assert covid.recall(pool) > covid.recall(by_depth)


@pytest.mark.parametrize("name", [*LIVE, "rrf", "borda", "combsum", "combmnz"])
def test_what_an_order_gains_it_pays_with_holes_among_the_first_ten(covid: Round, name: str) -> None:
    assert covid.unjudged(covid.pool(name, 0, 100)) > covid.unjudged(covid.pool("take", 0, 100)) + 0.05


@pytest.mark.parametrize("name", BUDGETED)
def test_behind_a_floor_of_ten_there_are_no_holes_and_the_rest_still_finds_more(
    covid: Round, name: str
) -> None:
    pool = covid.pool(name, 10, 200)
    assert covid.unjudged(pool) == 0
    assert covid.recall(pool) >= covid.recall(covid.pool("take", 10, 200))


def test_the_deeper_the_pool_the_nearer_its_ranking_to_nists(covid: Round) -> None:
    pools = {depth: build_pool("depth", covid.runs, {"k": depth}) for depth in BY_DEPTH}
    taus = [covid.tau(pool) for pool in pools.values()]
    assert taus == sorted(taus)
    assert {
        depth: (f"{size_of(pool).total / 30:.1f}", f"{covid.recall(pool):.3f}", f"{tau:.3f}")
        for (depth, pool), tau in zip(pools.items(), taus, strict=True)
    } == BY_DEPTH


@pytest.mark.parametrize("name", BUDGETED)
def test_the_figures_of_a_budget_of_a_hundred_are_as_before(covid: Round, name: str) -> None:
    pool = covid.pool(name, 0, 100)
    figures = covid.recall(pool), covid.unjudged(pool), covid.tau(pool)
    assert tuple(f"{figure:.3f}" for figure in figures) == FIGURES[name]


@pytest.mark.parametrize("name", WORST_LOSS)
def test_what_a_run_loses_without_its_own_documents_is_as_before(covid: Round, name: str) -> None:
    assert f"{covid.worst_loss(covid.pool(name, 0, 100)):.3f}" == WORST_LOSS[name]


def test_fused_pools_rest_on_no_single_run(covid: Round) -> None:
    fused, by_depth = covid.pool("rrf", 0, 100), covid.pool("take", 0, 100)
    assert covid.worst_loss(fused) < 0.01 < covid.worst_loss(by_depth)
