"""Every number that the lectures work out comes out. (Agreement is in assess, pooling in pooling.)"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jurypool.pyramid import best_weight, pyramid_score
from metrics.engine.confusion import ContingencyTable, confusion_matrix, macro_average, micro_average
from metrics.measures.collection import roc_points
from metrics.measures.textbook import recall_precision_points

from .small_runs import graded, hits_of, pattern, scored, value

RANKING = ["123", "84", "56", "6", "8", "9", "511", "129", "187", "25", "38", "48", "250", "113", "3"]
TEN_RELEVANT = dict.fromkeys(["3", "5", "9", "25", "39", "44", "56", "71", "89", "123"], 1)
THREE_RELEVANT = dict.fromkeys(["3", "56", "129"], 1)
TENTHS = " ".join(f"ExactIPrec@{tenth / 10}" for tenth in range(11))

# Sets


def test_precision_and_recall_of_a_set() -> None:
    table = ContingencyTable(tp=3, fp=3, fn=2, tn=2)
    assert (table.precision, table.recall) == (0.5, 0.6)
    ranking, grades = pattern("R R R N N N", relevant=5)
    assert value(ranking, grades, "SetP") == 0.5
    assert value(ranking, grades, "SetR") == 0.6


def test_what_has_no_value_is_undefined() -> None:
    assert ContingencyTable(tp=0, fp=3, fn=0, tn=2).recall is None  # nothing is relevant
    assert ContingencyTable(tp=0, fp=0, fn=3, tn=2).precision is None  # nothing was retrieved


def test_f1_of_the_relevance_vector() -> None:
    ranking, grades = pattern("R N N R N", relevant=20)
    assert value(ranking, grades, "SetP") == 0.4
    assert value(ranking, grades, "SetR") == 0.1
    assert value(ranking, grades, "FBeta") == pytest.approx(0.16, abs=1e-15)


def test_a_small_beta_favours_precision_and_a_large_one_recall() -> None:
    ranking, grades = pattern("R N N R N", relevant=20)  # precision 0.4, recall 0.1
    small, one, large = (value(ranking, grades, f"FBeta(beta={beta})") for beta in (0.5, 1.0, 2.0))
    assert small > one > large
    assert value(ranking, grades, "FBeta(beta=2)") == pytest.approx(5 * 0.4 * 0.1 / (4 * 0.4 + 0.1))
    assert value(ranking, grades, "SetF(beta=4)") == pytest.approx(large)  # trec_eval's is beta squared


FIRST, SECOND = ContingencyTable(tp=10, fp=10, fn=10, tn=970), ContingencyTable(tp=90, fp=10, fn=10, tn=890)


def test_accuracy_and_error_rate_of_two_classes() -> None:
    assert [table.accuracy for table in (FIRST, SECOND)] == [0.98, 0.98]
    assert [table.error for table in (FIRST, SECOND)] == [0.02, 0.02]
    ranking, grades = pattern("R " * 10 + "N " * 10, relevant=20)
    assert value(ranking, grades, "SetAccuracy(N=1000)") == 0.98
    assert value(ranking, grades, "SetError", collection=1000) == 0.02


def test_macro_and_micro_averages() -> None:
    assert macro_average([FIRST, SECOND], lambda table: table.precision) == 0.7
    assert ContingencyTable(tp=100, fp=20, fn=20, tn=1860) == FIRST + SECOND
    assert micro_average([FIRST, SECOND], lambda table: table.precision) == pytest.approx(100 / 120)


def test_macro_and_micro_averages_of_a_run() -> None:
    topics = [pattern("R " * 10 + "N " * 10, relevant=20), pattern("R " * 90 + "N " * 10, relevant=100)]
    rankings = {str(number): ranking for number, (ranking, _) in enumerate(topics)}
    grades = {str(number): judged for number, (_, judged) in enumerate(topics)}
    scores = scored(rankings, grades, "SetP MicroP MicroR MicroF TP FP FN TN(N=1000)")
    micro = [100 / 120] * 3  # as many false positives as false negatives
    assert scores.means.tolist() == pytest.approx([0.7, *micro, 100, 20, 20, 1860])


def test_fallout_and_specificity_are_of_the_collections_nonrelevant_documents() -> None:
    assert FIRST.fallout == 10 / 980
    assert FIRST.specificity == pytest.approx(970 / 980)
    ranking, grades = pattern("R " * 10 + "N " * 10, relevant=20)
    assert value(ranking, grades, "Fallout(N=1000)") == 10 / 980
    assert value(ranking, grades, "Specificity(N=1000)") == FIRST.specificity == 1 - 10 / 980


def test_a_row_of_the_confusion_matrix_is_the_experts_class() -> None:
    expert = ["yes"] * 20 + ["no"] * 980
    system = ["yes"] * 10 + ["no"] * 10 + ["yes"] * 10 + ["no"] * 970
    matrix = confusion_matrix(expert, system)
    assert matrix.classes == ("no", "yes")
    assert matrix.counts.tolist() == [[970, 10], [10, 10]]
    assert matrix.table("yes") == FIRST
    assert matrix.accuracy == 0.98


def test_a_confusion_matrix_of_three_classes() -> None:
    matrix = confusion_matrix(list("aaabbc"), list("aabbcc"))
    assert matrix.counts.tolist() == [[2, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert matrix.tables == [
        ContingencyTable(2, 0, 1, 3),
        ContingencyTable(1, 1, 1, 3),
        ContingencyTable(1, 1, 0, 4),
    ]
    assert micro_average(matrix.tables, lambda table: table.precision) == matrix.accuracy


def test_roc_points_rise_from_nothing_to_everything() -> None:
    ranking, grades = pattern("R N R N N R", relevant=5)
    ((fallout, recall),) = roc_points(hits_of(ranking, grades, collection=15))
    assert fallout.tolist() == [0, 0, 0.1, 0.1, 0.2, 0.3, 0.3, 1]
    assert recall.tolist() == [0, 0.2, 0.2, 0.4, 0.4, 0.4, 0.6, 1]
    assert value(ranking, grades, "AUC(N=15)") == pytest.approx(0.66)


@given(st.lists(st.booleans(), min_size=1, max_size=20), st.integers(0, 10))
def test_dice_is_f1_of_the_two_sets(found: list[bool], missed: int) -> None:
    ranking, grades = pattern(" ".join("NR"[relevant] for relevant in found), relevant=sum(found) + missed)
    retrieved, relevant = set(ranking), {docno for docno, grade in grades.items() if grade}
    dice = 2 * len(retrieved & relevant) / (len(retrieved) + len(relevant))
    assert value(ranking, grades, "Dice") == pytest.approx(dice)
    assert value(ranking, grades, "FBeta") == pytest.approx(dice)
    assert value(ranking, grades, "SetF") == pytest.approx(dice)


# Rankings


def test_recall_and_precision_points() -> None:
    ((recall, precision),) = recall_precision_points(hits_of(RANKING, TEN_RELEVANT))
    assert recall.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]
    assert precision.round(4).tolist() == [1.0, 0.6667, 0.5, 0.4, 0.3333]
    assert value(RANKING, TEN_RELEVANT, "AP") == pytest.approx(0.29)


@pytest.mark.parametrize(
    ("relevant", "curve"),
    [
        (TEN_RELEVANT, [1, 1, 0.6667, 0.5, 0.4, 0.3333, 0, 0, 0, 0, 0]),
        (THREE_RELEVANT, [0.3333] * 4 + [0.25] * 3 + [0.2] * 4),
    ],
)
def test_eleven_point_interpolated_precision(relevant: dict[str, int], curve: list[float]) -> None:
    scores = scored({"1": RANKING}, {"1": relevant}, TENTHS + " Exact11pt")
    assert scores.values[0].round(4).tolist() == [*curve, pytest.approx(sum(curve) / 11, abs=1e-4)]


def test_average_precision_of_three_relevant_documents() -> None:
    assert value(RANKING, THREE_RELEVANT, "AP") == pytest.approx(0.2611, abs=5e-5)


def test_a_relevant_document_that_is_never_found_counts_as_precision_0() -> None:
    ranking, grades = pattern("R R N R N R N N N N N N R N", relevant=6)
    ((_, precision),) = recall_precision_points(hits_of(ranking, grades))
    assert precision.round(4).tolist() == [1, 1, 0.75, 0.6667, 0.3846]
    assert value(ranking, grades, "AP") == pytest.approx(0.6335, abs=5e-5)


@pytest.mark.parametrize(
    ("letters", "relevant", "expected"),
    [
        ("R N R R R R N N N R", 6, 0.775),
        ("N R N N R R R N R R", 6, 0.5212),
        ("R N R N N R N N R R", 5, 0.6222),
        ("N R N N R N R N N N", 3, 0.4429),
        ("R N N R N", 2, 0.75),
        ("R N R N N N N N R R", 4, 0.6),
        ("N R N N R R R N N N", 4, 0.4929),
    ],
)
def test_average_precision(letters: str, relevant: int, expected: float) -> None:
    assert value(*pattern(letters, relevant), "AP") == pytest.approx(expected, abs=5e-5)


def test_map_is_the_mean_over_topics() -> None:
    first, second = pattern("R N R N N R N N R R", 5), pattern("N R N N R N R N N N", 3)
    scores = scored({"1": first[0], "2": second[0]}, {"1": first[1], "2": second[1]}, "AP")
    assert scores.means[0] == pytest.approx(0.5325, abs=5e-5)


def test_r_precision_is_precision_and_recall_at_r() -> None:
    ranking, grades = pattern("R N N R N", relevant=5)
    assert [value(ranking, grades, name) for name in ("Rprec", "P@5", "R@5")] == [0.4, 0.4, 0.4]
    assert value(ranking, grades, "RR") == 1


def test_two_systems_are_told_apart_by_r_precision() -> None:
    first, second = pattern("R N R N N N N N R R", 4), pattern("N R N N R R R N N N", 4)
    assert (value(*first, "Rprec"), value(*second, "Rprec")) == (0.5, 0.25)


def test_the_break_even_point_is_where_the_curve_meets_the_diagonal() -> None:
    # precision 0.4 at recall 0.4
    assert value(RANKING, TEN_RELEVANT, "BEP") == pytest.approx(0.4)
    # from (0.2, 1/3) the curve stays at 1/3 to 0.3, then falls to 1/4 at 0.4: met on the way
    recall = value(RANKING, THREE_RELEVANT, "BEP")
    assert recall == pytest.approx(1 / 3 - (recall - 0.3) * (1 / 3 - 1 / 4) / 0.1)
    assert 0.3 < recall < 0.4


@given(st.lists(st.sampled_from("RNU"), min_size=1, max_size=25), st.integers(0, 5))
def test_both_forms_of_bpref_agree(marks: list[str], missed: int) -> None:
    letters = [f"{mark}{place}" for place, mark in enumerate(marks)]
    relevant = [docno for docno in letters if docno[0] == "R"] + [f"m{number}" for number in range(missed)]
    nonrelevant = [docno for docno in letters if docno[0] == "N"]
    grades = {**dict.fromkeys(relevant, 1), **dict.fromkeys(nonrelevant, 0), "other": 0}
    total = len(relevant)
    # R x R pairs: each relevant document against the first R non-relevant ones; those not found come last
    against = [letters.index(docno) for docno in nonrelevant[:total]]
    against += [len(letters)] * (total - len(against))
    places = [letters.index(docno) if docno in letters else len(letters) + 1 for docno in relevant]
    agreements = sum(place < other for place in places for other in against)
    expected = agreements / (total * total) if total else 0.0
    assert value(letters, grades, "BprefR") == pytest.approx(expected)


def test_the_reciprocal_rank_looks_at_the_first_answers_only() -> None:
    rankings = {"1": ["a", "b", "c"], "2": ["a", "b", "c"], "3": ["a", "b", "c"]}
    grades = {"1": {"b": 1}, "2": {"c": 1}, "3": {"z": 1}}
    scores = scored(rankings, grades, "RR RR@2")
    assert scores.values.tolist() == [[0.5, 0.5], [1 / 3, 0], [0, 0]]
    assert scores.means.tolist() == pytest.approx([(0.5 + 1 / 3) / 3, 0.5 / 3])


# Grades


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("CG", 11),
        ("DCG", 6.8611),
        ("nDCG", 0.9608),
        ("DCG(dcg='jk-log2')", 8.0972),
        ("nDCG(dcg='jk-log2')", 0.9315),
        ("DCG(dcg='exp-log2')", 13.8483),
        ("nDCG(dcg='exp-log2')", 0.9488),
    ],
)
def test_cumulated_gain_of_3_2_3_0_1_2(name: str, expected: float) -> None:
    assert value(*graded("3 2 3 0 1 2"), name) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("DCG", 7.1410), ("DCG(dcg='jk-log2')", 8.6925), ("DCG(dcg='exp-log2')", 14.5954)],
)
def test_cumulated_gain_of_the_ideal_order(name: str, expected: float) -> None:
    assert value(*graded("3 3 2 2 1 0"), name) == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize(
    ("grades", "dcg", "ndcg"),
    [("2 2 1 0", 4.6309, 1.0), ("2 1 2 0", 4.2619, 0.9203), ("2 0 0 3 0", 3.5, 0.7), ("3 2 0 0 0", 5.0, 1.0)],
)
def test_the_second_form_of_cumulated_gain(grades: str, dcg: float, ndcg: float) -> None:
    assert value(*graded(grades), "DCG(dcg='jk-log2')") == pytest.approx(dcg, abs=5e-5)
    assert value(*graded(grades), "nDCG(dcg='jk-log2')") == pytest.approx(ndcg, abs=5e-5)


def test_equal_grades_may_stand_in_any_order() -> None:
    ranking, grades = graded("2 2 1 0")
    for form in ("log2", "jk-log2", "exp-log2"):
        swapped = value([ranking[1], ranking[0], *ranking[2:]], grades, f"DCG(dcg='{form}')")
        assert swapped == value(ranking, grades, f"DCG(dcg='{form}')")


# Summaries


def test_the_best_summaries_of_four_units_take_the_top_tier_and_two_of_the_next() -> None:
    tiers = {4: 2, 3: 4}
    assert best_weight(tiers, 4) == 2 * 4 + 2 * 3
    assert pyramid_score([4, 4, 3, 3], tiers) == 1.0
    assert pyramid_score([4, 3, 3, 3], tiers) == 13 / 14
    assert pyramid_score([4, 3], tiers, units=4) == 7 / 14


@given(st.dictionaries(st.integers(1, 5), st.integers(0, 6), min_size=1), st.integers(0, 40))
def test_the_best_weight_is_the_formula_of_the_lecture(tiers: dict[int, int], units: int) -> None:
    total = sum(tiers.values())
    if units <= total:
        above = [sum(count for weight, count in tiers.items() if weight >= i) for i in range(max(tiers) + 1)]
        j = max((i for i in range(max(tiers) + 1) if above[i] >= units), default=0)
        upper = {weight: count for weight, count in tiers.items() if weight > j}
        best = sum(weight * count for weight, count in upper.items()) + j * (units - sum(upper.values()))
        assert best_weight(tiers, units) == best
    else:
        assert best_weight(tiers, units) == sum(weight * count for weight, count in tiers.items())


def test_a_summary_cannot_hold_more_units_than_the_pyramid() -> None:
    with pytest.raises(ValueError, match="at most 2 units of weight 4, found 3"):
        pyramid_score([4, 4, 4], {4: 2})
    assert pyramid_score([], {4: 2}) is None
