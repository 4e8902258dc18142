"""Measures are found by the names of ir_measures and trec_eval; unknown ones are refused with the nearest."""

from __future__ import annotations

import pytest

from metrics.measures.base import BadMeasure, UnknownMeasure
from metrics.measures.names import parse_measure, parse_measures


@pytest.mark.parametrize(
    ("text", "name", "trec_eval"),
    [
        ("nDCG@10", "nDCG@10", "ndcg_cut_10"),
        ("ndcg_cut.10", "nDCG@10", "ndcg_cut_10"),
        ("ndcg_cut_10", "nDCG@10", "ndcg_cut_10"),
        ("nDCG", "nDCG", "ndcg"),
        ("map", "AP", "map"),
        ("AP@100", "AP@100", "map_cut_100"),
        ("AP(rel=2)@100", "AP(rel=2)@100", ""),
        ("AP( rel = 2 )", "AP(rel=2)", ""),
        ("P@5", "P@5", "P_5"),
        ("P.5", "P@5", "P_5"),
        ("R@1000", "R@1000", "recall_1000"),
        ("IPrec@0.1", "IPrec@0.1", "iprec_at_recall_0.10"),
        ("bpref", "bpref", "bpref"),
        ("Rprec", "Rprec", "Rprec"),
        ("RR", "RR", "recip_rank"),
        ("utility.2,-1,0,0", "Utility(a=2.0)", "utility_2,-1,0,0"),
        ("ndcg.1=3,2=9", "nDCG(gains='1=3,2=9')", "ndcg_1=3,2=9"),
        ("nDCG(gains='1=3,2=9')@5", "nDCG(gains='1=3,2=9')@5", ""),
        ("set_F.4", "SetF(beta=4.0)", "set_F_4"),
    ],
)
def test_a_name_is_read_and_written(text: str, name: str, trec_eval: str) -> None:
    measure = parse_measure(text)
    assert (measure.name, measure.trec_eval) == (name, trec_eval)


def test_texts_hold_several_measures() -> None:
    assert [m.name for m in parse_measures("nDCG@10 AP(rel=2) P.5,10\n bpref")] == [
        "nDCG@10",
        "AP(rel=2)",
        "P@5",
        "P@10",
        "bpref",
    ]
    assert len(parse_measures("official")) == 29
    assert parse_measures("") == []


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hit_rate@5", "Success@5"),
        ("precision@5", "P@5"),
        ("precision", "SetP"),
        ("recall@100", "R@100"),
        ("f1@10", "FBeta@10"),
        ("f1", "SetF"),
        ("mrr", "RR"),
        ("mrr@10", "RR@10"),
        ("map@100", "AP@100"),
        ("r-precision", "Rprec"),
        ("bpref", "bpref"),
        ("dcg@10", "DCG@10"),
        ("dcg_burges@10", "DCG(dcg='exp-log2')@10"),
        ("ndcg@10", "nDCG@10"),
        ("ndcg_burges", "nDCG(dcg='exp-log2')"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),  # as trec_eval prints it
        ("P_5", "P@5"),
        ("ndcg_cut_10", "nDCG@10"),
    ],
)
def test_names_of_ranx_and_what_trec_eval_prints_are_known(text: str, name: str) -> None:
    assert parse_measure(text) == parse_measure(name)


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("nDGC@10", "nDCG@10"),
        ("mapp", "map"),
        ("Prec@5", "precision@5"),
        ("recall@ten", "recall"),
        ("hits@5", "TP@5"),
        ("rbp.95", "RBP(p=0.95)"),
        ("bpreff", "bpref"),
        ("recal.5", "recall"),
        ("zzz", ""),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_known_one(text: str, nearest: str) -> None:
    with pytest.raises(UnknownMeasure) as caught:
        parse_measure(text)
    assert (caught.value.text, caught.value.nearest) == (text, nearest)
    assert ("did you mean" in str(caught.value)) == bool(nearest)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("P", "expected one measure, found 9"),
        ("Success@", "unknown measure"),
        ("RelP", "needs a cut-off"),
        ("P@0", "positive cut-off"),
        ("P@1.5", "a whole number as cut-off"),
        ("bpref@10", "takes no cut-off"),
        ("AP(level=2)", "no parameter 'level' (known: rel, judged_only)"),
        ("AP(rel=-1)", "a grade of 0 or more"),
        ("AP(rel=1.5)", "a grade of 0 or more"),
        ("AP(2)", "expected name=value"),
        ("nDCG(gains='x')", "expected gains as in"),
        ("TrecRBP(p='a')", "expected a float"),
        ("P.0", "positive"),
        ("P.5,5", "different"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(text: str, expected: str) -> None:
    with pytest.raises(ValueError, match=expected.replace("(", r"\(").replace(")", r"\)")):
        parse_measure(text)


def test_a_measure_says_what_it_uses() -> None:
    assert [parse_measure(name).uses for name in ("nDCG@10", "AP", "num_ret")] == [
        "grades",
        "threshold",
        "neither",
    ]
    measure = parse_measure("nDCG@10")
    assert (measure.low, measure.high) == (0.0, 1.0)
    assert "Jarvelin" in measure.citation
    assert measure.meaning


def test_a_bad_measure_is_a_value_error() -> None:
    assert issubclass(BadMeasure, ValueError)
    assert issubclass(UnknownMeasure, ValueError)


def test_numret_with_a_grade_counts_what_reaches_it() -> None:
    assert parse_measure("NumRet(rel=2)").name == "NumRelRet(rel=2)"
    assert parse_measure("NumRet").name == "NumRet"
