"""Files of users of A/B tests: what is read, and what is refused with its line."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest

from metrics.ab_tests.outcomes import known_outcomes, outcome_of, parse_outcomes
from metrics.ab_tests.reader import read_users
from pooling.formats.files import BadFile
from pooling.intake.tables import Reading, UnclearFields
from pooling.refusals import Refused

CSV = (
    b"variant,user,clicks,time_to_first_click,time\n"
    b"A,u1,2,1.5,2026-11-02\nB,u2,0,,2026-11-03T10:00:00Z\nA,u1,1,3,\n"
)


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        CSV.replace(b",", b"\t"),
        b"".join(
            json.dumps(
                dict(zip(CSV.decode().split("\n")[0].split(","), line.split(","), strict=True))
            ).encode()
            + b"\n"
            for line in CSV.decode().split("\n")[1:4]
        ),
    ],
    ids=["csv", "tsv", "json lines"],
)
def test_rows_are_read(content: bytes) -> None:
    read = read_users(content, "users")
    assert read.rows.variants == ["A", "B"] and read.rows.users == 2
    assert read.rows.variant.tolist() == [0, 1, 0] and read.rows.user.tolist() == [0, 1, 0]
    assert [each.name for each in read.outcomes] == ["clicks", "time_to_first_click"]
    assert read.rows.columns["clicks"].tolist() == [2, 0, 1]
    np.testing.assert_array_equal(read.rows.columns["time_to_first_click"], [1.5, np.nan, 3])
    assert (read.first, read.last) == (
        datetime(2026, 11, 2, tzinfo=UTC),
        datetime(2026, 11, 3, 10, tzinfo=UTC),
    )


def test_numbers_words_and_times_of_json_are_read() -> None:
    content = (
        b'{"group": "A", "user_id": 7, "converted": true, "time": 1}\n'
        b'{"group": "B", "user_id": 8, "converted": false}\n'
    )
    read = read_users(content)
    assert read.rows.columns["converted"].tolist() == [1, 0]
    assert read.first == datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC)
    assert read.outcomes[0] == outcome_of("converted")


def test_only_outcomes_that_were_planned_are_read() -> None:
    content = CSV.replace(b"u2,0,,", b"u2,0,soon,")
    with pytest.raises(
        BadFile, match="users.csv, line 3: expected a number .* time_to_first_click, .*'soon'"
    ):
        read_users(content, "users.csv")
    read = read_users(content, "users.csv", [outcome_of("Clicks")])
    assert list(read.rows.columns) == ["Clicks"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((b"A,u1,1,3,", b"A,,1,3,"), "line 4: expected a user in user, found an empty cell"),
        ((b"A,u1,1,3,", b",u1,1,3,"), "line 4: expected a variant in variant"),
        ((b"A,u1,1,3,", b"A,u1,nan,3,"), "line 4: expected a number"),
        ((b"A,u1,1,3,", b"A,u1,1e400,3,"), "line 4: expected a number of at most 1,000,000,000,000"),
        ((b"A,u1,1,3,", b"A,u1,1,3"), "line 4: expected 5 cells"),
        ((b"2026-11-02", b"soon"), "line 2: expected a time as in 2026"),
        ((b"B,u2", b"A,u2"), "expected at least two variants, found 'A' alone"),
        ((b"B,u2", b"C,u2"), "line 3: expected one of the variants A, B, found 'C'"),
        ((b"clicks", b"presses"), "expected a column clicks, found the fields variant, user, presses"),
    ],
)
def test_a_bad_file_is_refused_with_its_line(change: tuple[bytes, bytes], message: str) -> None:
    content = CSV.replace(*change)
    planned = None if b"alone" in message.encode() else ["A", "B"]
    with pytest.raises(BadFile, match=message):
        read_users(content, "", parse_outcomes("clicks\ntime_to_first_click"), planned)


@pytest.mark.parametrize("content", [b"", b"hello\n", b"1 Q0 D1 1 2.0 run\n", b"variant,user,clicks\n"])
def test_what_is_no_file_of_users_is_refused(content: bytes) -> None:
    with pytest.raises(BadFile, match="expected"):
        read_users(content, "users.csv")


def test_a_field_is_chosen_where_names_say_too_little() -> None:
    content = b"cell,user,clicks\nA,u1,1\nB,u2,2\n"
    with pytest.raises(BadFile):
        read_users(content)
    assert read_users(content, reading=Reading({"cell": "variant"})).rows.variants == ["A", "B"]
    with pytest.raises(UnclearFields, match="expected one field with the user"):
        read_users(b"variant,user,user_id\nA,u1,1\nB,u2,2\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("clicks\nseconds: faster", "line 2: expected more, fewer, neither, mean, sum, any for seconds"),
        ("clicks / : more", "line 1: expected the column of an outcome"),
        ("a / b: sum", "line 1: expected more, fewer, neither for a / b, found 'sum'"),
        ("clicks\nclicks: sum", "line 2: expected each outcome once, found clicks twice"),
        ("x" * 61, "line 1: expected an outcome of at most 60 characters"),
        ("\n".join(f"c{n}" for n in range(21)), "expected at most 20 outcomes, found 21"),
    ],
)
def test_outcomes_that_cannot_be_understood_are_refused(text: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        parse_outcomes(text)


def test_known_columns_have_their_direction_and_others_none() -> None:
    assert [(each.wanted, each.how) for each in known_outcomes(["returned", "size"])] == [
        ("more", "any"),
        ("neither", "mean"),
    ]
