"""The pool of the LLMJudge challenge with the grades of its assessors and of one machine judge."""

from __future__ import annotations

from functools import cache

import numpy as np

from pooling.arrays import IntVector
from tests.metrics.shared_data import BUNDLED

FOLDER = "judges-llmjudge-2024"


@cache
def grades(machine: str = "willia-umbrela1") -> tuple[IntVector, IntVector]:
    """Return the human and the machine grades of the 4,423 documents, in the same order."""
    human = _grades_of("llmjudge_test_qrel_idx.txt")
    other = _grades_of(f"scores/{machine}.txt")
    return (
        np.array(list(human.values())),
        np.array([other[document] for document in human]),
    )


def _grades_of(path: str) -> dict[tuple[str, str], int]:
    lines = (line.split() for line in (BUNDLED / FOLDER / path).read_text().splitlines())
    return {(topic, docno): int(grade) for topic, _, docno, grade in lines}
