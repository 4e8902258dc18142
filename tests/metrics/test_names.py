"""Every kind of measure can be written and read back; ir_measures' other names mean the same."""

from __future__ import annotations

import pytest

from metrics.measures.base import BadMeasure, Measure, MeasureKind, Value
from metrics.measures.names import parse_measure, parse_measures
from metrics.measures.registry import ALIASES, KINDS, make_measure


def changed(kind: MeasureKind) -> Measure:
    """Return a measure whose every parameter differs from its default."""
    given: dict[str, Value] = {}
    for name, default in kind.defaults.items():
        choices = [word for word in kind.parameters[name].choices if word != default]
        if choices:
            given[name] = choices[0]
        elif isinstance(default, bool):
            given[name] = not default
        elif isinstance(default, float):
            given[name] = default / 2 + 0.1
        elif not isinstance(default, str):
            given[name] = (default or 0) + 3
    return make_measure(
        kind, given.items(), 10 if kind.cutoff is int else 0.35 if kind.cutoff is float else None
    )


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_measures_name_reads_back_as_itself(kind: MeasureKind) -> None:
    measure = changed(kind)
    assert parse_measure(measure.name) == measure
    assert parse_measures(f"{measure.name} {measure.name}") == [measure, measure]


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_parameter_of_the_wrong_type_is_refused(kind: MeasureKind) -> None:
    for name, default in kind.defaults.items():
        with pytest.raises(BadMeasure, match=name):
            make_measure(
                kind, [(name, 1 if isinstance(default, str | bool) else "word")], 10 if kind.cutoff else None
            )


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_other_names_in_ir_measures_are_taken(alias: str, name: str) -> None:
    cut = "@5" if KINDS[name].cutoff else ""
    assert parse_measure(alias + cut) == parse_measure(name + cut)


def test_retrieved_documents_from_a_grade_on_are_the_relevant_ones_retrieved() -> None:
    assert parse_measure("NumRet(rel=2)") == parse_measure("NumRelRet(rel=2)")
    assert parse_measure("NumRet") != parse_measure("NumRelRet")


def test_no_name_of_ours_is_one_of_ir_measures_for_another_thing() -> None:
    # ir_measures' Accuracy is an area under a curve; the textbooks' accuracy has a name of its own
    assert "retrieved documents" in parse_measure("Accuracy").meaning
    assert "(tp + tn) / N" in parse_measure("SetAccuracy").meaning
    assert parse_measure("SetF(beta=4)").kind is not parse_measure("FBeta(beta=2)").kind
