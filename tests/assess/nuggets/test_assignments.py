"""Files of assignments: what each answer supports, read, refused by line, and written again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.nuggets.assignments import (
    AssignedAnswer,
    AssignedNugget,
    Assignment,
    read_assignments,
    write_assignments,
)
from assess.nuggets.banks import Nugget, NuggetBank
from pooling.formats.run_checks import RunRefused
from tests.assess.nuggets.files import assigned
from tests.assess.nuggets.test_banks import EXTRA, FILLED, NAMES, TEXTS

BANK = NuggetBank("q1", (Nugget("Fact 1", "vital"), Nugget("Fact 2", "vital"), Nugget("Fact 3", "okay")))


def test_assignments_are_read() -> None:
    (answer,) = read_assignments(assigned())
    assert (answer.topic, answer.tag, answer.title) == ("q1", "run-123", "What is Python?")
    assert answer.nuggets == (
        AssignedNugget("Fact 1", "vital", Assignment.SUPPORT),
        AssignedNugget("Fact 2", "vital", Assignment.PARTIAL),
        AssignedNugget("Fact 3", "okay", Assignment.NONE),
    )
    assert answer.extra == {"answer_text": "Python is a language.", "response_length": 4}
    assert write_assignments([answer]) == assigned()


def test_contradictions_and_failures_are_read() -> None:
    content = assigned("q1", "run", "contradicts", "failed")
    (answer,) = read_assignments(content)
    assert [nugget.assignment for nugget in answer.nuggets] == [Assignment.CONTRADICTS, None]
    assert write_assignments([answer]) == content


def test_the_nuggets_may_be_those_of_a_bank() -> None:
    assert len(read_assignments(assigned(), banks={"q1": BANK})) == 1
    with pytest.raises(RunRefused, match="line 1: expected the nuggets of its bank, found no 'Fact 3'"):
        read_assignments(assigned("q1", "run", "support", "support"), banks={"q1": BANK})
    with pytest.raises(RunRefused, match="line 2: expected a topic with a nugget bank, found q2"):
        read_assignments(assigned() + assigned("q2"), banks={"q1": BANK})


OTHER = [{"text": "Fact 1", "importance": "okay", "assignment": "support"}]
TWICE = [{"text": "Fact 1", "assignment": "support"}] * 2
REFUSED = {
    b"{": "expected one JSON object on the line",
    assigned("q1", "run-123"): "run run-123 answers topic q1 again, first on line 1",
    assigned("q1", "two", "yes"): "nugget 1: expected an assignment .support, .* failed., found 'yes'",
    assigned("q1", "two", "support", "support"): "expected the nuggets of line 1, found no 'Fact 3'",
    assigned("q1", "two", *["support"] * 4): "expected the nuggets of line 1, found also 'Fact 4'",
    assigned("q1", "two", nuggets=OTHER): "'Fact 1': expected the importance vital of line 1, found okay",
    assigned("q2", "two", nuggets=TWICE): "nugget 2 is the same as nugget 1: 'Fact 1'",
    assigned("q2", "two", nuggets=[]): "expected a list with at least one nugget, found none",
    assigned("q2", "two", nuggets=["a"]): "nugget 1: expected an object with text and assignment, found 'a'",
    assigned("q2", "two", nuggets=[{"text": "a"}]): "nugget 1: expected an assignment .*found none",
    assigned("q2", "a b"): "expected a run_id of 1 to 120 characters, without blanks",
    assigned("", "two"): "expected a topic as qid, found none",
    assigned("q2", "two", query=3): "expected the topic's title as query, found 3",
}


@pytest.mark.parametrize(("line", "message"), REFUSED.items())
def test_what_cannot_be_taken_is_refused_by_line(line: bytes, message: str) -> None:
    with pytest.raises(RunRefused, match=f"a.jsonl, line 2: .*{message}"):
        read_assignments(assigned() + line, "a.jsonl")


def test_an_empty_file_is_refused() -> None:
    with pytest.raises(RunRefused, match="expected at least one answer with assignments"):
        read_assignments(b"\n")


def test_one_answer_may_be_the_whole_file() -> None:
    content = json.dumps(json.loads(assigned()), indent=1)
    assert read_assignments(content.encode()) == read_assignments(assigned())
    with pytest.raises(RunRefused, match="line 13: nugget 2: expected an assignment"):
        read_assignments(content.replace("partial_support", "some").encode())


IMPORTANCE = st.sampled_from(["vital", "okay", None])
FACTS = st.lists(st.tuples(FILLED, IMPORTANCE), min_size=1, max_size=4, unique_by=lambda fact: fact[0])


@st.composite
def answers(draw: st.DrawFn) -> list[AssignedAnswer]:
    facts = draw(st.dictionaries(NAMES, FACTS, min_size=1, max_size=2))
    runs = draw(st.lists(st.text("abc1-", min_size=1, max_size=5), min_size=1, max_size=3, unique=True))
    return [
        AssignedAnswer(
            topic,
            run,
            tuple(
                AssignedNugget(*fact, draw(st.sampled_from(Assignment) | st.none()), draw(EXTRA))
                for fact in own
            ),
            draw(TEXTS),
            draw(EXTRA),
        )
        for topic, own in facts.items()
        for run in runs
    ]


@settings(max_examples=30)
@given(answers())
def test_assignments_that_were_written_are_read_again(written: list[AssignedAnswer]) -> None:
    content = write_assignments(written)
    assert read_assignments(content) == written
    assert write_assignments(read_assignments(content)) == content
