"""What holds for every score of the registry: range, order, better labels, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.nuggets.assignments import AssignedNugget, Assignment
from metrics.nuggets.argue import ArgueCounts
from metrics.nuggets.older_scores import ReturnedNuggets, VotedNugget
from metrics.nuggets.registry import MEASURES
from metrics.nuggets.rubric import RubricQuestion, SubmittedQuestions
from metrics.nuggets.support import Support
from metrics.nuggets.values import NuggetMeasure

NAME = attrgetter("name")
ASSIGNMENTS = st.sampled_from(Assignment)
IMPORTANCE = (
    st.sampled_from(["vital", "okay"]) | st.integers(0, 10) | st.sampled_from(["must", "avoid", None])
)
NUGGETS = st.one_of(
    st.lists(st.tuples(st.sampled_from(["vital", "okay"]), ASSIGNMENTS)),
    st.lists(st.tuples(st.floats(0, 10), ASSIGNMENTS)),
    st.lists(st.tuples(IMPORTANCE, ASSIGNMENTS | st.none())),
)
WEIGHTS = st.sampled_from([0, 1, 2, 4])


@st.composite
def argue_counts(draw: st.DrawFn) -> ArgueCounts:
    sentences, nuggets = draw(st.integers(0, 9)), draw(st.integers(0, 9))
    citations = draw(st.integers(0, 9))
    weight = draw(st.floats(0, 50)) if nuggets else 0.0
    correct, credited = draw(st.integers(0, sentences)), draw(st.integers(0, nuggets))
    attested, relevant = draw(st.integers(0, citations)), draw(st.integers(0, citations))
    share = draw(st.floats(0, 1))
    return ArgueCounts(
        correct, sentences, credited, nuggets, attested, relevant, citations, weight * share, weight
    )


@st.composite
def returned(draw: st.DrawFn) -> ReturnedNuggets:
    vital = draw(st.integers(0, 9))
    return ReturnedNuggets(
        draw(st.integers(0, vital)), draw(st.integers(0, 9)), vital, draw(st.integers(0, 3000))
    )


INPUTS: dict[str, st.SearchStrategy[Any]] = {
    "nuggets": NUGGETS.map(
        lambda rows: [AssignedNugget(f"n{place}", *row) for place, row in enumerate(rows)]
    ),
    "rubric": st.lists(
        st.builds(RubricQuestion, WEIGHTS, st.lists(ASSIGNMENTS, min_size=1, max_size=4).map(tuple))
    ),
    "questions": st.lists(
        st.builds(SubmittedQuestions, WEIGHTS, st.lists(st.sampled_from([0.0, 0.5, 1.0])).map(tuple))
    ),
    "returned": returned(),
    "votes": st.lists(st.builds(VotedNugget, st.integers(0, 5), st.booleans())),
    "grades": st.dictionaries(st.text(max_size=3), st.lists(st.integers(0, 5))),
    "argue": argue_counts(),
    "citations": st.lists(st.lists(st.sampled_from(Support), max_size=3)),
}


def better_assignment(assignment: Assignment | None) -> Assignment | None:
    order = [Assignment.CONTRADICTS, Assignment.NONE, Assignment.PARTIAL, Assignment.SUPPORT]
    return assignment and order[min(order.index(assignment) + 1, 3)]


def better_support(label: Support) -> Support:
    return {Support.NONE: Support.PARTIAL}.get(label, Support.FULL)


def better_counts(counts: ArgueCounts) -> ArgueCounts:
    """Return the counts if one more sentence is attested, with its citation and its nugget."""
    return counts._replace(
        correct=min(counts.correct + 1, counts.sentences),
        credited=min(counts.credited + 1, counts.nuggets),
        attested=min(counts.attested + 1, counts.citations),
        relevant=min(counts.relevant + 1, counts.citations),
        credited_weight=min(counts.credited_weight + 1, counts.weight),
    )


def at(place: int, values: Any, better: Callable[[Any], Any]) -> list[Any]:
    return [better(value) if each == place else value for each, value in enumerate(values)]


def improved(takes: str, given: Any, place: int) -> Any:
    """Return the input with one better label, or the same if there is none to make better."""
    match takes:
        case "nuggets":
            return at(place, given, lambda n: n._replace(assignment=better_assignment(n.assignment)))
        case "rubric":
            return at(place, given, lambda q: q._replace(values=tuple(map(better_assignment, q.values))))
        case "questions":
            return at(place, given, lambda q: q._replace(similarities=(*q.similarities, 1.0)))
        case "returned":
            if given.vital_returned < given.vital:
                return given._replace(vital_returned=given.vital_returned + 1)
            return given._replace(okay_returned=given.okay_returned + 1)
        case "votes":
            return at(place, given, lambda nugget: nugget._replace(is_returned=True))
        case "grades":
            return dict(at(place, given.items(), lambda item: (item[0], [*item[1], 5])))
        case "argue":
            return better_counts(given)
        case "citations":
            return at(place, given, lambda labels: [better_support(label) for label in labels])
    raise AssertionError(takes)


@pytest.mark.parametrize("measure", MEASURES.values(), ids=NAME)
def test_a_value_is_in_its_range_or_there_is_a_reason(measure: NuggetMeasure) -> None:
    @settings(max_examples=50)
    @given(INPUTS[measure.takes])
    def ask(own: Any) -> None:
        value, reason = measure.compute(own)
        assert (value is None) == bool(reason)
        assert value is None or measure.low <= value <= measure.high + 1e-12

    ask()


@pytest.mark.parametrize("measure", MEASURES.values(), ids=NAME)
def test_the_order_does_not_count(measure: NuggetMeasure) -> None:
    @settings(max_examples=50)
    @given(INPUTS[measure.takes], st.randoms(use_true_random=False))
    def ask(own: Any, random: Random) -> None:
        if isinstance(own, list):
            turned: Any = random.sample(own, len(own))
        elif isinstance(own, dict):
            turned = dict(random.sample(list(own.items()), len(own)))
        else:
            return
        one, other = measure.compute(own), measure.compute(turned)
        assert one.value == pytest.approx(other.value) and one.reason == other.reason

    ask()


@pytest.mark.parametrize("measure", [each for each in MEASURES.values() if each.more_never_lowers], ids=NAME)
def test_a_better_label_never_makes_a_score_worse(measure: NuggetMeasure) -> None:
    @settings(max_examples=50)
    @given(INPUTS[measure.takes], st.integers(0, 9))
    def ask(own: Any, place: int) -> None:
        before, after = measure.compute(own).value, measure.compute(improved(measure.takes, own, place)).value
        assert (before is None) == (after is None)
        if before is not None and after is not None:
            gain = after - before if measure.direction == "higher" else before - after
            assert gain >= -1e-12

    ask()


@pytest.mark.parametrize("measure", MEASURES.values(), ids=NAME)
def test_a_better_label_can_change_the_score(measure: NuggetMeasure) -> None:
    """Otherwise the test above could not fail."""
    changed = {
        "nuggets": [AssignedNugget("a", "vital", Assignment.PARTIAL)],
        "rubric": [RubricQuestion(1, (Assignment.CONTRADICTS, Assignment.NONE))],
        "questions": [SubmittedQuestions(1, (0.5,))],
        "returned": ReturnedNuggets(0, 0, 2, 500),
        "votes": [VotedNugget(1, False)],
        "grades": {"Why?": [1]},
        "argue": ArgueCounts(0, 1, 0, 1, 0, 0, 1, 0.0, 1.0),
        "citations": [[Support.PARTIAL]],
    }[measure.takes]
    assert measure.compute(changed).value != measure.compute(improved(measure.takes, changed, 0)).value


@pytest.mark.parametrize("name", MEASURES)
def test_an_entry_says_what_it_is(name: str) -> None:
    measure = MEASURES[name]
    assert measure.name == name and (measure.low, measure.high) == (0, 1)
    assert all([measure.meaning, measure.formula, measure.undefined, measure.source])
    assert measure.direction == ("lower" if name == "rubric_contradiction" else "higher")


def test_the_registry_has_every_score_once() -> None:
    assert len(MEASURES) == 6 + 3 + 4 + 7 + 12


@given(NUGGETS)
def test_a_strict_score_is_never_higher(rows: list[tuple[Any, Any]]) -> None:
    own = [AssignedNugget(f"n{place}", *row) for place, row in enumerate(rows)]
    for name in ("vital", "all", "weighted"):
        soft, strict = MEASURES[name].compute(own), MEASURES[f"{name}_strict"].compute(own)
        assert soft.reason == strict.reason
        assert soft.value is None or strict.value is None or strict.value <= soft.value


@given(INPUTS["citations"])
def test_recall_of_support_is_never_above_precision(labels: list[list[Support]]) -> None:
    for name in ("", "_hard", "_any", "_all"):
        precision = MEASURES[f"support_precision{name}"].compute(labels).value
        recall = MEASURES[f"support_recall{name}"].compute(labels).value
        assert precision is None or recall is None or recall <= precision + 1e-12
