"""The strict reader of replies: a reply in no declared form is no label."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.machines.replies import Reply, grade_probabilities, read_reply

SCALE = [0, 1, 2, 3]
NO_FORM = "The reply has no grade in an accepted form."
TWO = "The reply has two answers."
OFF = "The grade 4 is not on the scale."
NOT_WHOLE = "The grade of the reply is not a whole number."
CUT = "The reply was cut before its grade."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("##final score: 3", 3),
        ("The intent is clear.\n## Final Score: 2.  \n", 2),
        ("final score: 1\r\nfinal score: 1", 1),
        ('{"grade": 2, "explanation": "..."}', 2),
        ('```json\n{"grade": "1"}\n```', 1),
        ('{"explanation": {"grade": 3}, "grade": 0}', 0),
        (" 3\n", 3),
        ("The passage lists 2 of 3 causes.", NO_FORM),
        ("", "The reply is empty."),
        (" \n", "The reply is empty."),
        ("final score: 2\nOn second thought\nfinal score: 1", TWO),
        ('{"grade": 1, "grade": 2}', TWO),
        ("##final score: 4", OFF),
        ('{"grade": 4}', OFF),
        ("4", OFF),
        ("-1", "The grade -1 is not on the scale."),
        ('{"grade": true}', NOT_WHOLE),
        ('{"grade": 2.0}', NOT_WHOLE),
        ('{"grade": null}', NOT_WHOLE),
        ('{"grade": "two"}', NOT_WHOLE),
        ('{"score": 2}', NO_FORM),
        ("##final score: 2.5", NO_FORM),
        ("##final score: 2/3", NO_FORM),
        ("##final score: 2 because it answers", NO_FORM),
        ("##final score: <2>", NO_FORM),
        ('Here it is: {"grade": 2}', NO_FORM),
    ],
)
def test_a_reply_has_a_grade_only_in_a_declared_form(text: str, expected: int | str) -> None:
    wanted = Reply(expected) if isinstance(expected, int) else Reply(None, expected)
    assert read_reply(text, "stop", SCALE) == wanted


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [
        ("The passage names", "length", CUT),
        ("##final score: 1", "length", CUT),  # another digit may have followed
        ("2", "length", CUT),
        ("##final score: 1\nThe passage", "length", 1),
        ('{"grade": 2}', "length", 2),
        ("##final score: 3", "content_filter", "The server or the model refused to answer."),
        ("I cannot help.", "refusal", "The server or the model refused to answer."),
    ],
)
def test_a_cut_or_refused_reply_has_a_grade_only_if_it_is_complete(
    text: str, reason: str, expected: int | str
) -> None:
    reply = read_reply(text, reason, SCALE)
    assert expected == (reply.problem if reply.relevance is None else reply.relevance)


PIECES = st.sampled_from(
    ["final score", ":", "#", "\n", " ", "{", "}", '"grade"', "```", "json", "0", "2", "7", "-", ".", "é"]
)


@given(
    st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)),
    st.one_of(st.sampled_from(["stop", "length", "content_filter", ""]), st.text(max_size=9)),
)
def test_no_reply_gives_a_grade_off_the_scale_and_each_has_a_grade_or_a_problem(
    text: str, reason: str
) -> None:
    reply = read_reply(text, reason, SCALE)
    assert reply.relevance in [*SCALE, None]
    assert (reply.relevance is None) == bool(reply.problem)


def test_long_blanks_and_deep_nesting_are_read_at_once() -> None:
    blank = " " * 200_000
    for text in (
        blank + "x",
        "final score: 1" + blank + "x",
        '{"grade":' + blank,
        "[" * 200_000,
        '{"a":' * 200_000,
    ):
        assert read_reply(text, "stop", SCALE).relevance is None
    assert read_reply('{"grade": ' + "1" * 5000 + "}", "stop", SCALE).relevance is None


def token(text: str, **top: float) -> dict[str, object]:
    """A token with its alternatives, token -> probability; of an underscore, a blank."""
    options = [{"token": key.strip("g").replace("_", " "), "logprob": math.log(p)} for key, p in top.items()]
    return {"token": text, "logprob": -0.1, "top_logprobs": options}


def test_probabilities_are_those_of_the_token_of_the_grade() -> None:
    content = [token("##final"), token(" score"), token(":"), token(" 2", g_2=0.5, g2=0.1, g1=0.2, gx=0.2)]
    content[-1]["logprob"] = math.log(0.5)
    found = grade_probabilities(content, "stop", SCALE)
    assert found and found.grades == pytest.approx({0: 0, 1: 0.25, 2: 0.75, 3: 0})
    assert (found.mass, found.expected, found.confidence) == pytest.approx((0.8, 1.75, 0.75))
    assert not found.is_trusted
    assert found.to_json()["grades"]["2"] == pytest.approx(0.75)


@pytest.mark.parametrize(
    "content",
    [None, [], {}, [1], [{}], [{"token": "no grade"}], [{"token": "2"}], [{"token": "2", "logprob": "x"}],
     [{"token": "2", "logprob": math.nan}], [{"token": "2", "logprob": 5}], [{"token": "2", "logprob": True}],
     [{"token": "2", "logprob": -1, "top_logprobs": [7]}], [{"token": "2", "logprob": -math.inf}]],
)  # fmt: skip
def test_without_the_token_of_the_grade_or_its_logarithms_there_are_no_probabilities(content: object) -> None:
    assert grade_probabilities(content, "stop", SCALE) is None
