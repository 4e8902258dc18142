"""Curves: the lectures' and the papers' numbers, and the measures that are points of them."""

from __future__ import annotations

import numpy as np
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, roc_auc_score

from metrics.engine.confusion import contingency_tables, macro_average, micro_average
from metrics.engine.curves import (
    RECALL_LEVELS,
    eleven_points,
    gain_curves,
    mean_roc,
    precision_recall_at_ranks,
)
from metrics.engine.evaluate import topic_values
from metrics.measures.base import BadMeasure
from metrics.measures.names import parse_measures
from tests.metrics.small_runs import graded, hits_of, pattern

IIR = "R R N N N N N N R N R N N N R N N N N R"  # Manning, Raghavan & Schutze, exercise 8.9; R = 8
JARVELIN = "3 2 3 0 0 1 2 2 3 0"


def test_the_textbooks_eleven_points_come_out() -> None:
    ranking, grades = pattern(IIR, relevant=8)
    found = eleven_points(hits_of(ranking, grades))[0].round(4).tolist()
    assert found == [1.0, 1.0, 1.0, 0.3636, 0.3636, 0.3636, 0.3333, 0.3, 0.0, 0.0, 0.0]


def test_jarvelin_and_kekalainens_cumulated_gain_comes_out() -> None:
    ranking, grades = graded(JARVELIN)
    found = gain_curves(hits_of(ranking, grades), 10)
    assert found.cg[0].tolist() == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    assert found.ideal_cg[0].tolist() == [3, 6, 9, 11, 13, 15, 16, 16, 16, 16]
    assert found.dcg[0, -1] == pytest.approx(8.3188, abs=5e-5)


GRADES = st.dictionaries(st.sampled_from([f"d{n}" for n in range(12)]), st.integers(0, 3), min_size=1)
RANKING = st.permutations([f"d{n}" for n in range(15)]).map(lambda names: names[:10])


@given(RANKING, GRADES)
def test_every_point_of_the_gain_curve_is_trec_evals_ndcg_cut(
    ranking: list[str], grades: dict[str, int]
) -> None:
    found = gain_curves(hits_of(ranking, grades), 12).ndcg[0]
    theirs = pytrec_eval.RelevanceEvaluator({"1": grades}, {"ndcg_cut.1,2,3,5,8,12"})
    run = {docno: float(len(ranking) - place) for place, docno in enumerate(ranking)}
    expected = theirs.evaluate({"1": run})["1"]
    for k in (1, 2, 3, 5, 8, 12):
        assert found[k - 1] == pytest.approx(expected[f"ndcg_cut_{k}"], abs=1e-12)


@given(RANKING, GRADES)
def test_every_point_is_the_measure_of_that_name(ranking: list[str], grades: dict[str, int]) -> None:
    hits = hits_of(ranking, grades)
    at, gains, eleven = precision_recall_at_ranks(hits, 12), gain_curves(hits, 12), eleven_points(hits)
    for k in range(1, 13):
        names = f"P@{k} R@{k} CG@{k} DCG@{k} nDCG@{k}"
        points = [at.precision, at.recall, gains.cg, gains.dcg, gains.ndcg]
        expected = topic_values(hits, parse_measures(names))[0]
        assert [float(curve[0, k - 1]) for curve in points] == pytest.approx(expected.tolist(), abs=1e-12)
    names = " ".join(f"ExactIPrec@{level}" for level in RECALL_LEVELS)
    assert eleven[0].tolist() == topic_values(hits, parse_measures(names))[0].tolist()


def test_the_area_under_the_mean_roc_of_one_topic_is_its_auc() -> None:
    ranking, grades = pattern("R N R N N R", relevant=5)
    curve = mean_roc(hits_of(ranking, grades), 15)
    assert curve.topics == 1
    assert (curve.fallout[-1], curve.recall[-1]) == (1.0, 1.0)
    assert auc(curve.fallout, curve.recall) == pytest.approx(0.66, abs=0.01)  # drawn at 101 points


def test_a_run_of_the_whole_collection_has_the_roc_that_scikit_learn_draws() -> None:
    marks = "R N R R N N N R N N"
    ranking, grades = pattern(marks)
    curve = mean_roc(hits_of(ranking, grades), 10)
    truth = [mark == "R" for mark in marks.split()]
    area = roc_auc_score(truth, range(len(truth), 0, -1))
    assert auc(curve.fallout, curve.recall) == pytest.approx(area, abs=0.02)  # drawn at 101 points


def test_a_topic_without_relevant_documents_has_no_roc_and_flat_curves() -> None:
    hits = hits_of(["a", "b"], {"a": 0})
    assert mean_roc(hits, 10).topics == 0
    assert not eleven_points(hits).any()
    assert not gain_curves(hits, 5).ndcg.any()
    assert not precision_recall_at_ranks(hits, 5).recall.any()


def test_a_collection_smaller_than_what_was_retrieved_is_refused() -> None:
    with pytest.raises(BadMeasure, match="at least 3"):
        mean_roc(hits_of(["a", "b", "c"], {"a": 1}), 2)


def test_the_confusion_matrix_of_exercise_8_1() -> None:
    ranking, grades = pattern("R " * 8 + "N " * 10, relevant=20)
    (table,) = contingency_tables(hits_of(ranking, grades), None, 1000)
    assert (table.tp, table.fp, table.fn, table.tn) == (8, 10, 12, 970)
    assert (table.precision, table.recall) == (8 / 18, 0.4)


def test_a_cut_off_splits_the_list_and_an_unknown_size_leaves_tn_out() -> None:
    ranking, grades = pattern(IIR, relevant=8)
    tables = contingency_tables(hits_of(ranking, grades), 2, None)
    assert [(t.tp, t.fp, t.fn, t.tn) for t in tables] == [(2, 0, 6, 0)]
    assert macro_average(tables, lambda t: t.precision) == micro_average(tables, lambda t: t.precision) == 1.0


def test_curves_do_not_depend_on_what_lies_below_them() -> None:
    ranking, grades = graded(JARVELIN)
    longer = hits_of([*ranking, "x", "y"], grades)
    shorter = hits_of(ranking, grades)
    for ours, theirs in zip(gain_curves(longer, 10), gain_curves(shorter, 10), strict=True):
        assert np.array_equal(ours, theirs)
