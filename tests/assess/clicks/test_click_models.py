"""Click models: worked vectors, agreement with the definitions, and parameters of simulated clicks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.clicks.coec import coec, over_expected
from assess.clicks.grade_cut import grade_places, thresholds_by_shares
from assess.clicks.pbm import pbm
from assess.clicks.sdbn import sdbn
from assess.clicks.shown_results import ShownResults, count_cells
from tests.oracles import click_models as oracle
from tests.oracles.click_models import ShownList

WORKED = [("abc", "010"), ("abc", "101"), ("bac", "100"), ("acb", "000")]


def shown_results(lists: Sequence[ShownList], pairs: int) -> ShownResults:
    rows = [
        (number, document, rank, clicked[rank - 1])
        for number, (documents, clicked) in enumerate(lists)
        for rank, document in enumerate(documents, start=1)
    ]
    columns = np.array(rows, dtype=np.int64).reshape(-1, 4).T
    return ShownResults(columns[0], columns[1], columns[2], columns[3].astype(bool), len(lists), pairs)


def worked() -> ShownResults:
    lists = [(["abc".index(each) for each in docs], [hit == "1" for hit in hits]) for docs, hits in WORKED]
    return shown_results(lists, 3)


def test_coec_of_the_worked_example() -> None:
    expected = 50 * 0.4 + 100 * 0.06
    assert expected == pytest.approx(26)
    assert round(float(over_expected(35, expected, 0)), 4) == 1.3462
    assert round(float(over_expected(35, expected)), 4) == 1.25
    assert np.isnan(over_expected(0, 0, 0))


def test_sdbn_of_the_worked_example() -> None:
    found = sdbn(worked())
    assert found.attraction.round(4).tolist() == [0.4, 0.5, 0.5]
    assert found.satisfaction.round(4).tolist() == [0.3333, 0.75, 0.6667]
    assert found.relevance.round(4).tolist() == [0.1333, 0.375, 0.3333]


def test_pbm_of_the_worked_example() -> None:
    found = pbm(count_cells(worked()))
    assert found.attraction.round(4).tolist() == [0.454, 0.6729, 0.5099]
    assert found.examination[1:].round(4).tolist() == [0.6784, 0.4796, 0.473]


@st.composite
def lists_of_results(draw: st.DrawFn) -> list[ShownList]:
    documents = st.lists(st.integers(0, 5), min_size=1, max_size=5, unique=True)
    return [
        (each, draw(st.lists(st.booleans(), min_size=len(each), max_size=len(each))))
        for each in draw(st.lists(documents, min_size=1, max_size=12))
    ]


@given(lists_of_results())
def test_the_models_agree_with_their_definitions(lists: list[ShownList]) -> None:
    shown = shown_results(lists, 6)
    cells = count_cells(shown)
    for values, expected in (
        (coec(cells, 10), oracle.coec(lists, 10)),
        (sdbn(shown).relevance, oracle.sdbn(lists)),
        (pbm(cells, 7).attraction, oracle.pbm(lists, 7)),
    ):
        assert {each: values[each] for each in expected} == pytest.approx(expected)


EXAMINATION = np.array([0.95, 0.7, 0.5, 0.35, 0.2])


def simulated(sessions: int, attraction: Sequence[float], move: bool) -> ShownResults:
    """Clicks by the position-based model. move: documents change their ranks from list to list."""
    random, size = np.random.default_rng(3), len(attraction)
    orders = np.tile(np.arange(size), (sessions, 1))
    if move:
        orders = random.permuted(orders, axis=1)
    clicked = random.random((sessions, size)) < np.array(attraction)[orders] * EXAMINATION[:size]
    return ShownResults(
        np.repeat(np.arange(sessions), size),
        orders.ravel(),
        np.tile(np.arange(1, size + 1), sessions),
        clicked.ravel(),
        sessions,
        size,
    )


def test_pbm_finds_the_parameters_of_simulated_clicks() -> None:
    attraction = [0.9, 0.7, 0.5, 0.3, 0.1]
    found = pbm(count_cells(simulated(20_000, attraction, move=True)))
    scale = found.attraction[0] / attraction[0]  # only products are identified
    assert found.attraction / scale == pytest.approx(attraction, abs=0.02)
    assert found.examination[1:] * scale == pytest.approx(EXAMINATION, abs=0.02)


def test_a_document_at_low_ranks_is_not_penalised() -> None:
    """Document 0 is best and mostly last; the click rate alone puts it below the worst one."""
    random, sessions = np.random.default_rng(5), 20_000
    others = random.permuted(np.tile(np.arange(1, 5), (sessions, 1)), axis=1)
    move = random.random(sessions) < 0.1  # it is shown at the top now and then, so that ranks can be compared
    orders = np.column_stack([others, np.zeros(sessions, dtype=np.int64)])
    orders[move] = orders[move][:, ::-1]
    attraction = np.array([0.8, 0.6, 0.5, 0.5, 0.4])
    clicked = random.random(orders.shape) < attraction[orders] * EXAMINATION
    ranks = np.tile(np.arange(1, 6), sessions)
    shown = ShownResults(
        np.repeat(np.arange(sessions), 5), orders.ravel(), ranks, clicked.ravel(), sessions, 5
    )
    cells = count_cells(shown)
    rate = cells.by_pair(cells.clicks) / cells.by_pair(cells.impressions)
    assert rate.argmin() == 0
    assert pbm(cells).attraction.argmax() == 0
    assert coec(cells)[0] > 1  # the mean click rate of the last rank is mostly its own


def test_a_list_of_a_session_without_clicks_counts_whole() -> None:
    shown = shown_results([([0, 1], [False, False])], 2)
    assert sdbn(shown).attraction.round(4).tolist() == [0.3333, 0.3333]


def test_thresholds_give_the_shares_of_people() -> None:
    values = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    places = np.array([2, 0, 0, 1, 0, 1])
    thresholds = thresholds_by_shares(values, places, 4)
    assert thresholds == [0.4, 0.6, np.inf]
    assert np.bincount(grade_places(values, thresholds)).tolist() == [3, 2, 1]
