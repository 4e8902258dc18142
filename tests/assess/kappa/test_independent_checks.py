"""Every coefficient is compared with its definition as loops over labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assess.kappa.agreement import coefficients
from assess.kappa.coefficient import MIN_DOCUMENTS, Coefficient
from assess.kappa.labels import Labels, labels_of
from assess.kappa.pairs import coefficients_of_tables
from assess.kappa.registry import REGISTRY, Definition
from assess.kappa.tables import pair_tables
from tests.oracles.agreement import BINARY, COEFFICIENTS, Rows, documents, overlap

SCALE, THRESHOLD = (0, 1, 3, 4), 3
OTHERS = ("overlap",)  # compared in a test of its own
CHECKED = {*COEFFICIENTS, *(f"{key}-binary" for key in BINARY), *OTHERS}
Matrix = npt.NDArray[np.int8]


def matrices(judges: st.SearchStrategy[int]) -> st.SearchStrategy[Matrix]:
    """Places on the scale, shape (judges, documents), -1 for no label."""
    return st.tuples(judges, st.integers(1, 9)).flatmap(
        lambda shape: arrays(np.int8, shape, elements=st.integers(-1, 3))
    )


def is_checked(definition: Definition) -> bool:
    return definition.key in CHECKED


@pytest.mark.parametrize("definition", REGISTRY.values(), ids=REGISTRY)
def test_a_coefficient_has_a_check_that_is_not_its_own_code(definition: Definition) -> None:
    where = "COEFFICIENTS (and BINARY) of tests/oracles/agreement.py"
    assert is_checked(definition), f"{definition.key}: write it as loops over labels in {where}"


def test_a_coefficient_without_a_check_is_found() -> None:
    assert not is_checked(replace(REGISTRY["fleiss"], key="hopeful"))


def rows_of(matrix: Matrix) -> Rows:
    return [[None if place < 0 else SCALE[place] for place in row] for row in matrix.tolist()]


def expected(compute: Callable[[], float], rows: Rows) -> Any:
    """Return what loops give; None where they are undefined or there are too few documents."""
    if len(documents(rows)) < MIN_DOCUMENTS:
        return None
    try:
        return pytest.approx(compute(), abs=1e-9)
    except ZeroDivisionError:
        return None


def computed(key: str, labels: Labels) -> Coefficient:
    """Return one coefficient as the registry computes it, from tables if it is of two judges only."""
    definition = REGISTRY[key]
    if definition.from_statistics:
        return coefficients(labels, [definition])[0]
    tables = pair_tables(labels).counts[0]
    return coefficients_of_tables(tables, labels.scale, labels.threshold, [definition])[0][0]


@pytest.mark.parametrize("key", [*COEFFICIENTS, *(f"{key}-binary" for key in BINARY)])
@given(data=st.data())
def test_a_coefficient_is_that_of_loops_over_labels(key: str, data: st.DataObject) -> None:
    of_two = REGISTRY[key].from_statistics is None
    matrix = data.draw(matrices(st.just(2) if of_two else st.integers(2, 4)))
    rows, scale = rows_of(matrix), tuple[int, ...](SCALE)
    labels = labels_of(matrix, SCALE, THRESHOLD)
    if not (matrix >= 0).any(axis=0).any() or len(documents(rows)) == 0:
        return
    loops = COEFFICIENTS[key.removesuffix("-binary")]
    if key.endswith("-binary"):
        rows = [[None if label is None else int(label >= THRESHOLD) for label in row] for row in rows]
        scale = (0, 1)
    assert computed(key, labels).value == expected(lambda: loops(rows, scale), rows)


TOPICS = ("7", "7", "7", "8", "8", "9")


@given(matrix=arrays(np.int8, (3, len(TOPICS)), elements=st.integers(-1, 3)))
def test_the_overlap_is_that_of_loops_over_topics(matrix: Matrix) -> None:
    rows: Sequence[Sequence[int | None]] = rows_of(matrix)
    labels = labels_of(matrix, SCALE, THRESHOLD, topic=TOPICS)
    found = coefficients(labels, [REGISTRY["overlap"]])[0].value
    assert found == expected(lambda: overlap(rows, SCALE, TOPICS, THRESHOLD), rows)
