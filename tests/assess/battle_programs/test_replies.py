"""Replies and files of votes are read strictly: what is not a choice is never guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.battle_programs.prompt import DEFAULT, BadPrompt, Comparison, check_prompt, fill
from assess.battle_programs.replies import MARKS, read_choice
from assess.battle_programs.vote_files import FileVote, read_votes
from assess.document.answers import answer_text
from pooling.formats.files import BadFile

KNOWN = {("7", "a", "b"), ("7", "b", "a"), ("8", "a", "b")}


@pytest.mark.parametrize(
    ("reply", "choice"),
    [
        ("[[A]]", "left"),
        ("A is longer, but B is right.\n\n[[B]]\n", "right"),
        ("Both fine.\r\n  [[tie]]  \r\n\r\n", "tie"),
        ("Neither helps.\n[[both bad]]", "both bad"),
        ("[[A]]\nI am sure.\n[[A]]", "left"),
        ("I prefer [[A]].", ""),
        ("[[A]] [[B]]", ""),
        ("[[A]]\nOn second thought:\n[[B]]", ""),
        ("[[A]]\nThat is my choice.", ""),
        ("[[a]]", ""),
        ("[[Tie]]", ""),
        ("**[[A]]**", ""),
        ("[[A]].", ""),
        ("[A]", ""),
        ("[[C]]", ""),
        ("A", ""),
        ("", ""),
        (" \n ", ""),
    ],
)
def test_only_a_last_line_that_is_a_choice_is_one(reply: str, choice: str) -> None:
    read = read_choice(reply)
    assert read.choice == choice
    assert bool(read.problem) == (not choice)


def test_a_cut_or_refused_reply_is_no_vote() -> None:
    assert read_choice("Because\n[[A]]", "length").problem == "The reply was cut before its last line ended."
    assert read_choice("Because\n[[A]]\n", "length").choice == "left"
    assert read_choice("[[A]]", "content_filter").choice == ""
    assert read_choice("No.", "refusal").problem == "The server or the model refused to answer."


@given(st.text(), st.sampled_from(MARKS))
def test_a_choice_is_read_after_any_text_without_another(text: str, mark: str) -> None:
    lines = {line.strip(" \t\r") for line in text.split("\n")}
    assert bool(read_choice(f"{text}\n{mark}").choice) == (not lines & ({*MARKS} - {mark}))


@pytest.mark.parametrize(
    "content",
    [
        b"topic,left,right,choice\n7,a,b,left\n7,b,a,both bad\n",
        b"\xef\xbb\xbfchoice\ttopic\tright\tleft\r\nleft\t7\tb\ta\r\nboth bad\t7\ta\tb\r\n",
        b'{"topic": 7, "left": "a", "right": "b", "choice": "left"}\n'
        b'{"topic": "7", "left": "b", "right": "a", "choice": "both bad", "note": "x"}\n',
    ],
)
def test_a_file_of_votes_is_read(content: bytes) -> None:
    votes = read_votes(content, KNOWN)
    assert [vote[1:] for vote in votes] == [("7", "a", "b", "left"), ("7", "b", "a", "both bad")]
    assert isinstance(votes[0], FileVote) and votes[1].line - votes[0].line == 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "v.csv: expected a first line that names the fields topic, left, right, choice"),
        (b"7,a,b,left\n", "v.csv: expected a first line that names the fields"),
        (b"topic,left,right\n7,a,b\n", "expected a field with the choice"),
        (b"topic,left,right,choice\n", "v.csv: expected votes, found none"),
        (b"topic,left,right,choice\n7,a,b,left\n7,b,a,\n", "v.csv, line 3: expected a choice, found nothing"),
        (
            b"topic,left,right,choice\n7,a,b,A\n",
            "line 2: expected left, right, tie or both bad as the",
        ),
        (b"topic,left,right,choice\n7,a,c,tie\n", "line 2: expected two answer runs that meet on a topic"),
        (b"topic,left,right,choice\n7,a,a,tie\n", "found a and a on topic 7"),
        (b"topic,left,right,choice\n9,a,b,tie\n", "found a and b on topic 9"),
        (
            b"topic,left,right,choice\n7,a,b,tie\n7,a,b,tie\n",
            "line 3: expected one vote on two answers",
        ),
        (b"topic,left,right,choice\n7,a,b\n", "line 2: expected 4 cells"),
        (b'{"topic": "7", "left": "a", "right": "b", "choice": "x"}\n{}\n', "line 1: expected left, right"),
    ],
)
def test_a_bad_file_of_votes_is_refused_with_its_line(content: bytes, words: str) -> None:
    with pytest.raises(BadFile) as refused:
        read_votes(content, KNOWN, "v.csv")
    assert words in str(refused.value)


def test_the_default_prompt_can_be_used_and_texts_are_inserted_as_they_are() -> None:
    check_prompt(DEFAULT)
    filled = fill(DEFAULT, Comparison("Why?", "{answer_b}", "because {question}", "True."))
    assert "Answer A:\n{answer_b}\n" in filled and "Answer B:\nbecause {question}\n" in filled
    assert "means: True." in filled


@pytest.mark.parametrize(
    ("template", "words"),
    [
        (DEFAULT.replace("{answer_b}", ""), "needs the placeholder {answer_b}: the second answer"),
        (DEFAULT + "{system}", "{system} is not a placeholder"),
        (DEFAULT.replace("[[tie]]", "tie"), "must ask for a last line [[tie]]"),
    ],
)
def test_a_prompt_that_cannot_work_is_refused(template: str, words: str) -> None:
    with pytest.raises(BadPrompt, match=words.replace("[", r"\[").replace("{", r"\{")):
        check_prompt(template)


def test_an_answer_is_one_text_with_headings_and_lists_on_lines() -> None:
    assert answer_text(["# Boats\nThey float.", "Yes.", "1. cargo", "2. people", "All."]) == (
        "# Boats\nThey float. Yes.\n1. cargo\n2. people All."
    )
