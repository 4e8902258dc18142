"""Examples of textbooks and papers come out, by the measures that define things as they do."""

from __future__ import annotations

import pytest

from metrics.measures.textbook import recall_precision_points

from .small_runs import graded, hits_of, pattern, scored, value

# Manning, Raghavan and Schutze, Introduction to Information Retrieval, exercise 8.9
IIR = pattern("R R N N N N N N R N R N N N R N N N N R", relevant=8)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@20", 0.3),
        ("FBeta", 3 / 7),
        ("FBeta@20", 3 / 7),
        ("ExactIPrec@0.33", 4 / 11),
        ("AP", 0.4163),
        ("Rprec", 0.25),
        ("BprefR", 0.2969),
        ("bpref", 0.2969),
        ("SetAccuracy(N=100)", 0.84),
        ("Exact11pt", 0.4295),
        ("TP", 6),
        ("TN(N=100)", 78),
    ],
)
def test_the_exercise_of_manning_raghavan_and_schutze(name: str, expected: float) -> None:
    assert value(*IIR, name) == pytest.approx(expected, abs=5e-5)


def test_its_eleven_point_curve_is_the_textbooks_and_not_that_of_trec_eval_10() -> None:
    names = " ".join(f"ExactIPrec@{tenth / 10}" for tenth in range(11))
    curve = scored({"1": IIR[0]}, {"1": IIR[1]}, names).values[0].round(4).tolist()
    assert curve == [1, 1, 1, 0.3636, 0.3636, 0.3636, 0.3333, 0.3, 0, 0, 0]


def test_its_precision_at_a_quarter_of_recall() -> None:
    ((recall, precision),) = recall_precision_points(hits_of(*IIR))
    assert precision[recall == 0.25].tolist() == [1.0]


@pytest.mark.parametrize(("places", "expected"), [((21, 22), 0.503), ((9999, 10000), 0.4165)])
def test_its_best_and_worst_average_precision(places: tuple[int, int], expected: float) -> None:
    ranking = IIR[0] + [f"tail{place}" for place in range(21, 10001)]
    for missing, place in zip(("missing0", "missing1"), places, strict=True):
        ranking[place - 1] = missing
    assert value(ranking, IIR[1], "AP") == pytest.approx(expected, abs=5e-4)


def test_exercise_8_1_of_the_same_book() -> None:
    ranking, grades = pattern("R " * 8 + "N " * 10, relevant=20)
    assert value(ranking, grades, "MicroP") == 8 / 18
    assert value(ranking, grades, "MicroR") == 0.4


def test_whole_documents_are_counted_in_exact_tenths() -> None:
    # 0.7 of 3 relevant documents is 3 of them; in doubles 0.7 * 3 + 0.9 is below 3
    ranking, grades = pattern("R N R N N N R", relevant=3)
    assert value(ranking, grades, "ExactIPrec@0.7") == 3 / 7
    assert value(ranking, grades, "IPrec@0.7") == 2 / 3


# Jarvelin and Kekalainen 2002: the example of section 2, with three more documents of grade 1 in the ideal
JK = graded("3 2 3 0 0 1 2 2 3 0")
JK_GRADES = JK[1] | {"x": 1, "y": 1, "z": 1}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("DCG(dcg='jk-log2')", [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]),
        ("nDCG(dcg='jk-log2')", [1, 0.83, 0.87, 0.775, 0.71, 0.69, 0.73, 0.77, 0.83, 0.81]),
        ("CG", [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]),
    ],
)
def test_the_vectors_of_jarvelin_and_kekalainen(measure: str, expected: list[float]) -> None:
    found = [value(JK[0], JK_GRADES, f"{measure}@{rank}") for rank in range(1, 11)]
    assert found == pytest.approx(expected, abs=5.5e-3)


def test_their_ideal_vector() -> None:
    best = sorted(JK_GRADES, key=lambda docno: -JK_GRADES[docno])
    found = [value(best, JK_GRADES, f"DCG(dcg='jk-log2')@{rank}") for rank in range(1, 11)]
    expected = [3, 6, 7.89, 8.89, 9.75, 10.53, 10.88, 11.22, 11.53, 11.83]  # the paper cuts 10.52 and 11.21
    assert found == pytest.approx(expected, abs=5.5e-3)


def test_another_base_of_the_logarithm_discounts_later() -> None:
    # with base 4 nothing is discounted before rank 4, where log4(4) = 1, and rank 16 counts half
    ranking, grades = graded("1 1 1 1" + " 0" * 11 + " 1")
    assert value(ranking, grades, "DCG(dcg='jk-log2', b=4)") == pytest.approx(4.5)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DCG(dcg='exp-log2')", 13.848),
        ("nDCG(dcg='exp-log2')@6", 0.7511),
    ],
)
def test_wikipedias_example_of_exponential_gain(name: str, expected: float) -> None:
    ranking, grades = graded("3 2 3 0 1 2")
    assert value(ranking, grades | {"d7": 3, "d8": 2}, name) == pytest.approx(expected, abs=5e-4)
