"""Other programs' numbers on random labels, and where they are not to be followed: why."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import Any

import krippendorff
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.contingency_tables import SquareTable
from statsmodels.stats.contingency_tables import mcnemar as their_mcnemar
from statsmodels.stats.inter_rater import aggregate_raters, cohens_kappa, fleiss_kappa

from assess.kappa.agreement import coefficients
from assess.kappa.errors import cohen_error
from assess.kappa.labels import labels_of
from assess.kappa.marginals import bhapkar, mcnemar, stuart_maxwell
from assess.kappa.pairs import coefficients_of_table
from assess.kappa.weights import linear, nominal, quadratic

from .published import named, near

SCALE = (1, 2, 3, 4)
Matrix = npt.NDArray[Any]
tables = arrays(np.int64, (4, 4), elements=st.integers(0, 9))
complete = st.tuples(st.integers(2, 5), st.integers(2, 15)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(0, 3))
)
with_gaps = st.tuples(st.integers(2, 5), st.integers(2, 15)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(-1, 3))
)


def close(value: float) -> Any:
    return near(value, abs=1e-9)


def lists_of(table: Matrix) -> tuple[list[int], list[int]]:
    first, second = np.nonzero(table)
    times = table[first, second]
    return np.repeat(first, times).tolist(), np.repeat(second, times).tolist()


# two judges


@given(
    tables,
    st.sampled_from([("", None), (", linear weights", "linear"), (", quadratic weights", "quadratic")]),
)
def test_cohens_kappa_is_scikit_learns(table: Matrix, kind: tuple[str, str | None]) -> None:
    ours = named(coefficients_of_table(table, SCALE), f"Cohen's kappa{kind[0]}").value
    assume(ours is not None)
    assert ours == close(cohen_kappa_score(*lists_of(table), labels=[0, 1, 2, 3], weights=kind[1]))


@given(tables, st.sampled_from([(nominal, None), (linear, "linear"), (quadratic, "quadratic")]))
def test_standard_errors_of_kappa_are_statsmodels(table: Matrix, kind: tuple[Any, str | None]) -> None:
    assume(named(coefficients_of_table(table, SCALE), "Cohen's kappa").value is not None)
    error = float(cohen_error(np.asarray(table, dtype=float), kind[0](4)))
    with np.errstate(invalid="ignore", divide="ignore"):  # of their z value
        theirs = cohens_kappa(table, wt=kind[1])
    assert error**2 == close(theirs.var_kappa)


@given(tables)
def test_marginal_homogeneity_is_statsmodels(table: Matrix) -> None:
    table = table + 1  # they solve a system that is singular where grades are never confused
    theirs = SquareTable(table, shift_zeros=False)
    for ours, method in ((stuart_maxwell(table), "stuart_maxwell"), (bhapkar(table), "bhapkar")):
        other = theirs.homogeneity(method)
        assert (ours.statistic, ours.degrees, ours.p_value) == (
            close(other.statistic), other.df, close(other.pvalue)
        )  # fmt: skip


@given(arrays(np.int64, (2, 2), elements=st.integers(1, 50)))
def test_mcnemar_is_statsmodels(table: Matrix) -> None:
    if table[0, 1] + table[1, 0] < 25:
        exact = mcnemar(table)
        assert (exact.name, exact.statistic) == ("McNemar, exact", None)
        assert exact.p_value == close(their_mcnemar(table, exact=True).pvalue)
        return
    ours, theirs = mcnemar(table), their_mcnemar(table, exact=False, correction=False)
    assert (ours.statistic, ours.p_value) == (close(theirs.statistic), close(theirs.pvalue))
    assert (ours.statistic, ours.p_value) == (
        close(stuart_maxwell(table).statistic or 0),
        close(theirs.pvalue),
    )


# many judges


@given(complete)
def test_fleiss_kappa_and_s_are_statsmodels(matrix: Matrix) -> None:
    counts = (matrix[:, :, None] == np.arange(4)).sum(axis=0)
    ours = coefficients(labels_of(matrix, SCALE))
    assert named(ours, "Bennett's S").value == close(fleiss_kappa(counts, method="randolph"))
    if (value := named(ours, "Fleiss' kappa").value) is not None:
        assert value == close(fleiss_kappa(counts))


@given(with_gaps, st.sampled_from(["nominal", "ordinal", "interval", "ratio"]))
def test_alpha_is_krippendorffs(matrix: Matrix, level: Any) -> None:
    ours = named(coefficients(labels_of(matrix, SCALE)), f"Krippendorff's alpha, {level}").value
    assume(ours is not None)
    data = np.where(matrix < 0, np.nan, matrix + 1.0)
    theirs = krippendorff.alpha(data, level_of_measurement=level, value_domain=SCALE)
    assert ours == close(float(theirs))


IRRCAC = {
    "gwet": "Gwet's AC1", "fleiss": "Fleiss' kappa", "bp": "Bennett's S",
    "krippendorff": "Krippendorff's alpha, nominal",
}  # fmt: skip


@given(with_gaps)
def test_coefficients_and_errors_of_documents_with_two_labels_are_irrcacs(matrix: Matrix) -> None:
    """irrCAC takes agreement by chance from documents with one label as well: it is given none."""
    cac = pytest.importorskip(
        "irrCAC.raw", reason="irrCAC asks for an older scipy; install it with --no-deps"
    )
    matrix = matrix[:, (matrix >= 0).sum(axis=0) > 1]
    assume(matrix.size and (matrix >= 0).any(axis=1).all())  # it divides by the labels of every judge
    ours = coefficients(labels_of(matrix, SCALE))
    ratings = import_module("pandas").DataFrame(np.where(matrix < 0, np.nan, matrix + 1.0).T)
    # without categories it takes them from the data, where newer versions of pandas give nan as one
    theirs = cac.CAC(ratings, categories=[1.0, 2.0, 3.0, 4.0], digits=12)
    for method, name in IRRCAC.items():
        found = named(ours, name)
        if found.value is not None:
            with warnings.catch_warnings(action="ignore"):
                other = getattr(theirs, method)()["est"]
            assert found.value == close(other["coefficient_value"])
            if found.standard_error is not None and found.standard_error > 1e-9:
                assert found.standard_error == close(other["se"])


# where they are not followed


def test_scikit_learn_gives_nan_where_all_labels_are_the_same() -> None:
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(cohen_kappa_score([1, 1, 1], [1, 1, 1], labels=[0, 1]))
    assert named(coefficients_of_table([[0, 0], [0, 3]], [0, 1]), "Cohen's kappa").reason


def test_statsmodels_gives_nan_there_too() -> None:
    with np.errstate(invalid="ignore"):
        assert np.isnan(fleiss_kappa(np.array([[3, 0], [3, 0]])))


def test_statsmodels_counts_a_missing_label_as_a_grade_of_its_own() -> None:
    ratings = np.array([[0, 0, np.nan], [1, 1, np.nan], [0, 0, np.nan], [1, 1, np.nan]])
    counted, grades = aggregate_raters(ratings)
    assert len(grades) == 3  # 0, 1 and nan
    assert fleiss_kappa(counted) < 0.1
    ours = labels_of(np.where(np.isnan(ratings), -1, ratings).T.astype(int), [0, 1])
    assert named(coefficients(ours), "Fleiss' kappa").value == 1


def test_fleiss_kappa_takes_unequal_numbers_of_labels() -> None:
    """Three labels of one document, two of the other; each document has the same weight (Gwet 2014)."""
    unequal = labels_of([[0, 0], [0, 1], [0, -1]], [0, 1])
    observed, chance = (1 + 0) / 2, ((1 + 0.5) / 2) ** 2 + ((0 + 0.5) / 2) ** 2
    value = (observed - chance) / (1 - chance)
    assert named(coefficients(unequal), "Fleiss' kappa").value == pytest.approx(value)


def test_krippendorff_raises_where_all_labels_are_the_same() -> None:
    with pytest.raises(ValueError, match="more than one value in the domain"):
        krippendorff.alpha([[1, 1], [1, 1]])
    same = coefficients(labels_of([[1, 1], [1, 1]], [0, 1]))
    assert named(same, "Krippendorff's alpha, nominal").reason
