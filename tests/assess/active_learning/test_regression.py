"""The learner against scikit-learn's, and what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_matrix, random_array
from sklearn.linear_model import LogisticRegression

from assess.active_learning.features import text_features
from assess.active_learning.regression import fit_logistic
from tests.assess.active_learning.labelled_texts import themed


@pytest.mark.parametrize(("share", "c"), [(0.1, 1.0), (0.5, 1.0), (0.02, 0.1), (0.9, 10.0)])
@pytest.mark.parametrize("intercept", [False, True])
def test_weights_are_those_of_scikit_learn(share: float, c: float, intercept: bool) -> None:
    texts, _, relevant = themed(150, seed=3, share=share)
    matrix = text_features(texts).matrix
    ours = fit_logistic(matrix, relevant, c=c, intercept=intercept)
    theirs = LogisticRegression(
        C=c, class_weight="balanced", fit_intercept=intercept, tol=1e-9, max_iter=10_000
    ).fit(matrix, relevant)
    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ours.intercept == pytest.approx(theirs.intercept_.item(), abs=1e-4)
    assert ours.scores(matrix) == pytest.approx(theirs.decision_function(matrix), abs=1e-3)
    assert ours.probabilities(matrix) == pytest.approx(theirs.predict_proba(matrix)[:, 1], abs=1e-3)


def test_a_start_changes_nothing_but_the_way() -> None:
    texts, _, relevant = themed(150, seed=4)
    matrix = text_features(texts).matrix
    cold = fit_logistic(matrix, relevant)
    warm = fit_logistic(matrix, relevant, start=fit_logistic(matrix[:100], relevant[:100]))
    assert warm.weights == pytest.approx(cold.weights, abs=1e-4)
    again = fit_logistic(matrix, relevant)
    assert (again.weights == cold.weights).all() and again.intercept == cold.intercept


def test_a_term_that_no_row_has_weighs_nothing() -> None:
    matrix = csr_matrix(np.array([[1.0, 0, 0], [0, 0, 1.0], [0, 0, 0.5]]))
    model = fit_logistic(matrix, np.array([True, False, False]))
    assert model.weights[1] == 0 and model.weights[0] > 0 > model.weights[2]


@pytest.mark.parametrize("relevant", [[True, True], [False, False], [True], []])
def test_labels_of_one_kind_are_an_error(relevant: list[bool]) -> None:
    matrix = csr_matrix(random_array((2, 3), density=1.0, rng=np.random.default_rng(1)))
    with pytest.raises(ValueError, match="labels of both classes for 2 rows"):
        fit_logistic(matrix, np.array(relevant, dtype=bool))
