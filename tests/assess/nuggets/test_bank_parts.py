"""The pure parts of the site's nugget banks: records, joining, votes, differences."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.nuggets.bank_files import read_banks
from assess.nuggets.banks import NUMBERS, Creator, Nugget, NuggetAnswer, Reference
from assess.nuggets.differences import VersionedNugget, difference
from assess.nuggets.joining import joined, without
from assess.nuggets.records import columns_of, nugget_of
from assess.nuggets.weighing import GRADINGS, RULES, importance_from, votes_in_words
from pooling.refusals import Refused
from tests.assess.nuggets.files import NUGGETS, QUESTIONS, SHORT, TOOL

WORDS = st.text("ab é", max_size=5)
EXTRA = st.dictionaries(
    WORDS, st.recursive(st.integers() | WORDS | st.none(), st.lists, max_leaves=4), max_size=3
)
REFERENCES = st.builds(
    Reference, WORDS, st.none() | st.integers(0, 9), st.none() | st.integers(9, 99), WORDS, EXTRA
)
MANY = st.lists(REFERENCES, max_size=3).map(tuple)
NUGGET = st.builds(
    Nugget,
    WORDS,
    st.none() | st.sampled_from(["vital", "okay", 0, 7, 2.5]),
    st.lists(st.builds(NuggetAnswer, WORDS, MANY, EXTRA), max_size=3).map(tuple),
    st.sampled_from(["", "OR", "AND"]),
    MANY,
    st.lists(st.builds(Creator, st.booleans(), WORDS, EXTRA), max_size=2).map(tuple),
    EXTRA,
)


def stored(nugget: Nugget) -> Any:
    """A row as it comes back from a database."""
    return SimpleNamespace(**json.loads(json.dumps(columns_of(nugget))))


@given(NUGGET)
def test_a_nugget_comes_back_from_its_columns(nugget: Nugget) -> None:
    assert nugget_of(stored(nugget)) == nugget


@pytest.mark.parametrize("content", [NUGGETS, QUESTIONS, TOOL, SHORT])
def test_nuggets_of_every_form_come_back(content: bytes) -> None:
    for nugget in read_banks(content, "nuggets_7.json").banks[0].nuggets:
        assert nugget_of(stored(nugget)) == nugget


def test_keys_of_extra_are_in_one_order() -> None:
    one, other = (
        Nugget("a", extra=extra)
        for extra in ({"x": 1, "b": {"d": 1, "c": 2}}, {"b": {"c": 2, "d": 1}, "x": 1})
    )
    assert json.dumps(nugget_of(stored(one)).extra) == json.dumps(nugget_of(stored(other)).extra)


@given(NUGGET, NUGGET)
def test_a_joined_nugget_has_the_sources_and_authors_of_both(kept: Nugget, other: Nugget) -> None:
    if bool(kept.answers) != bool(other.answers):
        with pytest.raises(Refused, match="cannot be joined"):
            joined(kept, other)
        return
    both = joined(kept, other)
    assert both.text == kept.text
    for part in ("references", "creators"):
        assert all(each in getattr(both, part) for one in (kept, other) for each in getattr(one, part))
    for one in (kept, other):
        for answer in {each.text: each for each in one.answers}.values():
            (found,) = (each for each in both.answers if each.text == answer.text)
            assert all(each in found.references for each in answer.references)
    assert len(both.creators) <= len(kept.creators) + len(other.creators)


def sets_of(nugget: Nugget | None) -> Nugget | None:
    """A nugget without the order of its references, authors and answers."""
    if nugget is None:
        return None
    answers = sorted(nugget.answers, key=lambda answer: answer.text)
    alike = tuple(each._replace(references=tuple(sorted(each.references, key=repr))) for each in answers)
    return nugget._replace(
        answers=alike,
        references=tuple(sorted(nugget.references, key=repr)),
        creators=tuple(sorted(nugget.creators, key=repr)),
    )


@given(NUGGET, NUGGET)
def test_without_what_was_joined_a_nugget_is_what_it_was(nugget: Nugget, loaded: Nugget) -> None:
    nugget = joined(nugget, nugget)  # nothing stands twice in it
    if bool(nugget.answers) != bool(loaded.answers):
        return
    assert without(joined(nugget, loaded), [loaded], [nugget]) == nugget
    assert sets_of(without(joined(loaded, nugget), [loaded], [nugget])) == sets_of(nugget)
    assert without(loaded, [loaded], []) is None
    assert without(nugget, [], [nugget]) == nugget == without(nugget, [nugget], [nugget])


ADA, ANN = Creator(True, "ada"), Creator(True, "Ann")
LOADED = Nugget("Wood floats", "okay", references=(Reference("D1"),), creators=(ANN,))


@pytest.mark.parametrize(
    ("changes", "left"),
    [
        ({"importance": "vital"}, None),  # nobody becomes an author by the importance
        (
            {"text": "All wood floats", "creators": (ANN, ADA)},
            {"text": "All wood floats", "creators": (ADA,), "references": ()},
        ),
        (
            {"references": (Reference("D1"), Reference("D2")), "creators": (ANN, ADA)},
            {"references": (Reference("D2"),), "creators": (ADA,)},
        ),
        ({"text": "All wood floats"}, {"text": "All wood floats", "references": (), "creators": ()}),
    ],
)
def test_a_loaded_nugget_that_people_changed_stays(changes: dict[str, Any], left: dict[str, Any]) -> None:
    found = without(LOADED._replace(**changes), [LOADED], [])
    assert found == (LOADED._replace(**changes)._replace(**left) if left else None)


def test_a_question_that_people_changed_keeps_its_answers_without_their_sources() -> None:
    loaded = Nugget("Who?", None, (NuggetAnswer("Ann", (Reference("D1"),)),), "OR")
    found = without(loaded._replace(text="Who sails?", creators=(ADA,)), [loaded], [])
    assert found == Nugget("Who sails?", None, (NuggetAnswer("Ann"),), "OR", creators=(ADA,))


def test_what_people_wrote_after_joining_stays() -> None:
    own = Nugget("Boats float", "vital", references=(Reference("D3"),), creators=(ADA,))
    both = joined(own, LOADED)._replace(text="Some boats float", importance="okay")
    found = without(both, [LOADED], [own])
    assert found == own._replace(text="Some boats float")  # okay is what the file said, too


@pytest.mark.parametrize(
    ("votes", "importance"),
    [
        ([], None),
        (["okay"], "okay"),
        (["vital", "okay"], None),
        (["vital", "okay", "vital"], "vital"),
        (["must", "avoid", "should"], None),
        (["must", "avoid", "must", "should"], None),
        ([0], 0),
        ([2, 9, 4], 4),
        ([2, 3], 2.5),
        ([2, 4], 3),
    ],
)
def test_the_importance_of_votes(votes: list[Any], importance: Any) -> None:
    found = importance_from(votes)
    assert (found, type(found)) == (importance, type(importance))


def test_votes_in_words_and_rules() -> None:
    assert votes_in_words(["okay", "vital", "vital"]) == "2 vital, 1 okay"
    assert votes_in_words([]) == ""
    assert GRADINGS.keys() == RULES.keys() and GRADINGS[NUMBERS][0] == 10


def rows(**nuggets: Nugget) -> list[VersionedNugget]:
    return [VersionedNugget("1", key, nugget) for key, nugget in nuggets.items()]


def test_the_difference_of_two_versions() -> None:
    before = rows(
        a=Nugget("Ships float", "vital"),
        b=Nugget("Ships sink", "okay"),
        c=Nugget("Wood floats", "okay"),
        d=Nugget("Who?", "okay", (NuggetAnswer("Ann"),)),
        e=Nugget("Iron", "okay"),
    )
    after = rows(
        a=Nugget("All ships float", "okay"),
        c=Nugget("Wood floats", "okay"),
        d=Nugget("Who?", "okay", (NuggetAnswer("Ann"), NuggetAnswer("Bob"))),
        x=Nugget("Sails", "vital"),
        y=Nugget("Iron", "vital"),  # the same words, entered again
    )
    found = difference(before, after)
    assert [nugget.text for _, nugget in found.new] == ["Sails"]
    assert [nugget.text for _, nugget in found.left_out] == ["Ships sink"]
    assert found.reworded == [("1", "Ships float", "All ships float")]
    assert found.reweighed == [("1", "All ships float", "vital", "okay"), ("1", "Iron", "okay", "vital")]
    assert found.answers == [("1", "Who?")]
    assert str(found).startswith("1 new, 1 left out, 1 worded again, 2 with")
    assert not difference(before, before) and found


def test_the_same_words_of_another_topic_are_another_nugget() -> None:
    one, other = [VersionedNugget("1", "a", Nugget("x"))], [VersionedNugget("2", "a", Nugget("x"))]
    found = difference(one, other)
    assert (len(found.new), len(found.left_out)) == (1, 1)
