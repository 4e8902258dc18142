"""Criteria as lines of text: what is read, and what is refused with its line."""

from __future__ import annotations

import pytest

from assess.gradings.criteria import PlannedCriterion, criteria_in
from pooling.refusals import Refused


def test_a_line_is_a_criterion_with_its_grades() -> None:
    found = criteria_in("\nHelpful : no,  partly , yes\n\nCorrect: wrong, right\n")
    assert found == [
        PlannedCriterion("Helpful", ["no", "partly", "yes"]),
        PlannedCriterion("Correct", ["wrong", "right"]),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Helpful", "Line 1: expected a name, a colon, and two or more grades"),
        ("Good: no, yes\nHelpful: yes", "Line 2: expected a name"),
        (": no, yes", "Line 1: expected a name"),
        ("Helpful: no,, yes", "Line 1: expected a name"),
        ("Helpful: no, No", "Line 1: two grades have the same name"),
        ("Helpful: no, yes\nhelpful: no, yes", "Line 2: there is a criterion “helpful” already"),
        ("Helpful: " + ", ".join(map(str, range(11))), "a scale has 10 grades at most, found 11"),
        ("x" * 121 + ": no, yes", "a name has 120 characters at most"),
        (" \n", "Expected 1 to 8 criteria, one a line, found 0"),
        ("\n".join(f"{n}: no, yes" for n in range(9)), "found 9"),
    ],
)
def test_what_is_no_criterion_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(Refused) as caught:
        criteria_in(text)
    assert message in str(caught.value)
