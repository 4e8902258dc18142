from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from assess.kappa.pairs import mean_over_pairs
from assess.kappa.tables import binarised, confusion
from assess.kappa.two_judges import cohen, percent_agreement, scott

LECTURE = np.array([[300, 20], [10, 70]])  # two judges, yes and no: the textbook's table
SCALE = [0, 1, 2, 3]
two_judges = st.lists(st.tuples(st.sampled_from(SCALE), st.sampled_from(SCALE)), min_size=1, max_size=40)


def test_the_lectures_example() -> None:
    assert percent_agreement(LECTURE) == 0.925
    assert scott(LECTURE) == pytest.approx(0.77591, abs=5e-6)
    assert cohen(LECTURE) == pytest.approx(0.77612, abs=5e-6)


@given(two_judges)
def test_cohens_kappa_is_scikit_learns(grades: list[tuple[int, int]]) -> None:
    first, second = zip(*grades, strict=True)
    ours = cohen(confusion(first, second, SCALE))
    if len({*first, *second}) == 1:  # scikit-learn gives nan and a warning
        assert ours is None
    else:
        assert ours == pytest.approx(cohen_kappa_score(first, second, labels=SCALE), abs=1e-12)


@given(two_judges)
def test_who_comes_first_does_not_matter(grades: list[tuple[int, int]]) -> None:
    first, second = zip(*grades, strict=True)
    counts = confusion(first, second, SCALE)
    assert cohen(counts) == pytest.approx(cohen(counts.T))
    assert scott(counts) == pytest.approx(scott(counts.T))


@given(two_judges, st.sampled_from([1, 2, 3]))
def test_folding_the_table_is_folding_the_grades(grades: list[tuple[int, int]], threshold: int) -> None:
    first, second = zip(*grades, strict=True)
    folded = confusion([g >= threshold for g in first], [g >= threshold for g in second], [False, True])
    assert binarised(confusion(first, second, SCALE), SCALE, threshold).tolist() == folded.tolist()


def test_what_is_undefined_is_none_and_never_a_number() -> None:
    nothing, one_grade = np.zeros((2, 2), dtype=np.int64), np.array([[5, 0], [0, 0]])
    assert percent_agreement(nothing) is cohen(nothing) is scott(nothing) is None
    assert cohen(one_grade) is scott(one_grade) is None
    assert percent_agreement(one_grade) == 1
    assert mean_over_pairs([None]) is mean_over_pairs([]) is None


def test_perfect_agreement_is_one_and_full_contradiction_minus_one() -> None:
    assert cohen(np.array([[3, 0], [0, 4]])) == 1
    assert cohen(np.array([[0, 5], [5, 0]])) == -1


def test_a_grade_off_the_scale_and_lists_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"of the scale \[0, 1\], found 0 and 2"):
        confusion([0], [2], [0, 1])
    with pytest.raises(ValueError, match="shorter"):
        confusion([0, 1], [0], [0, 1])
