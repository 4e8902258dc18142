"""Values that papers and textbooks print, to the digits they print (or that several programs agree on)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assess.kappa.agreement import fleiss_by_grade
from assess.kappa.errors import cohen_errors, fleiss_null_error
from assess.kappa.marginals import balance
from assess.kappa.two_judges import cohen, scott_estimate
from assess.kappa.weights import quadratic

from .published import (
    COHEN_1960,
    FLEISS_1971,
    FLEISS_COHEN_EVERITT_1969,
    FLEISS_LEVIN_PAIK,
    FOURTEEN_RATERS,
    GWET_2002,
    KRIPPENDORFF_A,
    KRIPPENDORFF_B,
    KRIPPENDORFF_C,
    LECTURE,
    from_counts,
    from_table,
    near,
    of_many,
    of_two,
    written,
)

TABLES = {
    "lecture": LECTURE,
    "Cohen 1960": COHEN_1960,
    "Fleiss, Cohen & Everitt 1969": FLEISS_COHEN_EVERITT_1969,
    "Fleiss, Levin & Paik": FLEISS_LEVIN_PAIK,
    "Gwet 2002": GWET_2002,
    "Feinstein & Cicchetti 1990, balanced": [[40, 9], [6, 45]],
    "Feinstein & Cicchetti 1990, skewed": [[80, 10], [5, 5]],
}
VALUES = [
    ("lecture", "Percent agreement", ".925"),
    ("lecture", "Cohen's kappa", ".776119"),
    ("lecture", "Scott's pi", ".775910"),
    ("lecture", "Bennett's S", ".85"),
    ("lecture", "Gwet's AC1", ".887271"),
    ("Cohen 1960", "Percent agreement", ".70"),
    ("Cohen 1960", "Cohen's kappa", ".4915"),
    ("Cohen 1960", "Cohen's kappa, linear weights", ".47368"),
    ("Cohen 1960", "Cohen's kappa, quadratic weights", ".45455"),
    ("Cohen 1960", "Scott's pi", ".48718"),
    ("Fleiss, Cohen & Everitt 1969", "Cohen's kappa", ".42857"),
    ("Fleiss, Cohen & Everitt 1969", "Cohen's kappa, linear weights", ".49231"),
    ("Fleiss, Cohen & Everitt 1969", "Cohen's kappa, quadratic weights", ".56667"),
    ("Fleiss, Levin & Paik", "Cohen's kappa", ".67647"),
    ("Fleiss, Levin & Paik", "Cohen's kappa, linear weights", ".72222"),
    ("Fleiss, Levin & Paik", "Cohen's kappa, quadratic weights", ".75532"),
    ("Gwet 2002", "Percent agreement", ".944"),
    ("Gwet 2002", "Cohen's kappa", "-.02339"),
    ("Gwet 2002", "Scott's pi", "-.02881"),
    ("Gwet 2002", "Gwet's AC1", ".94078"),
    ("Feinstein & Cicchetti 1990, balanced", "Percent agreement", ".85"),
    ("Feinstein & Cicchetti 1990, balanced", "Cohen's kappa", ".69952"),
    ("Feinstein & Cicchetti 1990, balanced", "Gwet's AC1", ".70075"),
    ("Feinstein & Cicchetti 1990, skewed", "Percent agreement", ".85"),
    ("Feinstein & Cicchetti 1990, skewed", "Cohen's kappa", ".31818"),
    ("Feinstein & Cicchetti 1990, skewed", "Gwet's AC1", ".80800"),
]


def printed(text: str) -> Any:
    """What a printed number stands for: anything that rounds to it."""
    return near(float(text), abs=0.51 * 10 ** -len(text.split(".")[1]))


@pytest.mark.parametrize(("table", "name", "value"), VALUES)
def test_a_table_of_two_judges_gives_the_published_value(table: str, name: str, value: str) -> None:
    assert of_two(TABLES[table], name).value == printed(value)


def test_scotts_pi_and_cohens_kappa_of_the_lecture_differ_in_the_fourth_decimal() -> None:
    pi, kappa = of_two(LECTURE, "Scott's pi"), of_two(LECTURE, "Cohen's kappa")
    assert (pi.value, pi.expected) == (printed(".77591"), printed(".6653125"))
    assert (kappa.value, kappa.expected) == (printed(".77612"), printed(".665"))
    assert of_many(from_table(LECTURE), "Krippendorff's alpha, nominal").value == printed(".776190")


def test_chance_agreement_of_cohen_1960() -> None:
    assert of_two(COHEN_1960, "Cohen's kappa").expected == printed(".41")


def test_any_disagreement_weights_can_be_given_as_in_cohen_1968() -> None:
    apart = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]])
    assert cohen(COHEN_1960, 1 - apart / 6) == printed(".347826")


@pytest.mark.parametrize(
    ("table", "estimate", "null"),
    [
        (LECTURE, ".0389", ".0499"),
        (FLEISS_COHEN_EVERITT_1969, ".0537", None),
        (FLEISS_LEVIN_PAIK, ".0877", ".0762"),
    ],
)
def test_standard_errors_of_kappa(table: list[list[int]], estimate: str, null: str | None) -> None:
    errors = cohen_errors(table)
    assert errors and errors.estimate == printed(estimate)
    assert null is None or errors.null == printed(null)
    assert of_two(table, "Cohen's kappa").standard_error == errors.estimate


def test_the_intervals_of_the_lectures_kappa() -> None:
    kappa = of_two(LECTURE, "Cohen's kappa")
    assert kappa.normal_interval() == (printed(".6999"), printed(".8523"))
    errors = cohen_errors(LECTURE)
    assert errors and errors.simple == printed(".03931")


def test_fleiss_1971() -> None:
    labels = from_counts(FLEISS_1971)
    kappa = of_many(labels, "Fleiss' kappa")
    assert (kappa.observed, kappa.expected) == (printed(".5556"), printed(".2199"))
    assert (kappa.value, kappa.n, kappa.judges) == (printed(".43024"), 30, 6)
    assert of_many(labels, "Krippendorff's alpha, nominal").value == printed(".43341")
    each = [grade.value for grade in fleiss_by_grade(labels)]
    assert each == [printed(value) for value in (".245", ".245", ".520", ".471", ".566")]
    assert fleiss_null_error(np.array(FLEISS_1971)) == printed(".0244")


def test_fourteen_raters() -> None:
    assert of_many(from_counts(FOURTEEN_RATERS), "Fleiss' kappa").value == printed(".20993")


@pytest.mark.parametrize(
    ("rows", "scale", "kind", "value"),
    [
        (KRIPPENDORFF_A, "01", "nominal", ".095238"),
        (KRIPPENDORFF_B, "abcde", "nominal", ".691964"),
        (KRIPPENDORFF_C, "12345", "nominal", ".743421"),
        (KRIPPENDORFF_C, "12345", "ordinal", ".815388"),
        (KRIPPENDORFF_C, "12345", "interval", ".849107"),
        (KRIPPENDORFF_C, "12345", "ratio", ".797403"),
    ],
)
def test_krippendorff_2011(rows: tuple[str, ...], scale: str, kind: str, value: str) -> None:
    assert of_many(written(rows, scale), f"Krippendorff's alpha, {kind}").value == printed(value)


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("Gwet's AC1", ".775151708719", ".125271926003"),
        ("Gwet's AC2, linear weights", ".85769153022", ".090476178775"),
        ("Gwet's AC2, quadratic weights", ".912798231573", ".067207096595"),
        ("Fleiss' kappa", ".762483130904", ".135438598518"),
        ("Bennett's S", ".772727272727", ".127049316903"),
        ("Krippendorff's alpha, nominal", ".743421052632", ".145573886985"),
    ],
)
def test_labels_with_gaps_give_what_irrcac_0_4_4_gave_of_documents_with_two_labels(
    name: str, value: str, error: str | None
) -> None:
    found = of_many(written(KRIPPENDORFF_C, "12345"), name)
    assert found.value == printed(value)
    assert error is None or found.standard_error == printed(error)


def test_one_deviating_label_among_22_makes_alpha_zero() -> None:
    rows = ["33333", "33333", "33333", "3331.", "333.."]
    for kind in ("nominal", "ordinal"):
        assert of_many(written(rows, "123"), f"Krippendorff's alpha, {kind}").value == 0


def test_a_constant_judge_beside_an_even_one() -> None:
    labels = written(["0000000000", "0000011111"], "01")
    assert of_two([[5, 5], [0, 0]], "Cohen's kappa").value == 0
    assert of_many(labels, "Krippendorff's alpha, nominal").value == printed("-.267")


def test_the_prevalence_paradox_shows_in_the_indices() -> None:
    paradox = balance(GWET_2002)
    assert paradox and paradox.prevalence == printed("-.944")
    assert (paradox.bias, paradox.adjusted) == (printed("-.024"), printed(".888"))


def test_interval_alpha_is_the_pooled_quadratic_coefficient_but_for_small_numbers() -> None:
    alpha = of_many(from_table(COHEN_1960), "Krippendorff's alpha, interval").value
    pooled = scott_estimate(np.array(COHEN_1960, dtype=float), quadratic(3)).value
    assert alpha == printed(".44583")
    assert alpha == near(1 - (1 - pooled) * 399 / 400)  # 400 labels
