"""Every measure is compared with something that we did not write, or with its definition as a plain loop."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from metrics.measures.base import MeasureKind
from metrics.measures.names import parse_measures
from metrics.measures.registry import KINDS
from tests.metrics.test_against_peers import CWL, DIVERSE, OTHERS
from tests.metrics.test_against_trec_eval import MEASURES

HERE = Path(__file__).parent
COMPARED = {
    measure.kind.name for measure in [*MEASURES, *parse_measures(" ".join([*CWL, *DIVERSE, *OTHERS]))]
}
WITH_NUMBERS_OF_OTHERS = [
    HERE / f"test_{name}.py"
    for name in ("plain_loops", "published_examples", "textbook_examples", "lecture_examples")
] + [*(HERE.parent / "data/trec_eval").rglob("out.*")]  # what trec_eval 10 prints in its own tests
TEXT = "\n".join(path.read_text(encoding="latin-1") for path in WITH_NUMBERS_OF_OTHERS)


def is_checked(kind: MeasureKind) -> bool:
    """Tell whether a kind is compared with another program, or its name stands beside numbers of others."""
    names = [name for name in (kind.name, kind.trec_eval, kind.trec_eval_cut) if name]
    return kind.name in COMPARED or any(
        re.search(rf"\b{re.escape(name)}(?![a-zA-Z])", TEXT) for name in names
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_measure_has_a_check_that_is_not_our_code(kind: MeasureKind) -> None:
    assert is_checked(kind), (
        f"{kind.name}: compare it in one of {[path.name for path in WITH_NUMBERS_OF_OTHERS[:4]]}"
    )


def test_a_measure_without_a_check_is_found() -> None:
    assert not is_checked(replace(KINDS["AP"], name="Hopeful", trec_eval="", trec_eval_cut=""))
