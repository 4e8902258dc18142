"""Worked examples that others published, and values that trec_eval 10.0 printed for rankings made by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from metrics.engine.evaluate import evaluate
from metrics.engine.hits import Settings, find_hits
from metrics.engine.qrels_index import index_qrels
from metrics.measures.names import parse_measures
from metrics.trec_eval.printing import relstrings
from pooling.formats.qrels import parse_qrels
from pooling.formats.runs import RunFile, parse_run


def run_of(ranking: Sequence[str]) -> RunFile:
    return parse_run("".join(f"1 Q0 {docno} 0 {-rank} t\n" for rank, docno in enumerate(ranking)).encode())


def scores(
    ranking: Sequence[str], grades: Mapping[str, int], names: str, profile: str = "trec_eval-9"
) -> list[float]:
    """Score one ranking of one topic."""
    index = index_qrels(
        parse_qrels("".join(f"1 0 {docno} {grade}\n" for docno, grade in grades.items()).encode())
    )
    return [float(mean) for mean in evaluate(run_of(ranking), index, parse_measures(names), profile).means]


def binary(pattern: str, relevant: int) -> tuple[list[str], dict[str, int]]:
    """Return a ranking and grades from R and N; relevant documents that are missing were not retrieved."""
    ranking = [f"{letter}{rank:02}" for rank, letter in enumerate(pattern)]
    grades = {docno: int(docno[0] == "R") for docno in ranking}
    return ranking, grades | {f"missed{number}": 1 for number in range(relevant - pattern.count("R"))}


def close(values: Sequence[float], digits: int = 4) -> object:
    return pytest.approx(values, abs=0.5001 * 10**-digits)


GRADED = {"a": -1, "b": -2, "c": 1, "d": 0, "e": 3}


def test_negative_grades_count_as_trec_eval_counts_them() -> None:
    names = "map bpref infAP ndcg ndcg_rel Rndcg G binG TrecRBP TrecRBPResidual unj.5 num_nonrel_judged_ret"
    wanted = [0.3333, 0.5, 0.5833, 0.4320, 0.2849, 0.1440, 0.3869, 0.4434, 0.0860, 0.7943, 0.6, 1]
    assert scores("abczde", GRADED, names, "trec_eval-10") == close(wanted)


def test_the_log_odds_of_average_precision_are_those_of_trec_eval_10() -> None:
    # By hand: the precisions 1 and 2/3 sum to 5/3, and ln((1 + 5/3) / (1 + 2 - 5/3)) = ln 2.
    assert scores(*binary("RNR", 2), "yaap", "trec_eval-10") == close([0.6931])


def test_the_relevance_string_shows_what_was_pooled_and_judged() -> None:
    index = index_qrels(
        parse_qrels("".join(f"1 0 {d} {g}\n" for d, g in {**GRADED, "f": 12}.items()).encode())
    )
    hits = find_hits(run_of("abczdef"), index, Settings("trec_eval-10"))
    assert relstrings(hits) == ["..1-03>"]
    assert relstrings(hits, 3) == ["..1"]


def test_bpref_of_a_run_with_few_judged_nonrelevant() -> None:
    # one judged non-relevant, then four relevant; R = 6, N = 4 (trec_eval's note on an old bug gives 0.5)
    ranking, grades = binary("NRRRR", 6)
    grades |= {f"low{number}": 0 for number in range(3)}
    assert scores(ranking, grades, "bpref") == close([0.5])


# Manning, Raghavan & Schutze, Introduction to Information Retrieval, exercise 8.9
IIR_8_9 = "RRNNNNNNRNRNNNRNNNNR"


def test_iir_exercise_8_9() -> None:
    names = "P.20 SetF map Rprec bpref"
    assert scores(*binary(IIR_8_9, 8), names) == close([0.3, 0.4286, 0.4163, 0.25, 0.2969])
    best = IIR_8_9 + "RR" + "N" * 9978  # of 10,000 documents the two missing ones come next, or last
    worst = IIR_8_9 + "N" * 9978 + "RR"
    assert scores(*binary(best, 8), "map") == close([0.503], 3)
    assert scores(*binary(worst, 8), "map") == close([0.4165])


def test_iir_exercise_8_9_by_both_rules_of_interpolation() -> None:
    curve = " ".join(f"iprec_at_recall.{level / 10}" for level in range(11)) + " 11pt_avg"
    textbook = [1, 1, 1, 0.3636, 0.3636, 0.3636, 0.3333, 0.3, 0, 0, 0, 0.4295]
    nearest = [1, 1, 1, 1, 0.3636, 0.3636, 0.3333, 0.3, 0.3, 0, 0, 0.5146]
    assert scores(*binary(IIR_8_9, 8), curve, "trec_eval-9") == close(textbook)
    assert scores(*binary(IIR_8_9, 8), curve, "trec_eval-10") == close(nearest)


def test_iir_exercise_8_4_and_8_1() -> None:
    assert scores(*binary("RNRNNNNNRR", 4), "map Rprec") == close([0.6, 0.5])
    assert scores(*binary("NRNNRRRNNN", 4), "map Rprec") == close([0.4929, 0.25])
    assert scores(*binary("R" * 8 + "N" * 10, 20), "SetP SetR") == close([8 / 18, 0.4])


def graded(gains: Sequence[int], more: Sequence[int] = ()) -> tuple[list[str], dict[str, int]]:
    """Return a ranking with these grades; `more` were judged and not retrieved."""
    ranking = [f"d{place:02}" for place in range(len(gains))]
    return ranking, dict(zip(ranking, gains, strict=True)) | {
        f"m{place}": gain for place, gain in enumerate(more)
    }


def test_jarvelin_and_kekalainens_ranking_by_trec_evals_discount() -> None:
    names = "DCG IdealDCG ndcg ndcg_cut.2 ndcg_cut.5 Rndcg G"
    found = scores(*graded([3, 2, 3, 0, 0, 1, 2, 2, 3, 0], [1, 1, 1]), names, "trec_eval-10")
    assert found == close([8.3188, 9.9792, 0.8336, 0.8710, 0.7177, 0.8116, 0.4986])


def test_wikipedias_example_of_dcg() -> None:
    ranking, grades = graded([3, 2, 3, 0, 1, 2], [3, 2])
    assert scores(ranking, grades, "DCG@6 IdealDCG@6 nDCG@6") == close([6.861, 8.740, 0.785], 3)


def test_the_examples_of_ir_measures_and_ranx() -> None:
    index = index_qrels(parse_qrels(b"Q0 0 D0 0\nQ0 0 D1 1\nQ1 0 D0 0\nQ1 0 D3 2\n"))
    run = parse_run(b"Q0 0 D0 1 1.2 t\nQ0 0 D1 2 1.0 t\nQ1 0 D0 2 2.4 t\nQ1 0 D3 1 3.6 t\n")
    found = evaluate(run, index, parse_measures("AP RR nDCG P(rel=2)@10")).means.tolist()
    assert found == [0.75, 0.75, 0.8154648767857288, 0.05]
    index = index_qrels(parse_qrels(b"q_1 0 d_12 5\nq_1 0 d_25 3\nq_2 0 d_11 6\nq_2 0 d_22 1\n"))
    first = {"d_12": 0.9, "d_23": 0.8, "d_25": 0.7, "d_36": 0.6, "d_32": 0.5, "d_35": 0.4}
    second = {"d_12": 0.9, "d_11": 0.8, "d_25": 0.7, "d_36": 0.6, "d_22": 0.5, "d_35": 0.4}
    lines = [
        f"q_{n} 0 {d} 1 {s} t\n" for n, ranked in enumerate((first, second), 1) for d, s in ranked.items()
    ]
    found = evaluate(
        parse_run("".join(lines).encode()), index, parse_measures("nDCG@5 AP@5 RR")
    ).means.tolist()
    assert found == close([0.7861, 0.6417, 0.75])
