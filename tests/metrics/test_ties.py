"""The tie report counts ties, and bounds a measure over all orders of tied documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.engine.evaluate import evaluate
from metrics.engine.hits import Settings
from metrics.engine.qrels_index import index_qrels
from metrics.engine.ties import tie_report
from metrics.measures.names import parse_measures
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import parse_run

NAMES = "AP P@2 RR nDCG nDCG@3 bpref R@3 Rprec"
MEASURES = parse_measures(NAMES)


def test_the_documents_of_a_known_issue_show_their_ties() -> None:
    # trec_eval issue 22: judged a 0, b 1, c 0; b and a tied: nDCG is 1 or .6309 by docno alone
    index = index_qrels(parse_qrels(b"1 0 a 0\n1 0 b 1\n1 0 c 0\n"))
    for other, scored in (("a", 1.0), ("c", 0.6309)):
        run = parse_run(f"1 Q0 b 1 1.0 t\n1 Q0 {other} 2 1.0 t\n".encode())
        report = tie_report(run, index, parse_measures("nDCG"), sample=400)
        assert (report.documents, report.tied, report.groups, report.largest) == (2, 2, 1, 2)
        assert report.scored == pytest.approx([scored], abs=1e-4)
        assert (report.worst[0], report.best[0]) == pytest.approx((0.63093, 1.0), abs=1e-5)
        assert abs(report.expected[0] - (1 + 0.63093) / 2) < 5 * report.standard_error[0]


def test_topics_without_qrels_do_not_count_and_profiles_tie_differently() -> None:
    index = index_qrels(parse_qrels(b"1 0 a 1\n3 0 x 1\n"))
    run = parse_run(
        b"2 Q0 a 1 1 t\n2 Q0 b 1 1 t\n1 Q0 a 1 1.00000001 t\n1 Q0 b 1 1.00000002 t\n1 Q0 c 1 0 t\n"
    )
    nine = tie_report(run, index, MEASURES, Settings("trec_eval-9"), sample=2)
    ten = tie_report(run, index, MEASURES, Settings("trec_eval-10"), sample=2)
    assert (nine.documents, nine.tied, nine.groups) == (3, 2, 1)
    assert (ten.documents, ten.tied, ten.groups) == (3, 0, 0)
    assert np.array_equal(ten.best, ten.worst)


GROUPED = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([None, -1, 0, 1, 2])), min_size=1, max_size=6
)  # score and grade of each document


@pytest.mark.parametrize("names", [NAMES, "P@1 nDCG@2 R@2", "P(judged_only=True)@2"])
@settings(max_examples=30)
@given(documents=GROUPED)
def test_bounds_and_expectation_are_those_of_all_orders(
    names: str, documents: list[tuple[int, int | None]]
) -> None:
    measures = parse_measures(names)
    judged = [(place, grade) for place, (_, grade) in enumerate(documents) if grade is not None]
    qrels = "".join(f"1 0 d{place} {grade}\n" for place, grade in judged) + "1 0 elsewhere 1\n"
    index = index_qrels(parse_qrels(qrels.encode()))
    levels: dict[int, list[int]] = {}
    for place, (score, _) in sorted(enumerate(documents), key=lambda row: -row[1][0]):
        levels.setdefault(score, []).append(place)
    values = []
    for orders in product(*(permutations(level) for level in levels.values())):
        ranking = [place for order in orders for place in order]
        lines = "".join(f"1 Q0 d{place} 1 {-rank} t\n" for rank, place in enumerate(ranking))
        values.append(evaluate(parse_run(lines.encode()), index, measures).means)
    tied = "".join(f"1 Q0 d{place} 1 {score} t\n" for place, (score, _) in enumerate(documents))
    report = tie_report(parse_run(tied.encode()), index, measures, sample=100)
    assert report.best == pytest.approx(np.max(values, axis=0), abs=1e-12)
    assert report.worst == pytest.approx(np.min(values, axis=0), abs=1e-12)
    assert np.all(np.abs(report.expected - np.mean(values, axis=0)) <= 6 * report.standard_error + 0.02)


@settings(max_examples=30)
@given(documents=GROUPED, topics=st.integers(1, 3), cutoff=st.integers(1, 7), seed=st.integers(0, 99))
def test_orders_that_are_scored_together_come_to_the_same_bits_as_one_after_the_other(
    documents: list[tuple[int, int | None]], topics: int, cutoff: int, seed: int
) -> None:
    qrels, lines = "", ""
    for topic in range(topics):
        for place, (score, grade) in enumerate(documents[topic:] or documents):
            lines += f"{topic} Q0 d{place} 0 {score} t\n"
            qrels += "" if grade is None else f"{topic} 0 d{place} {grade}\n"
        qrels += f"{topic} 0 elsewhere 1\n"
    run, index = parse_run(lines.encode()), index_qrels(parse_qrels((qrels + "9 0 lacked 2\n").encode()))
    together = parse_measures(f"nDCG@{cutoff} nDCG@2 P@{cutoff} R@{cutoff}")
    singly = [replace(measure, kind=replace(measure.kind, at_ranks=None)) for measure in together]
    setting = Settings(relevance=2)
    found, expected = (tie_report(run, index, each, setting, 20, seed) for each in (together, singly))
    for name in ("scored", "worst", "best", "expected", "standard_error"):
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()


def test_a_deep_cut_off_is_not_scored_in_a_table_of_all_ranks() -> None:
    assert all(measure.at_ranks for measure in parse_measures("nDCG@100 P@100 R@100"))
    deep = parse_measures("nDCG@1000000 P@1000000 R@1000000 nDCG")
    assert not any(measure.at_ranks for measure in deep)


def test_a_block_of_orders_may_end_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    run = parse_run(b"1 Q0 a 1 1 t\n1 Q0 b 1 1 t\n1 Q0 c 1 1 t\n")
    index, measures = index_qrels(parse_qrels(b"1 0 a 1\n1 0 b 0\n")), parse_measures("nDCG@2")
    at_once = tie_report(run, index, measures, sample=50)
    monkeypatch.setattr("metrics.engine.ties.BLOCK", 20)
    assert tie_report(run, index, measures, sample=50).expected == at_once.expected
