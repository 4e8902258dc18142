from __future__ import annotations

from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.run_order import ASCENDING
from pooling.strategies.build import build_pool, candidates_for, sample_of
from pooling.strategies.rankings import RunRankings
from pooling.strategies.strata import Sample, SamplePlace, parse_strata, prels_rows
from tests.oracles.pools import depth_pool
from tests.pooling.rankings import some_runs

STRATA = "2:1 4:0.5 8:.25"
RATES = [stratum.rate for stratum in parse_strata(STRATA)]
HUNDRED = RunRankings("r", {"1": [f"d{rank:03}" for rank in range(1, 101)]})


def sampled(runs: list[RunRankings], strata: str, seed: int = 0) -> Sample:
    parameters = {"strata": strata}
    return sample_of(candidates_for("stratified", runs, parameters), parameters, seed, ASCENDING)


def sizes(sample: Sample) -> list[tuple[int, int, int]]:
    """Return (stratum, documents, sampled) of every topic's strata that hold a document."""
    found = []
    for placed in sample.values():
        for stratum in sorted({place.stratum for place in placed.values()}):
            inside = [place.sampled for place in placed.values() if place.stratum == stratum]
            found.append((stratum, len(inside), sum(inside)))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "at least one stratum"),
        ("10", "such as 10:1 20:0.5"),
        ("10:1 20:half", "found '20:half'"),
        ("10:1 10:0.5", "ranks that rise from 1, found 10, 10"),
        ("20:1 10:0.5", "ranks that rise from 1, found 20, 10"),
        ("0:1", "ranks that rise from 1, found 0"),
        ("10:1.5", "a rate from 0 to 1, found 1.5"),
        ("10:-1", "found '10:-1'"),
    ],
)
def test_strata_that_make_no_sense_are_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected):
        parse_strata(text)


@given(some_runs, st.integers(0, 5))
def test_of_each_stratum_its_share_is_sampled(runs: list[RunRankings], seed: int) -> None:
    pool = depth_pool([run.rankings for run in runs], 8)
    told = sizes(sampled(runs, STRATA, seed))
    assert all(count == ceil(RATES[stratum - 1] * documents) for stratum, documents, count in told)
    assert sum(documents for _, documents, _ in told) == sum(map(len, pool.values()))


@given(some_runs)
def test_a_documents_stratum_is_that_of_its_best_rank(runs: list[RunRankings]) -> None:
    pool = depth_pool([run.rankings for run in runs], 8)
    for topic, placed in sampled(runs, STRATA).items():
        for docno, place in placed.items():
            assert place.stratum == 1 + sum((pool[topic][docno].best_rank or 0) > end for end in (2, 4))


def test_a_share_that_is_a_whole_number_is_not_rounded_up() -> None:
    assert 0.07 * 100 > 7  # in binary
    assert sizes(sampled([HUNDRED], "100:0.07")) == [(1, 100, 7)]


def test_every_document_of_a_stratum_is_as_likely_as_any_other() -> None:
    counts = dict.fromkeys(HUNDRED.rankings["1"], 0)
    for seed in range(400):
        for docno, place in sampled([HUNDRED], "100:0.2", seed)["1"].items():
            counts[docno] += place.sampled
    # Binomial of 400 draws at 0.2: mean 80, standard deviation 8.
    assert sum(counts.values()) == 400 * 20
    assert all(80 - 5 * 8 < count < 80 + 5 * 8 for count in counts.values())


def test_a_higher_rate_keeps_what_a_lower_one_sampled() -> None:
    few, many = (sampled([HUNDRED], f"100:{rate}", seed=5)["1"] for rate in (0.1, 0.3))
    assert all(many[docno].sampled for docno, place in few.items() if place.sampled)


def test_the_pool_of_a_sample_is_what_is_to_be_judged() -> None:
    pool = build_pool("stratified", [HUNDRED], {"strata": "10:1 20:0.5 50:0.2 100:0.1"}, seed=2)
    ranks = [how.best_rank or 0 for how in pool["1"].values()]
    bounds = [(0, 10), (10, 20), (20, 50), (50, 100)]
    assert [sum(low < rank <= high for rank in ranks) for low, high in bounds] == [10, 5, 6, 5]


def test_a_prels_row_has_five_columns_and_minus_one_for_what_was_not_sampled() -> None:
    sample = {"2": {"b": SamplePlace(1, True), "a": SamplePlace(2, False)}, "1": {"c": SamplePlace(3, True)}}
    grades = {"2": {"b": 2, "a": 1}}
    assert list(prels_rows(sample, grades)) == [
        ("1", 0, "c", 3, -1),  # sampled, not judged yet
        ("2", 0, "a", 2, -1),  # judged for another pool, but not of the sample
        ("2", 0, "b", 1, 2),
    ]
