"""The pools of TREC-COVID round 1: NIST's own, and what others would have been worth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from pooling.cli import main
from pooling.formats.files import unpack
from pooling.formats.runs import parse_run
from pooling.quality.coverage import size_of
from pooling.strategies.build import build_pool, simulate_pool
from pooling.strategies.candidates import Pooled
from pooling.strategies.rankings import RunRankings, rank_run
from pooling.strategies.registry import STRATEGIES
from tests.metrics.shared_data import DATA, needs
from tests.oracles.contributions import complete_depths, sizes_by_depth, unjudged_at

pytestmark = needs("trec-covid-round1")

Grades = dict[str, dict[str, int]]


@pytest.fixture
def folder() -> Path:
    return DATA / "trec-covid-round1"


@pytest.fixture
def contributing(folder: Path) -> list[RunRankings]:
    """The 56 runs that NIST pooled, down to rank 20."""
    paths = sorted((folder / "runs-contributing-top20").glob("*.gz"))
    return [replace(rank_run(parse_run(unpack(path.read_bytes()))), tag=path.stem) for path in paths]


@pytest.fixture
def grades(folder: Path) -> Grades:
    grades: Grades = {}
    for line in (folder / "qrels-rnd1.txt").read_text().splitlines():
        topic, _, docno, grade = line.split()
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def found(pool: Pooled, grades: Grades) -> float:
    """Return the share of the known relevant documents that the pool holds."""
    relevant = {(topic, docno) for topic, of in grades.items() for docno, grade in of.items() if grade > 0}
    return len(relevant & {(topic, docno) for topic, docnos in pool.items() for docno in docnos}) / len(
        relevant
    )


def holes(pool: Pooled, runs: list[RunRankings], k: int) -> str:
    by_run = unjudged_at(runs, pool, k)
    return f"{fmean(share for shares in by_run.values() for share in shares.values()):.3f}"


def test_the_command_prints_the_pool_that_nist_judged(
    folder: Path, grades: Grades, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = sorted(map(str, (folder / "runs-contributing-top20").glob("*.gz")))
    assert main(["--strategy", "depth", "--k", "7", *runs]) == 0
    pairs = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert len(pairs) == len({tuple(pair) for pair in pairs}) == 6959
    assert all(docno in grades[topic] for topic, docno in pairs)


def test_the_pool_of_depth_seven_is_complete_to_depth_seven_and_has_holes_below(
    contributing: list[RunRankings],
) -> None:
    pool = build_pool("depth", contributing, {"k": 7})
    assert set(complete_depths(pool, contributing).values()) == {7}
    assert [holes(pool, contributing, k) for k in (5, 7, 10, 20)] == ["0.000", "0.000", "0.167", "0.394"]
    assert size_of(pool) == (6959, 30, 144, 238, 301, 5454)


def test_one_pool_tells_the_sizes_of_the_shallower_ones(contributing: list[RunRankings]) -> None:
    sizes = sizes_by_depth(build_pool("depth", contributing, {"k": 20}), range(1, 8))
    assert [size for _, size in sizes] == [1236, 2300, 3308, 4267, 5170, 6052, 6959]


@pytest.mark.parametrize(
    ("floor", "unjudged"), [(0, ["0.071", "0.208", "0.329"]), (3, ["0.065", "0.205", "0.330"])]
)
def test_a_fused_pool_of_the_same_size_has_holes_further_up(
    contributing: list[RunRankings], floor: int, unjudged: list[str]
) -> None:
    pool = build_pool("rrf", contributing, {"floor": floor, "budget": 232})
    assert size_of(pool).total == 232 * 30
    assert [holes(pool, contributing, k) for k in (5, 10, 20)] == unjudged


@pytest.mark.parametrize("name", [name for name, each in STRATEGIES.items() if each.live])
def test_with_a_small_budget_live_orders_find_more_than_depth_order(
    name: str, contributing: list[RunRankings], grades: Grades
) -> None:
    relevant = {topic: {docno for docno in of if of[docno] > 0} for topic, of in grades.items()}
    parameters = {"floor": 0, "budget": 100}
    live = simulate_pool(name, contributing, relevant, parameters)
    by_depth = build_pool("take", contributing, parameters)
    assert size_of(live).total == size_of(by_depth).total == 3000
    assert found(live, grades) > found(by_depth, grades) + 0.04


@pytest.mark.parametrize("name", [name for name, each in STRATEGIES.items() if each.live])
def test_behind_a_floor_of_five_no_live_order_leaves_a_hole_in_the_first_five(
    name: str, contributing: list[RunRankings], grades: Grades
) -> None:
    relevant = {topic: {docno for docno in of if of[docno] > 0} for topic, of in grades.items()}
    pool = simulate_pool(name, contributing, relevant, {"floor": 5, "budget": 200})
    assert holes(pool, contributing, 5) == "0.000"
    assert found(pool, grades) > found(build_pool("take", contributing, {"floor": 5, "budget": 200}), grades)
