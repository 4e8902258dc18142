"""What holds of every coefficient in the registry, whichever it is."""

from __future__ import annotations

import re
from itertools import combinations
from random import Random
from unittest import mock

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assess.kappa import agreement
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS, coefficients, coefficients_by_topic
from assess.kappa.bootstrap import MAX_NUMBERS, Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.labels import Labels, labels_of
from assess.kappa.pairs import PAIR_COEFFICIENTS, coefficients_of_tables
from assess.kappa.registry import REGISTRY
from assess.kappa.statistics import statistics_of
from assess.kappa.tables import folded, pair_tables, patterns_of

from .published import near

half = settings(max_examples=50)
SCALE = (0, 1, 2, 3)
THRESHOLD = 2
Matrix = npt.NDArray[np.int8]
matrices = st.tuples(st.integers(1, 5), st.integers(1, 12)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(-1, len(SCALE) - 1))
)


def labels(matrix: Matrix, topics: int = 3) -> Labels:
    topic = [f"t{column % topics}" for column in range(matrix.shape[1])]
    return labels_of(matrix, SCALE, THRESHOLD, topic)


def values(found: list[Coefficient]) -> list[object]:
    """Everything but the reasons, comparable up to rounding."""
    return [
        field if field is None else near(field, abs=1e-9)
        for each in found
        for field in (each.value, each.n, each.observed, each.expected, each.standard_error, each.judges)
    ]


def flat(found: list[Coefficient]) -> list[object]:
    return [
        field
        for each in found
        for field in (each.value, each.n, each.observed, each.expected, each.standard_error, each.judges)
    ]


@half
@given(matrices)
def test_each_is_a_value_or_a_reason_and_never_nan(matrix: Matrix) -> None:
    for found in coefficients(labels(matrix), bootstrap=Bootstrap(draws=20)):
        assert (found.value is None) == bool(found.reason)
        assert (found.interval is None) == bool(found.no_interval)
        numbers = [found.value, found.observed, found.expected, found.standard_error, *(found.interval or ())]
        assert all(number is None or np.isfinite(number) for number in numbers)
        assert found.value is None or found.value <= 1 + 1e-9


@half
@given(matrices)
def test_value_is_observed_beyond_expected_where_both_are_numbers(matrix: Matrix) -> None:
    tables = pair_tables(labels(matrix)).counts[0]
    pairs = [each for own in coefficients_of_tables(tables, SCALE, THRESHOLD) for each in own]
    for found in [*coefficients(labels(matrix)), *pairs]:
        if found.value is not None and found.observed is not None and found.expected is not None:
            beyond = (found.observed - found.expected) / (1 - found.expected)
            assert found.value == near(beyond, abs=1e-9)


