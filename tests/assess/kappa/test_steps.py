"""Kappa step by step: the values of the textbook, and those of the coefficients themselves."""

from __future__ import annotations

import numpy as np
import pytest

from assess.kappa.steps import TEXTBOOK, kappa_steps
from assess.kappa.two_judges import cohen, scott


def test_the_steps_of_the_textbook() -> None:
    """P(A) 370 / 400; pooled shares 0.2125 and 0.7875, squared 0.6653; kappa 0.776."""
    steps = kappa_steps(TEXTBOOK, (0, 1))
    assert (steps.same, steps.n) == (370, 400)
    no, yes = steps.grades
    assert (no.first, no.second, yes.first, yes.second) == (80, 90, 320, 310)
    assert [no.pooled, yes.pooled] == pytest.approx([0.2125, 0.7875])
    assert no.squared + yes.squared == pytest.approx(0.6653, abs=1e-4)
    assert [round(kappa.value or 0, 4) for kappa in steps.coefficients] == [0.7761, 0.7759, 0.85]


@pytest.mark.parametrize("seed", range(5))
def test_the_parts_add_up_to_expected_agreement(seed: int) -> None:
    counts = np.random.default_rng(seed).integers(0, 9, (4, 4))
    steps = kappa_steps(counts, (0, 1, 2, 3))
    separate, pooled, even = steps.coefficients
    assert separate.expected == pytest.approx(sum(row.separate for row in steps.grades))
    assert pooled.expected == pytest.approx(sum(row.squared for row in steps.grades))
    assert even.expected == pytest.approx(1 / 4)
    assert separate.observed == pytest.approx(steps.same / steps.n)
    assert [separate.value, pooled.value] == pytest.approx([cohen(counts), scott(counts)])


def test_an_undefined_kappa_says_why() -> None:
    steps = kappa_steps([[5, 0], [0, 0]], (0, 1))
    assert steps.coefficients[0].value is None and "every label is the same" in steps.coefficients[0].reason
