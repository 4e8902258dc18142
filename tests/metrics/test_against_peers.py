"""Other programs' numbers, where those programs are installed; scikit-learn's always."""

from __future__ import annotations

import logging
import random
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from metrics.engine.evaluate import evaluate
from metrics.engine.hits import Settings, find_hits
from metrics.engine.qrels_index import index_subtopics
from metrics.measures.collection import roc_points
from metrics.measures.names import parse_measure, parse_measures
from pooling.formats.qrels import parse_qrels

from .small_runs import hits_of, run_of, scored

CWL = [
    "SDCG(max_rel=3)@10", "SDCG(min_rel=1, max_rel=2)@7", "RBP(rel=1)", "RBP(rel=2, p=0.5)",
    "INST(max_rel=3)", "INST(max_rel=3, T=2.5)", "INSQ(max_rel=3)", "INSQ(max_rel=3, T=3.0)",
    "BPM(max_rel=3)@10", "BPM(max_rel=3, T=3.0)@5", "NERR8(max_rel=3)@10", "NERR9(max_rel=3)@20",
    "NERR10(max_rel=3)", "NERR10(max_rel=3, p=0.5)", "NERR11(max_rel=3)", "NERR11(max_rel=3, T=2.0)",
]  # fmt: skip
OTHERS = [
    "Judged@10", "Judged", "Accuracy",
    "Accuracy@10", "Accuracy(rel=2)@20", "AP(rel=2)", "RR@10", "nDCG@10", "nDCG(judged_only=True)@10",
    "AP(judged_only=True)", "P(rel=2, judged_only=True)@5", "RR(judged_only=True)",
]  # fmt: skip
DIVERSE = [
    "alpha_DCG@2", "alpha_DCG(alpha=0.7)@10", "alpha_nDCG@1", "alpha_nDCG@20", "alpha_nDCG(alpha=0.3)@20",
    "alpha_nDCG(alpha=1.0)@5", "alpha_nDCG(rel=2)@10", "ERR_IA@2", "ERR_IA@20", "nERR_IA@1", "nERR_IA@10",
    "NRBP", "NRBP(alpha=0.8, beta=0.9)", "nNRBP", "nNRBP(beta=0.7)", "AP_IA", "AP_IA(rel=2)", "P_IA@5",
    "P_IA@20", "StRecall@1", "StRecall@20",
]  # fmt: skip
Judgments = list[tuple[str, str, str, int]]  # topic, subtopic, docno, grade
GRADES = [-1, 0, 0, 0, 1, 1, 2, 3]


