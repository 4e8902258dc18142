"""Replies and prompts of programs for nuggets: one form is read, and every other one is no label."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.machines.prompt import BadPrompt
from assess.matching_programs.prompt import DEFAULT, NuggetQuestion, check_prompt, fill, labels_text
from assess.matching_programs.replies import ASSIGNMENT_OF, marks_in, read_label

ALLOWED = "[[support]], [[partial]] or [[none]]"


@pytest.mark.parametrize("name", ASSIGNMENT_OF)
def test_the_last_line_is_the_label(name: str) -> None:
    found = read_label(f"It is so.\n[[{name}]]  \n\n", contradicts=True)
    assert (found.assignment, found.problem) == (ASSIGNMENT_OF[name], "")


@pytest.mark.parametrize(
    ("text", "reason", "problem"),
    [
        ("", "stop", "The reply is empty."),
        (" \n", "stop", "The reply is empty."),
        ("support", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("It is [[support]]", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("[[Support]]", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("[[partial_support]]", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("[[support]]\nbecause it is so", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("[[contradicts]]", "stop", f"The last line of the reply is not one of {ALLOWED}."),
        ("[[none]]\n[[support]]", "stop", "The reply has two answers."),
        ("[[support]]", "length", "The reply was cut before its last line ended."),
        ("[[support]]", "content_filter", "The server or the model refused to answer."),
    ],
)
def test_another_form_is_no_label(text: str, reason: str, problem: str) -> None:
    assert read_label(text, reason) == ("", problem)


@given(st.text(alphabet="[]suportn \n"), st.sampled_from(["stop", "length", "refusal"]))
def test_a_label_or_a_problem(text: str, reason: str) -> None:
    found = read_label(text, reason)
    assert bool(found.assignment) != bool(found.problem)


def test_the_prompt_names_the_marks_that_are_read() -> None:
    check_prompt(DEFAULT)
    for contradicts in (False, True):
        texts = NuggetQuestion("Why?", "It floats", "{labels}", labels_text(contradicts), "")
        asked = fill(DEFAULT, texts)
        for name in ASSIGNMENT_OF:
            assert (f"[[{name}]]: the answer" in asked) == (name in marks_in(contradicts))
        assert "Answer:\n{labels}\n" in asked  # a placeholder in an answer has no meaning


@pytest.mark.parametrize("name", ["question", "nugget", "answer", "labels"])
def test_a_prompt_without_a_placeholder_is_refused(name: str) -> None:
    with pytest.raises(BadPrompt, match=f"needs the placeholder {{{name}}}"):
        check_prompt(DEFAULT.replace(f"{{{name}}}", ""))
    with pytest.raises(BadPrompt, match="{run} is not a placeholder"):
        check_prompt(DEFAULT + "{run}")
