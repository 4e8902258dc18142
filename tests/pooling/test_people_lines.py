"""Lists of people are read as they are written: in a mail, in a table, with names of columns or without."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pooling.intake.people import PersonLine, read_people

ROLES = ["organiser", "adjudicator", "judge", "participant", "reader"]


def read(text: str) -> list[PersonLine]:
    return read_people(text, ROLES)


@pytest.mark.parametrize(
    "line",
    [
        "Hana Kobayashi, hana@example.org, judge, 101-112",
        "Hana Kobayashi; hana@example.org; Judges; 101-112",
        "Hana Kobayashi\thana@example.org\tJUDGE\t101-112",
        "Hana Kobayashi <hana@example.org>, judge, 101-112",
        '"Hana Kobayashi" <hana@example.org>; judge; 101-112',
        "judge, Hana Kobayashi, hana@example.org, 101-112",
        "hana@example.org, Hana Kobayashi, judge, 101-112",
        "\ufeff  Hana Kobayashi ,  hana@example.org , judge , 101-112 ,",
    ],
)
def test_the_cells_of_a_line_are_known_by_their_content(line: str) -> None:
    assert read(line) == [PersonLine(1, "Hana Kobayashi", "hana@example.org", "judge", "101-112")]


def test_topics_may_be_several_cells() -> None:
    assert read("Ann, ann@x.org, judge, 1, 3, 7-9")[0].rest == "1 3 7-9"


def test_names_of_columns_give_the_order() -> None:
    lines = "Team,Role,E-mail,Name\nwhitespace,participant,lin@x.org,Lin\n\n,reader,,Elif\n"
    assert read(lines) == [
        PersonLine(2, "Lin", "lin@x.org", "participant", "whitespace"),
        PersonLine(4, "Elif", "", "reader", ""),
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Chidi, chidi@x.org, juror", "“juror” is no role; expected organiser, adjudicator, judge"),
        ("judge", "expected name, address, role"),
        ("name,role\nAnn,juror", "“juror” is no role"),
        ("name,role\nAnn,judge,more", "expected 2 cells as in the first line"),
    ],
)
def test_a_line_that_cannot_be_read_says_why(text: str, problem: str) -> None:
    assert read(text)[-1].problem.startswith(problem)


@given(st.text(max_size=200))
def test_every_line_is_read_or_named(text: str) -> None:
    lines = read(text)
    assert all(line.problem or line.name or line.address or line.role or line.rest for line in lines)
    assert [line.line for line in lines] == sorted({line.line for line in lines})
    assert all(line.role in (*ROLES, "") for line in lines)


def test_a_cell_longer_than_csv_allows_is_still_a_line() -> None:
    (line,) = read_people(f"{'a' * 140_000}, ann@x.org, judge", ROLES)
    assert len(line.name + line.address) > 140_000  # which the form refuses by its length