def collection(seed: int, subtopics: int, lowest: int) -> tuple[Judgments, dict[str, list[str]]]:
    """Return judgments and rankings of some topics."""
    chance = random.Random(seed)
    grades = [grade for grade in GRADES if grade >= lowest]
    judgments, rankings = [], {}
    for topic in map(str, range(1, 9)):
        docnos = [f"d{number}" for number in range(chance.choice([6, 20, 60]))]
        for subtopic in range(1, chance.randint(1, subtopics) + 1):
            judged = chance.sample(docnos, len(docnos) // 2)
            judgments += [(topic, str(subtopic), docno, chance.choice(grades)) for docno in judged]
        rankings[topic] = chance.sample([*docnos, "x0", "x1", "x2"], chance.randint(2, len(docnos)))
    return [*judgments, ("1", "1", "top", 3)], rankings


def compare(names: list[str], judgments: Judgments, rankings: dict[str, list[str]]) -> None:
    """Ask ir_measures and the engine the same."""
    peer: Any = import_module("ir_measures")
    logging.getLogger("ir_measures.cwl_eval").setLevel("ERROR")
    qrels = [peer.Qrel(topic, docno, grade, sub) for topic, sub, docno, grade in judgments]
    run = [
        peer.ScoredDoc(topic, docno, float(len(ranking) - place))
        for topic, ranking in rankings.items()
        for place, docno in enumerate(ranking)
    ]
    lines = [f"{topic} {subtopic} {docno} {grade}\n" for topic, subtopic, docno, grade in judgments]
    index = index_subtopics(parse_qrels("".join(lines).encode(), by_iteration=True))
    for name in names:
        theirs = {m.query_id: m.value for m in peer.iter_calc([peer.parse_measure(name)], qrels, run)}
        scores = evaluate(run_of(rankings), index, [parse_measure(name)])
        ours = dict(zip(scores.topics, scores.values[:, 0].tolist(), strict=True))
        # ir_measures' Accuracy leaves topics without a relevant document out
        assert ours == pytest.approx(dict.fromkeys(ours, 0.0) | theirs, abs=1e-12), name


@pytest.mark.parametrize("seed", range(3))
def test_readers_are_those_of_cwl_eval(seed: int) -> None:
    compare(CWL, *collection(seed, subtopics=1, lowest=-1))


@pytest.mark.parametrize("seed", range(3))
def test_measures_are_those_of_ir_measures(seed: int) -> None:
    compare(OTHERS, *collection(seed, subtopics=1, lowest=-1))


@pytest.mark.parametrize("seed", range(5))
def test_diversity_is_that_of_ndeval(seed: int) -> None:
    compare(DIVERSE, *collection(seed, subtopics=6, lowest=0))


@pytest.mark.parametrize("seed", range(5))
def test_the_area_under_the_curve_is_scikit_learns(seed: int) -> None:
    judgments, rankings = collection(seed, subtopics=1, lowest=0)
    size = 100
    for topic, ranking in rankings.items():
        grades = {docno: grade for other, _, docno, grade in judgments if other == topic} | {"some": 1}
        scores = {docno: float(len(ranking) - place) for place, docno in enumerate(ranking)}
        documents = sorted({*grades, *scores})
        documents += [f"other{number}" for number in range(size - len(documents))]
        relevant = [int(grades.get(docno, 0) > 0) for docno in documents]
        tied = roc_auc_score(relevant, [scores.get(docno, 0.0) for docno in documents])
        last = roc_auc_score(
            relevant, [scores.get(docno, -float(grades.get(docno, 0) > 0)) for docno in documents]
        )
        found = scored({"1": ranking}, {"1": grades}, "AUC AUC(tail='worst')", size).values[0].tolist()
        assert found == pytest.approx([tied, last], abs=1e-12)
        ((fallout, recall),) = roc_points(hits_of(ranking, grades, collection=size))
        assert float(np.trapezoid(recall, fallout)) == pytest.approx(tied, abs=1e-12)


def test_a_collection_smaller_than_what_was_seen_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 4 documents, found N=3"):
        scored({"1": ["a", "b", "c"]}, {"1": {"z": 1}}, "Fallout(N=3)")
    with pytest.raises(ValueError, match="number of documents in the collection"):
        scored({"1": ["a"]}, {"1": {"z": 1}}, "AUC")


def test_a_topic_that_the_run_lacks_is_not_rewarded_by_measures_of_error() -> None:
    run, names = (
        run_of({"1": ["a"]}),
        parse_measures("SetError SetAccuracy Fallout FN RBPResidual AUC AP FBeta"),
    )
    index = index_subtopics(parse_qrels(b"1 0 a 1\n2 0 b 1\n2 0 c 1\n"))
    for profile in ("trec_eval-9", "trec_eval-10"):
        lacking = evaluate(run, index, names, profile, collection=10).values[1].tolist()
        assert lacking == [0.2, 0.8, 0.0, 2.0, 1.0, 0.5, 0.0, 0.0]


def test_an_unknown_collection_size_is_found_in_the_setting() -> None:
    index = index_subtopics(parse_qrels(b"1 0 a 1\n1 0 b 0\n"))
    hits = find_hits(run_of({"1": ["b"]}), index, Settings(collection=3))
    assert parse_measure("Fallout").kind.compute(hits).tolist() == [0.5]
