"""Judges who share some of their documents only: chance is taken from the documents that are shared."""

from __future__ import annotations

from collections import defaultdict
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients, coefficients_by_topic
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.labels import labels_of
from assess.kappa.pairs import PAIR_COEFFICIENTS, coefficients_of_tables
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import pair_tables

from .published import named, near

SCALE = (0, 1, 2, 3)
Matrix = npt.NDArray[np.int8]
# most labels are missing, so that most documents have one label or none
sparse = st.tuples(st.integers(2, 6), st.integers(2, 24)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.sampled_from([-1, -1, -1, 0, 1, 2, 3]))
)


def two_of_five_topics_shared() -> Matrix:
    """Two judges who share 20 documents, most of them relevant; of their own ones nearly none is."""
    shared = [[1] * 18 + [0] * 2, [1] * 16 + [0, 0, 1, 1]]
    own = [[0] * 300 + [-1] * 300, [-1] * 300 + [0] * 300]
    return np.concatenate([shared, own], axis=1).astype(np.int8)


def test_fleiss_kappa_of_two_judges_is_scotts_pi_of_what_they_share() -> None:
    labels = labels_of(two_of_five_topics_shared(), (0, 1))
    (pair,) = coefficients_of_tables(pair_tables(labels).counts[0], (0, 1))
    found = coefficients(labels)
    assert named(found, "Fleiss' kappa").value == near(named(pair, "Scott's pi").value)
    assert named(found, "Gwet's AC1").value == near(named(pair, "Gwet's AC1").value)
    assert named(found, "Conger's kappa").value == near(named(pair, "Cohen's kappa").value)
    assert named(found, "Fleiss' kappa").standard_error == near(named(pair, "Scott's pi").standard_error)


def fleiss_by_counting(matrix: Matrix) -> float | None:
    documents = [[grade for grade in column if grade >= 0] for column in matrix.T.tolist()]
    documents = [grades for grades in documents if len(grades) > 1]
    pairs = [[one == other for one, other in permutations(grades, 2)] for grades in documents]
    observed = np.mean([np.mean(own) for own in pairs])
    shares = np.mean([[grades.count(grade) / len(grades) for grade in SCALE] for grades in documents], axis=0)
    expected = (shares**2).sum()
    return None if expected > 1 - 1e-12 else float((observed - expected) / (1 - expected))


def conger_by_counting(matrix: Matrix) -> float | None:
    columns = [column for column in matrix.T.tolist() if sum(grade >= 0 for grade in column) > 1]
    drawn: dict[tuple[int, int], float] = defaultdict(
        float
    )  # judge and grade of a label, every document counted once
    agreeing = []
    for column in columns:
        given = [(judge, grade) for judge, grade in enumerate(column) if grade >= 0]
        agreeing.append(np.mean([one == other for (_, one), (_, other) in permutations(given, 2)]))
        for label in given:
            drawn[label] += 1 / len(given)
    of_two = [
        (weight * other, grade == second)
        for (judge, grade), weight in drawn.items()
        for (another, second), other in drawn.items()
        if judge != another
    ]
    expected = sum(weight for weight, same in of_two if same) / sum(weight for weight, _ in of_two)
    return None if expected > 1 - 1e-12 else float((np.mean(agreeing) - expected) / (1 - expected))


@given(sparse)
def test_fleiss_and_conger_are_what_counting_gives(matrix: Matrix) -> None:
    found = coefficients(labels_of(matrix, SCALE))
    if found[0].n >= 2:
        assert named(found, "Fleiss' kappa").value == near(fleiss_by_counting(matrix), abs=1e-9)
        assert named(found, "Conger's kappa").value == near(conger_by_counting(matrix), abs=1e-9)


@given(sparse)
def test_documents_with_one_label_change_nothing(matrix: Matrix) -> None:
    topic = [f"t{column % 12}" for column in range(matrix.shape[1])]
    alone = (matrix >= 0).sum(axis=0) == 1
    with_them = labels_of(matrix, SCALE, 2, topic)
    without = labels_of(np.where(alone, -1, matrix), SCALE, 2, topic)
    bootstrap = Bootstrap(draws=20)
    pairs = zip(
        [*coefficients(with_them, bootstrap=bootstrap), *sum(coefficients_by_topic(with_them).values(), [])],
        [*coefficients(without, bootstrap=bootstrap), *sum(coefficients_by_topic(without).values(), [])],
        strict=True,
    )
    for one, other in pairs:
        assert one.value == near(other.value)
        assert one.standard_error == near(other.standard_error)
        assert one.interval == near(other.interval)


@given(sparse)
def test_every_value_lies_in_the_range_of_its_coefficient(matrix: Matrix) -> None:
    labels = labels_of(matrix, SCALE, 2)
    in_pairs = [
        each for own in coefficients_of_tables(pair_tables(labels).counts[0], SCALE, 2) for each in own
    ]
    definitions = [*ALL_JUDGE_COEFFICIENTS, *(PAIR_COEFFICIENTS * (len(in_pairs) // len(PAIR_COEFFICIENTS)))]
    for definition, found in zip(definitions, [*coefficients(labels), *in_pairs], strict=True):
        if found.value is not None:
            lowest = -1 if definition.beyond_chance else 0
            assert lowest - 1e-9 <= found.value <= 1 + 1e-9, definition.key


@pytest.mark.parametrize("key", ["fleiss", "conger", "ac1"])
def test_ten_judges_with_a_few_common_topics_have_the_value_of_these(key: str) -> None:
    """Five of 50 topics are shared, and their documents are relevant three times as often as the others."""
    random = np.random.default_rng(4)
    truth = np.where(np.arange(1000) < 100, random.random(1000) < 0.6, random.random(1000) < 0.2)
    places = np.where(random.random((10, 1000)) < 0.15, ~truth, truth).astype(np.int8)
    assigned = np.arange(1000) % 10 == np.arange(10)[:, None]
    assigned[:, :100] = True
    everything = labels_of(np.where(assigned, places, -1), (0, 1))
    shared = labels_of(places[:, :100], (0, 1))
    one, other = (coefficients(labels, [REGISTRY[key]])[0] for labels in (everything, shared))
    assert one.value == near(other.value)


@given(sparse)
def test_the_analytic_interval_stays_in_range(matrix: Matrix) -> None:
    for found in coefficients(labels_of(matrix, SCALE)):
        if normal := found.normal_interval():
            assert all(-1 <= end <= 1 for end in normal)
