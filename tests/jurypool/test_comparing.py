"""Tests and correlations of the Python API are those of the engine, and say why where there is none."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import jurypool as jp
from jurypool.compare_cli import TESTS
from metrics.significance.pairwise import PAIRED_TESTS, pairwise_t_tests
from metrics.significance.tukey import anova_effect_sizes, randomised_tukey_hsd, tukey_hsd

TOPICS = [str(topic) for topic in range(20)]
QRELS = {topic: {f"D{n}": int((n + int(topic)) % 3 == 0) for n in range(12)} for topic in TOPICS}


def run(seed: int, help_relevant: float) -> dict[str, dict[str, float]]:
    chance = np.random.default_rng(seed)
    return {
        topic: {docno: float(chance.random() + help_relevant * grade) for docno, grade in own.items()}
        for topic, own in QRELS.items()
    }


RUNS = {"poor": run(1, 0.0), "fair": run(2, 0.2), "good": run(3, 0.8)}
RESULTS = jp.evaluate(RUNS, QRELS, "AP nDCG@5 NumRel SetError@5", collection_size=100)
VALUES = np.array([list(result["AP"].by_topic.values()) for result in RESULTS.values()]).T


@pytest.mark.parametrize("test", PAIRED_TESTS)
def test_two_runs_are_compared_by_every_test_of_the_engine(test: str) -> None:
    assert test in TESTS
    found = jp.compare(RESULTS["good"], RESULTS["poor"], "map", test)
    assert found == PAIRED_TESTS[test]([VALUES[:, 2]], VALUES[:, 0])[0]
    assert found.p is not None and found.p < 0.05
    assert found.difference == pytest.approx(RESULTS["good"]["AP"].mean - RESULTS["poor"]["AP"].mean)


def test_runs_that_cannot_be_compared_are_refused() -> None:
    good, other = RESULTS["good"], jp.evaluate(RUNS["poor"], {"1": QRELS["1"]}, "AP")
    for call, expected in (
        (lambda: jp.compare(good, other, "AP"), "expected scores over the same topics"),
        (lambda: jp.compare(good, good, "bpref"), "bpref was not computed"),
        (lambda: jp.compare(good, good, "AP", "z"), r"expected a test \(t, randomisation"),
        (lambda: jp.compare(good, good, "NumRel"), "a measure whose score is a mean"),
        (lambda: jp.compare(good, RESULTS, "AP"), "gives for one run, found Results"),  # type: ignore[arg-type]
        (lambda: jp.significance(good, "AP"), "gives for several runs, found Result"),  # type: ignore[arg-type]
        (lambda: jp.significance(RESULTS, "AP", "z"), r"expected a method \(tukey"),
        (lambda: jp.significance(RESULTS, "AP", alpha=5), "expected an alpha between 0 and 1"),
        (lambda: jp.significance(RESULTS, "AP", "t", correction="z"), "expected a correction"),
    ):
        with pytest.raises(jp.Refused, match=expected):
            call()
    alone = jp.evaluate({topic: RUNS["poor"][topic] for topic in TOPICS}, QRELS, "AP", profile="trec_eval-10")
    with pytest.raises(jp.Refused, match="found another profile or rule of run"):
        jp.compare(good, alone, "AP")


@pytest.mark.parametrize(
    ("method", "test"),
    [("tukey", tukey_hsd), ("randomised-tukey", randomised_tukey_hsd), ("t", pairwise_t_tests)],
)
def test_many_runs_are_compared_as_by_the_engine(method: str, test: Any) -> None:
    found, expected = jp.significance(RESULTS, "AP", method), test(VALUES)
    assert found.names == ("good", "fair", "poor")
    for first, second in found:
        places = list(RUNS).index(first), list(RUNS).index(second)
        assert found[first, second] == expected.pair(*places)
    assert found["good", "poor"].p == found["poor", "good"].p
    assert set(found.letters["good"]) & set(found.letters["poor"]) == set()
    assert found.effect_size("good", "poor") == -(found.effect_size("poor", "good") or 0)
    assert "letter" in repr(found) and "<caption>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["runs"][0]["run"] == "good"


def test_where_lower_is_better_the_lowest_run_comes_first() -> None:
    found = jp.significance(RESULTS, "SetError@5")
    assert found.names[0] == min(RUNS, key=lambda name: RESULTS[name]["SetError@5"].mean)


def test_p_of_all_pairs_is_a_data_frame() -> None:
    pytest.importorskip("pandas", reason="pandas is not here")
    found = jp.significance(RESULTS, "AP")
    assert found.to_pandas().loc["poor", "good"] == found["good", "poor"].p


def test_the_effect_size_of_two_runs_is_sakais() -> None:
    runs = {f"{n}": {str(topic): {"D": float(n)} for topic in range(4)} for n in range(3)}
    results = jp.evaluate(runs, {str(topic): {"D": 1} for topic in range(4)}, "AP")
    assert jp.significance(results, "AP").effect_size("0", "1") is None  # nothing varies
    sizes, means = anova_effect_sizes(VALUES), RESULTS.means("AP")
    assert sizes is not None and means["good"] > means["poor"]
    assert (
        jp.significance(RESULTS, "AP").effect_size("good", "poor")
        == sizes[list(RUNS).index("good"), list(RUNS).index("poor")]
    )


def test_overlaps_of_lists_are_the_engines_and_wrong_ones_are_refused() -> None:
    assert jp.average_overlap("abcdefg", "zcavwxy") == pytest.approx(
        [0, 0, 0.222, 0.292, 0.313, 0.317, 0.312], abs=5e-4
    )  # the example of Webber, Moffat & Zobel 2010
    assert jp.weight_of_top(10, 0.9) == pytest.approx(0.86, abs=5e-3)
    for refused in (lambda: jp.average_overlap([], "a"), lambda: jp.weight_of_top(0)):
        with pytest.raises(jp.Refused, match="expected"):
            refused()


def test_rankings_are_compared_by_name_or_by_place() -> None:
    means, others = RESULTS.means("AP"), RESULTS.means("nDCG@5")
    turned = dict(reversed(others.items()))
    for coefficient in ("tau", "tau-b", "tau-ap", "tau-ap-b", "rbo"):
        by_name = jp.rank_correlation(means, turned, coefficient)
        assert by_name == jp.rank_correlation([*means.values()], [*others.values()], coefficient)
        assert by_name.value == pytest.approx(1.0)
    for first, second, expected in (
        (means, {"good": 1.0}, "found only in one: fair, poor"),
        (means, [1.0, 2.0, 3.0], "both rankings as mappings"),
        ([1.0], [1.0, 2.0], "as many scores in both"),
        ([1.0, float("nan")], [1.0, 2.0], "expected finite scores"),
        (["a", "b"], [1.0, 2.0], "expected numbers as scores"),
    ):
        with pytest.raises(jp.Refused, match=expected):
            jp.rank_correlation(first, second)  # type: ignore[arg-type]
    with pytest.raises(jp.Refused, match="expected a coefficient"):
        jp.rank_correlation(means, others, "rho")
    assert jp.rank_correlation([1.0], [1.0]).reason == "fewer than two systems"


def test_overlap_of_lists_is_refused_for_what_is_no_list() -> None:
    assert jp.rbo("abc", "abc").extrapolated == pytest.approx(1.0)
    for first, second, p, expected in (
        ("", "a", 0.9, "at least one item"),
        ("aa", "a", 0.9, "each item once"),
        ("a", "a", 1.0, "persistence"),
        ("a", "a", "0.9", "persistence"),
    ):
        with pytest.raises(jp.Refused, match=expected):
            jp.rbo(first, second, p)  # type: ignore[arg-type]


def test_judges_are_swapped_topic_by_topic() -> None:
    strict = QRELS
    lenient = {topic: {d: 1 for d in own if d != "D0"} | {"D0": 0} for topic, own in QRELS.items()}
    part = {topic: lenient[topic] for topic in TOPICS[:5]}
    found = jp.judge_swap(RUNS, QRELS, {"ann": strict, "bob": part}, draws=200, seed=1)
    assert found.swap.topics == 20 and found.swap.varied == 5
    assert found.ranks["good"][0] == 1 and found.tau.mean is not None
    assert json.loads(json.dumps(found.to_dict()))["draws"] == 200
    assert "rank 1" in repr(found) and "<caption>" in found._repr_html_()
    same = jp.judge_swap(RUNS, QRELS, {"ann": strict}, draws=50)
    assert same.tau.lowest == 1.0 and same.swapped == []
    for options, expected in (
        ({"measure": "NumRel"}, "one measure that is a mean"), ({"measure": "AP P@5"}, "one measure"),
        ({"draws": 0}, "at least one draw"), ({"judges": {}}, "at least one judge"),
    ):  # fmt: skip
        with pytest.raises(jp.Refused, match=expected):
            jp.judge_swap(**{"runs": RUNS, "qrels": QRELS, "judges": {"ann": strict}, **options})  # type: ignore[arg-type]


def test_many_runs_are_compared_by_many_measures_in_one_call() -> None:
    found = jp.compare(RUNS, QRELS, "AP nDCG@5 NumRel", relevance=1)
    assert found.names == ("good", "fair", "poor") and list(found) == ["AP", "nDCG@5"]
    assert found.results["good"]["AP"].mean == RESULTS["good"]["AP"].mean
    for measure in found:
        expected = jp.significance(RESULTS, measure)
        assert found[measure].letters == found.letters(measure) == expected.letters
        assert found[measure]["good", "poor"] == expected["good", "poor"]
    by_t = jp.compare([*RUNS.values()], QRELS, ["map"], "t", alpha=0.01, correction="bonferroni")
    assert by_t["map"].test.alpha == 0.01 and "bonferroni" in by_t["map"].test.name.lower()
    assert json.loads(json.dumps(found.to_dict()))["tests"]["AP"]["alpha"] == 0.05
    assert found.to_pandas().loc["good", "AP letters"] == found.letters("AP")["good"]
    with pytest.raises(KeyError, match="NumRel was not tested"):
        found["NumRel"]


def test_the_table_of_a_comparison_has_letters_in_every_form() -> None:
    found = jp.compare({"a_b|c": RUNS["good"], "poor": RUNS["poor"]}, QRELS, "AP NumRel")
    mean, letters = RESULTS["good"]["AP"].mean, found.letters("AP")
    count = f"{RESULTS['good']['NumRel'].mean:.0f}"
    assert letters == {"a_b|c": "a", "poor": "b"}
    rows = found.to_markdown().splitlines()
    assert rows[:3] == [
        "| run | AP | NumRel |", "| --- | ---: | ---: |",
        f"| a\\_b\\|c | **{mean:.4f}**<sup>a</sup> | {count} |",
    ]  # fmt: skip
    latex = found.to_latex()
    assert f"a\\_b|c & \\textbf{{{mean:.4f}}}\\textsuperscript{{a}} & {count} \\\\\n" in latex
    assert "\\begin{tabular}{lrr}" in latex and latex.startswith("% ")
    assert "do not differ significantly" in latex.splitlines()[0]
    assert f"<strong>{mean:.4f}</strong><sup>a</sup>" in found._repr_html_()
    assert f"{mean:.4f} a" in repr(found)


def test_a_comparison_without_a_test_says_why() -> None:
    alone = jp.compare({"good": RUNS["good"]}, QRELS, "AP")
    assert "fewer than two systems" in repr(alone)
    assert "nothing tested" in repr(jp.compare(RUNS, QRELS, "NumRel"))
    with pytest.raises(jp.Refused, match="expected one measure for two scored runs, found AP and RR"):
        jp.compare(RESULTS["good"], RESULTS["poor"], "AP RR")
    with pytest.raises(TypeError, match="takes no relevance: give it to evaluate"):
        jp.compare(RESULTS["good"], RESULTS["poor"], "AP", relevance=2)  # type: ignore[arg-type]


def test_precision_at_recall_is_trec_evals() -> None:
    curves = jp.precision_recall(RUNS, QRELS)
    expected = jp.evaluate(RUNS["good"], QRELS, "iprec_at_recall_0.10 iprec_at_recall_1.00").means
    assert (curves["good"][1], curves["good"][10]) == tuple(expected.values())
    assert curves.to_pandas().shape == (3, 11) and "1.0" in repr(curves).splitlines()[0]
