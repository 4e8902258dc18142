from __future__ import annotations

import pytest

from pooling.scale import (
    PRESETS,
    BadScale,
    Grade,
    check_scale,
    parse_scale,
    scale_from_json,
    scale_to_json,
    write_scale,
)


@pytest.mark.parametrize("grades", PRESETS.values(), ids=PRESETS)
def test_a_scale_survives_being_written_and_stored(grades: tuple[Grade, ...]) -> None:
    check_scale(grades, threshold=1)
    assert parse_scale(write_scale(grades)) == grades
    assert scale_from_json(scale_to_json(grades)) == grades


def test_definition_and_gain_may_be_left_out() -> None:
    assert parse_scale("0 | no\n\n2 | yes | at once | 7.5") == (
        Grade(0, "no", "", 0),
        Grade(2, "yes", "at once", 7.5),
    )


def test_an_example_is_stored_only_where_it_is_given() -> None:
    plain, explained = parse_scale("0 | no\n1 | yes | it helps | 1 | a manual")
    assert (plain.example, explained.example) == ("", "a manual")
    assert [row.get("example") for row in scale_to_json([plain, explained])] == [None, "a manual"]


@pytest.mark.parametrize(
    ("text", "threshold", "expected"),
    [
        ("0 | no", 1, "expected 2 to 10 grades, found 1"),
        ("1 | a\n2 | b", 1, "begin with 0, found 1, 2"),
        ("0 | a\n0 | b", 1, "grade 0 is there twice; give every grade a value of its own"),
        ("-2 | junk\n0 | a\n1 | b", 1, "grade -2 is negative; number the grades from 0"),
        ("0 | a\n1 |", 1, "a name for grade 1"),
        ("0 | a\n1 | b", 2, "a threshold among 1, found 2"),
        ("0 | a\n1 | b", 0, "a threshold among 1, found 0"),
        ("0 | a\nhigh | b", 1, "line 2: expected a whole number before the first |, found 'high'"),
        (
            "0 | a | b | 1 | 2 | 3",
            1,
            "line 1: expected value | name | definition | gain | example, found more",
        ),
    ],
)
def test_a_scale_that_cannot_be_used_says_why(text: str, threshold: int, expected: str) -> None:
    with pytest.raises(BadScale) as refusal:
        check_scale(parse_scale(text), threshold)
    assert expected in str(refusal.value)