@half
@given(matrices, st.randoms(use_true_random=False))
def test_the_order_of_items_and_of_judges_is_irrelevant(matrix: Matrix, random: Random) -> None:
    rows, columns = list(range(len(matrix))), list(range(matrix.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    topic = [f"t{column % 3}" for column in columns]
    shuffled = labels_of(matrix[rows][:, columns], SCALE, THRESHOLD, topic)
    assert flat(coefficients(shuffled)) == values(coefficients(labels(matrix)))


@half
@given(matrices)
def test_perfect_agreement_is_one(matrix: Matrix) -> None:
    truth = matrix.max(axis=0)
    perfect = np.where(matrix >= 0, truth, matrix)
    for definition, found in zip(ALL_JUDGE_COEFFICIENTS, coefficients(labels(perfect)), strict=True):
        assert found.value is None or found.value == near(1, abs=1e-12), definition.key


@pytest.mark.parametrize("definition", ALL_JUDGE_COEFFICIENTS, ids=lambda each: each.key)
def test_perfect_agreement_on_every_grade_has_a_value(definition: object) -> None:
    perfect = labels(np.tile(np.arange(12, dtype=np.int8) % 4, (3, 1)))
    found = dict(zip(ALL_JUDGE_COEFFICIENTS, coefficients(perfect), strict=True))[definition]  # type: ignore[index]
    assert found.value == near(1, abs=1e-12)


def test_perfect_agreement_of_two_judges_is_one_too() -> None:
    (found,) = coefficients_of_tables(np.diag([3.0, 4, 5, 6])[None], SCALE, THRESHOLD)
    assert [each.value for each in found] == [near(1, abs=1e-12)] * len(PAIR_COEFFICIENTS)


@half
@given(matrices, st.permutations(range(len(SCALE))))
def test_names_of_grades_are_irrelevant_where_their_order_is(matrix: Matrix, other: list[int]) -> None:
    renamed = np.where(matrix >= 0, np.array(other, dtype=np.int8)[matrix], matrix)
    nominal = [each for each in ALL_JUDGE_COEFFICIENTS if not each.ordered]
    assert flat(coefficients(labels(renamed), nominal)) == values(coefficients(labels(matrix), nominal))


def test_reversing_or_shuffling_a_scale_changes_only_what_is_stated_to_depend_on_it() -> None:
    random = np.random.default_rng(7)
    truth = random.integers(0, 4, 60)
    close_by = np.clip(truth + random.integers(-1, 2, (3, 60)), 0, 3)
    first = coefficients(labels(close_by))
    second = coefficients(labels(np.array([2, 0, 3, 1])[close_by]))
    moved = {
        each.key
        for each, a, b in zip(ALL_JUDGE_COEFFICIENTS, first, second, strict=True)
        if a.value != near(b.value)
    }
    assert moved == {each.key for each in ALL_JUDGE_COEFFICIENTS if each.ordered}


@half
@given(matrices)
def test_duplicating_every_item_leaves_the_kappas(matrix: Matrix) -> None:
    kappas = [
        each for each in ALL_JUDGE_COEFFICIENTS if not each.key.startswith(("alpha", "overlap", "light"))
    ]
    once, twice = (coefficients(labels(np.tile(matrix, (1, times)), topics=1), kappas) for times in (2, 4))
    assert [each.value for each in twice] == [
        each.value if each.value is None else near(each.value) for each in once
    ]


@half
@given(matrices)
def test_binary_is_what_folded_labels_give(matrix: Matrix) -> None:
    cut = SCALE.index(THRESHOLD)
    topic = [f"t{column % 3}" for column in range(matrix.shape[1])]
    two_grades = labels_of(np.where(matrix < 0, -1, matrix >= cut), (0, 1), 1, topic)
    binary = [each for each in ALL_JUDGE_COEFFICIENTS if each.binary]
    graded = [REGISTRY[each.key.removesuffix("-binary")] for each in binary]
    assert flat(coefficients(labels(matrix), binary)) == values(coefficients(two_grades, graded))


@half
@given(matrices)
def test_sums_of_topics_are_the_sums_of_all(matrix: Matrix) -> None:
    all_of = labels(matrix)
    patterns = patterns_of(all_of)
    parted = statistics_of(all_of, patterns, pair_tables(all_of, by_topic=True))
    together = statistics_of(all_of, patterns, pair_tables(all_of))
    for one, other in zip(parted, together, strict=True):
        assert np.allclose(one.sum(axis=0), other[0])


@half
@given(matrices, st.sampled_from([1, 200, MAX_NUMBERS]))
def test_all_topics_at_once_are_what_each_gives_alone(matrix: Matrix, room: int) -> None:
    """However many topics there is room for at a time."""
    all_of = labels(matrix)
    with mock.patch.object(agreement, "MAX_NUMBERS", room):
        found = coefficients_by_topic(all_of)
    assert list(found) == list(all_of.topics)
    for topic, own in found.items():
        alone = coefficients(all_of.of_topic(topic))
        assert [each.reason for each in own] == [each.reason for each in alone]
        assert flat(own) == values(alone)


@half
@given(matrices)
def test_tables_of_pairs_are_what_a_loop_counts(matrix: Matrix) -> None:
    found = pair_tables(labels(matrix))
    looped = {}
    for first, second in combinations(range(len(matrix)), 2):
        table = np.zeros((4, 4))
        for one, other in zip(matrix[first], matrix[second], strict=True):
            if one >= 0 and other >= 0:
                table[one, other] += 1
        if table.sum():
            looped[first, second] = table.tolist()
    pairs = zip(found.first.tolist(), found.second.tolist(), strict=True)
    assert dict(zip(pairs, found.counts[0].tolist(), strict=True)) == looped


@half
@given(matrices)
def test_two_complete_judges_have_one_coefficient_by_either_way(matrix: Matrix) -> None:
    both = matrix[:2][:, (matrix[:2] >= 0).all(axis=0)]
    assume(both.shape[0] == 2 and both.shape[1] > 1)
    pair = coefficients_of_tables(pair_tables(labels(both)).counts[0], SCALE, THRESHOLD)[0]
    by_key = {each.key: found for each, found in zip(PAIR_COEFFICIENTS, pair, strict=True)}
    of_all = {
        each.key: found
        for each, found in zip(ALL_JUDGE_COEFFICIENTS, coefficients(labels(both)), strict=True)
    }
    same = {"light": "cohen", "conger": "cohen", "fleiss": "scott"}
    for key, found in of_all.items():
        twin = re.sub(r"^\w+", lambda match: same.get(match[0], match[0]), key)
        if twin in by_key:
            assert [found.value] == values([by_key[twin]])[:1], key


def test_folding_twice_is_folding_once() -> None:
    table = np.arange(16.0).reshape(4, 4)
    assert folded(folded(table, 2), 1).tolist() == folded(table, 2).tolist()


def test_every_definition_says_what_it_is() -> None:
    assert len({each.name for each in REGISTRY.values()}) == len(REGISTRY)
    for key, each in REGISTRY.items():
        assert key == each.key and each.formula and each.citation
        assert each.from_tables or each.from_statistics
        assert bool(each.error_of_tables or each.error_of_patterns) == bool(each.error_source)
