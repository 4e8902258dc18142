"""Files of nugget banks: every form is read, what cannot be taken is refused by line, and files come back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.nuggets.bank_files import read_banks
from assess.nuggets.banks import (
    AND,
    OR,
    Creator,
    Nugget,
    NuggetAnswer,
    NuggetBank,
    Reference,
    grading_of,
    write_banks,
)
from pooling.formats.run_checks import RunRefused
from pooling.refusals import Refused
from tests.assess.nuggets.files import NUGGETS, QUESTIONS, SHORT, TOOL


def bank_of(content: bytes, name: str = "", topic: str = "") -> NuggetBank:
    (bank,) = read_banks(content, name, topic).banks
    return bank


def nugget(**values: Any) -> bytes:
    return json.dumps({"qid": "7", "nuggets": [{"text": "Boats float"} | values]}).encode()


def question(**values: Any) -> bytes:
    entry = {"question": "Who?", "aggregator_type": "OR", "answers": {"Ann": {"answer": "Ann"}}} | values
    return json.dumps({"query_id": "7", "nugget_bank": {"Who?": entry}}).encode()


def test_nuggets_with_importance_are_read() -> None:
    file = read_banks(NUGGETS)
    assert (file.form, file.notes) == ("nuggets", [])
    assert file.banks == [
        NuggetBank(
            "q1",
            (
                Nugget("Python is a high-level programming language", "vital"),
                Nugget("Python is used for web development", "okay"),
            ),
            "What is Python?",
        )
    ]


def test_a_real_bank_of_questions_is_read() -> None:
    bank = bank_of(QUESTIONS)
    assert (bank.topic, bank.title) == ("308", "cosmetic surgery tourism")
    assert [each.aggregator for each in bank.nuggets] == [OR, AND]
    many, few = bank.nuggets
    assert [answer.text for answer in many.answers] == ["Over 20 million", "over 14 million "]
    assert many.answers[0].references == (Reference("31afe2fe-8359-4d43-9310-bee7db53d977"),)
    date = {"creation_date": "2025-07-02T20:10:37.638716+00:00", "format": "v2"}
    assert many.creators == (Creator(True, "", date),) and not many.is_suggestion
    assert many.extra == few.extra == {}, "the MD5 sums of the file are ours"
    assert bank.extra == {
        "full_query": "Cosmetic surgery is a major focus of medical tourism.", "test_collection": "neuclir",
    }  # fmt: skip


def test_a_real_bank_comes_back_with_all_it_had() -> None:
    assert json.loads(write_banks([bank_of(QUESTIONS)])) == json.loads(QUESTIONS)
    assert write_banks([bank_of(NUGGETS)], "nuggets") == NUGGETS


def test_the_form_of_the_tool_has_groups_and_no_aggregator() -> None:
    bank = bank_of(TOOL, "judged/nuggets_308.json.gz")
    assert bank.topic == "308"
    who, when = bank.nuggets
    assert who.answers == (NuggetAnswer("Ann", (Reference("D1"), Reference("D2"))), NuggetAnswer("Bob"))
    assert (who.aggregator, who.extra, when.extra) == ("", {}, {"group": "time"})


def test_the_short_form_needs_a_topic() -> None:
    assert [each.aggregator for each in bank_of(SHORT, topic="7").nuggets] == [OR, AND]
    assert bank_of(SHORT, "nuggets_A-7.v3.json").topic == "A-7"
    with pytest.raises(RunRefused, match=r"a.json, line 1: expected a topic, found none. This form names"):
        read_banks(SHORT, "a.json")


def test_claims_are_statements() -> None:
    row = {"query_id": "7", "claim_bank": {"Boats float": {"claim": "Boats float", "importance": 8}}}
    assert bank_of(json.dumps(row).encode()).nuggets == (Nugget("Boats float", 8),)


def test_provenance_and_suggestions_are_read() -> None:
    reference = {"doc_id": "D1", "text": "float", "offsets": {"start_offset": 6, "end_offset": 11}}
    content = nugget(
        references=[reference, "D2"],
        creator=[{"is_human": False, "llm_model": "m-1"}, {"is_human": True, "assessor_id": "ann"}],
        importance="failed",
        trace={"a": 1},
    )
    (found,) = bank_of(content).nuggets
    assert found.references == (Reference("D1", 6, 11, "float"), Reference("D2"))
    assert found.creators == (Creator(False, "m-1"), Creator(True, "ann")) and found.is_suggestion
    assert found.importance is None and found.extra == {"trace": {"a": 1}}


def test_offsets_that_count_bytes_are_kept_as_they_are() -> None:
    offsets = {"start_offset": 0, "end_offset": 9, "encoding": "utf-8"}
    content = nugget(references=[{"doc_id": "D1", "text": "Böote", "offsets": offsets}])
    bank = bank_of(content)
    assert bank.nuggets[0].references[0].extra == {"offsets": {"encoding": "utf-8"}}
    assert bank_of(write_banks([bank], "nuggets")) == bank


def test_long_and_alike_nuggets_are_named_and_taken() -> None:
    long = " ".join(["word"] * 13)
    rows = [{"text": "Boats float"}, {"text": "boats  float"}, {"text": long}]
    file = read_banks(NUGGETS + json.dumps({"qid": "7", "nuggets": rows}).encode())
    assert [(note.line, note.what) for note in file.notes] == [
        (2, "nugget 2 differs from nugget 1 in case or blanks only: 'boats  float'"),
        (2, "nugget 3 has 13 words"),
    ]


REFUSED = {
    b"{": "line 1: expected one JSON object on the line",
    b"[]": "expected one JSON object on the line",
    b"": "expected at least one nugget bank, found an empty file",
    b'{"qid": "7"}': "expected nuggets, nugget_bank, nugget_dict, or questions as keys, found 'qid'",
    NUGGETS + question(): "line 2: expected nuggets with importance, AutoNuggetizer, found questions",
    NUGGETS + NUGGETS: "line 2: topic q1 again, first on line 1",
    b'{"qid": "7", "nuggets": []}': "expected at least one nugget of topic 7, found none",
    b'{"qid": "7", "nuggets": {}}': "expected nuggets as a list",
    b'{"qid": "7", "nuggets": ["a"]}': "nugget 1: expected an object with text and importance, found 'a'",
    b'{"nuggets": [{"text": "a"}]}': "expected a topic as qid, found none",
    b'{"qid": "a b", "nuggets": [{"text": "a"}]}': "expected a topic as qid without blanks",
    b'{"qid": "7", "query": 1, "nuggets": [{"text": "a"}]}': "expected the topic's title as query, found 1",
    b'{"qid": "7", "nuggets": [{"text": "a"}, {"text": "a"}]}': "nugget 2 is the same as nugget 1: 'a'",
    b'{"qid": "7", "qid": "8", "nuggets": []}': "the key 'qid' stands twice in one object",
    nugget(text=" "): "expected a text of nugget 1, found ' '",
    nugget(text=""): "expected a text of nugget 1, found an empty text",
    nugget(text="a\0"): "expected text without NUL characters",
    nugget(importance="high"): "nugget 1: expected vital or okay, must, should or avoid, or a number from 0",
    nugget(importance=11): "as importance, found 11",
    nugget(importance=True): "as importance, found True",
    nugget(importance=["vital"]): "as importance, found",
    nugget(references="D1"): "expected nugget 1: references as a list, found 'D1'",
    nugget(references=[{}]): "expected a docno as doc_id, found none",
    nugget(references=[{"doc_id": "D1", "offsets": {"start_offset": 3, "end_offset": 1}}]): (
        "expected start_offset and end_offset of a passage, found 3 and 1"
    ),
    nugget(
        references=[{"doc_id": "D1", "text": "float", "offsets": {"start_offset": 0, "end_offset": 4}}]
    ): "expected a text of 4 characters for the offsets, found 5",
    nugget(creator=[{}]): "nugget 1: expected a creator with is_human",
    nugget(creator=[{"is_human": True, "assessor_id": 3}]): "expected a name as assessor_id, found 3",
    question(answers={}): "question 'Who\\?': expected at least one answer, found none",
    question(answers=None): "expected at least one answer, found none",
    question(answers={"": {"answer": ""}}): "expected a text of question 'Who\\?', answer '', found an empty",
    question(answers={"Ann": {"answer": "Bob"}}): "expected the answer as the key of 'Bob'",
    question(aggregator_type="NOT"): "expected the aggregator OR or AND, found 'NOT'",
    question(question=""): "expected a text of question 'Who\\?', found an empty text",
    question(question="Why?"): "expected the question or its question_id as the key of 'Why\\?'",
    question(query_id="8"): "expected the query_id 7, found '8'",
    b'{"query_id": "7", "format_version": "v2", "nugget_bank": {}}': "expected the format_version v3",
    b'{"nugget_dict": {"Who?": {}}}': "question 'Who\\?': expected at least one answer",
    b'{"nugget_dict": {}, "group_assignment": {"Who?": "a"}}': "expected a question of nugget_dict",
    b'{"Who?": ["OR"]}': "question 'Who\\?': expected OR or AND, and an object of answers",
    b'{"Who?": ["", {"Ann": []}]}': "expected the aggregator OR or AND, found ''",
    b'{"Who?": ["XOR", {"Ann": []}]}': "expected the aggregator OR or AND, found 'XOR'",
    b"\xff\xfe{": "expected UTF-8 text, found UTF-16",
}


@pytest.mark.parametrize(("content", "message"), REFUSED.items())
def test_what_cannot_be_taken_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(RunRefused, match=message) as caught:
        read_banks(content, "a.jsonl")
    assert str(caught.value).startswith("a.jsonl")
    assert caught.value.line or not content


def test_two_kinds_of_importance_in_a_bank_are_refused() -> None:
    rows = [{"text": "a", "importance": "vital"}, {"text": "b"}, {"text": "c", "importance": 3}]
    with pytest.raises(RunRefused, match=r"found vital or okay \(nugget 1\) and a number from 0 to 10 \(nug"):
        read_banks(json.dumps({"qid": "7", "nuggets": rows}).encode())


def test_every_error_of_a_file_has_its_line() -> None:
    content = NUGGETS + b"{\n" + nugget(importance="high") + b"\n\n"
    content += nugget(text="").replace(b'"7"', b'"8"') + b"\n"
    with pytest.raises(RunRefused) as caught:
        read_banks(content)
    assert [error.line for error in caught.value.errors] == [2, 3, 5]


@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        (b'"aggregator_type": "OR"', b'"aggregator_type": "NOT"', b'"How many people'),
        (b'"aggregator_type": "AND"', b'"aggregator_type": "NOT"', b'"How many medical tourists'),
        (b'"answer": "over 14 million "', b'"answer": "over 15 million "', b'"over 14 million "'),
        (b'"format_version": "v3"', b'"format_version": "v2"', b'"format_version"'),
        (b'"is_human": true,', b'"is_human": true', b'"creation_date"'),
        (b'"neuclir"', b'"neuclir\xff"', b'"test_collection"'),
    ],
)
def test_an_error_in_a_file_of_many_lines_has_the_line_of_its_part(
    old: bytes, new: bytes, place: bytes
) -> None:
    assert old in QUESTIONS
    content = b"\n" + QUESTIONS.replace(old, new)
    with pytest.raises(RunRefused) as caught:
        read_banks(content)
    lines = content.splitlines()
    assert lines[(caught.value.line or 0) - 1].strip().startswith(place)


def test_another_topic_than_expected_is_refused() -> None:
    assert bank_of(QUESTIONS, topic="308").topic == "308"
    with pytest.raises(RunRefused, match="expected the bank of topic 7, found that of 308"):
        read_banks(QUESTIONS, topic="7")


def test_an_identifier_may_be_the_key_and_another_one_is_kept() -> None:
    row = json.loads(QUESTIONS)
    bank = row["nugget_bank"]
    row["nugget_bank"] = {entry["question_id"]: entry for entry in bank.values()}
    assert bank_of(json.dumps(row).encode()) == bank_of(QUESTIONS)
    other = bank_of(question(question_id="q-1"))
    assert other.nuggets[0].extra == {"question_id": "q-1"}
    assert bank_of(write_banks([other])) == other


def test_questions_have_no_place_in_the_form_of_nuggets() -> None:
    with pytest.raises(Refused, match="expected statements only, found the question 'How many people"):
        write_banks([bank_of(QUESTIONS)], "nuggets")
    with pytest.raises(Refused, match="expected the form questions or nuggets, found 'tool'"):
        write_banks([], "tool")


def test_an_extra_key_never_takes_the_place_of_one_that_the_form_has() -> None:
    bank = bank_of(TOOL.replace(b'{"nugget_dict"', b'{"query_id": "9", "nugget_dict"'), topic="7")
    with pytest.raises(Refused, match="expected no other value of 'query_id', found '9' among extra keys"):
        write_banks([bank])


def test_what_is_no_importance_is_refused() -> None:
    for importance in (-1, 10.5, True, "Vital", float("nan")):
        with pytest.raises(Refused, match="as importance"):
            grading_of(importance)


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
TEXTS = st.text(CHARACTERS, max_size=12)
FILLED = TEXTS.filter(lambda text: bool(text.strip()))
NAMES = st.text("abcXYZ019-_.#/ü", min_size=1, max_size=8)
EXTRA = st.dictionaries(
    st.sampled_from(["quality", "trace", "note"]),
    st.none() | st.booleans() | st.integers() | TEXTS | st.lists(TEXTS, max_size=2),
    max_size=2,
)


@st.composite
def references(draw: st.DrawFn) -> Reference:
    text = draw(TEXTS)
    if not draw(st.booleans()):
        return Reference(draw(NAMES), text=text, extra=draw(EXTRA))
    start = draw(st.integers(0, 1000))
    return Reference(draw(NAMES), start, start + (len(text) or draw(st.integers(0, 50))), text, draw(EXTRA))


def tuples(strategy: st.SearchStrategy[Any], least: int = 0) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=least, max_size=3).map(tuple)


CREATORS = st.builds(Creator, st.booleans(), TEXTS, EXTRA)
ANSWERS = st.lists(
    st.builds(NuggetAnswer, FILLED, tuples(references()), EXTRA),
    min_size=1,
    max_size=3,
    unique_by=lambda answer: answer.text,
).map(tuple)
KINDS = st.sampled_from(
    [
        st.sampled_from(["vital", "okay", None]),
        st.sampled_from(["must", "should", "avoid", None]),
        st.integers(0, 10) | st.floats(0, 10),
    ]
)


@st.composite
def bank_lists(draw: st.DrawFn, with_questions: bool) -> list[NuggetBank]:
    """Draw banks as readers give them: questions before statements."""
    banks = []
    for topic in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True)):
        kind = draw(KINDS)
        texts = draw(st.lists(FILLED, min_size=1, max_size=4, unique=True))
        questions = draw(st.integers(0, len(texts))) if with_questions else 0
        nuggets = [
            Nugget(
                text,
                draw(kind),
                draw(ANSWERS) if place < questions else (),
                draw(st.sampled_from([OR, AND, ""])) if place < questions else "",
                draw(tuples(references())),
                draw(tuples(CREATORS)),
                draw(EXTRA),
            )
            for place, text in enumerate(texts)
        ]
        banks.append(NuggetBank(topic, tuple(nuggets), draw(TEXTS), draw(EXTRA)))
    return banks


@pytest.mark.parametrize("form", ["questions", "nuggets"])
def test_banks_that_were_written_are_read_again(form: str) -> None:
    @settings(max_examples=30)
    @given(bank_lists(with_questions=form == "questions"))
    def ask(banks: list[NuggetBank]) -> None:
        content = write_banks(banks, form)
        read = read_banks(content).banks
        assert read == banks
        assert write_banks(read, form) == content
        if len(banks) == 1:
            assert read_banks(json.dumps(json.loads(content), indent=2).encode()).banks == banks

    ask()
