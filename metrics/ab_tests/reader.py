"""Files of users or sessions of an A/B test, through the one intake: CSV, TSV and JSON Lines.

A row is a user or a session: the variant, the user, and outcomes as numbers. Several rows of a user are
aggregated later (`by_user`). Identifiers are replaced by numbers while the file is read.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np

from metrics.ab_tests.by_user import Rows
from metrics.ab_tests.outcomes import Outcome, known_outcomes
from pooling.formats.files import BadFile
from pooling.intake.fields import InputKind, plain_name, shortened
from pooling.intake.tables import AS_IT_IS, Reading, Table, number_text, read_table
from pooling.refusals import Refused

MOST_VARIANTS, LONGEST_VARIANT = 10, 60
FIRST_YEAR, LAST_YEAR = 1970, 2200
LARGEST = 1e12  # of an outcome: sums of squares stay finite
NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
WORDS: Mapping[str, float] = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
NOT_GIVEN = float("nan")

AB_TEST = InputKind(
    "A/B test",
    {
        "variant": (("variant", "variation", "arm", "bucket"), ("group", "condition", "treatment")),
        "user": (
            ("user", "user_id", "visitor", "visitor_id", "client_id", "unit"),
            ("cookie", "device_id", "session", "session_id"),
        ),
        "time": (("time", "timestamp", "time_stamp", "datetime"), ("date", "day")),
    },
    ("variant", "user"),
)


class UserFile(NamedTuple):
    """What a file holds. first, last: of its time stamps, None without any. note: how it was read."""

    rows: Rows
    outcomes: Sequence[Outcome]
    first: datetime | None
    last: datetime | None
    note: str


def read_users(
    content: bytes,
    name: str = "",
    outcomes: Sequence[Outcome] | None = None,
    variants: Sequence[str] | None = None,
    reading: Reading = AS_IT_IS,
) -> UserFile:
    """Return the rows of a file.

    outcomes: those that are read; None for every column that is none of the known fields. variants: those
    that may occur; None for any. An empty cell is no value, `true` and `yes` are 1. Raises BadFile, with the
    line where there is one, and UnclearFields.
    """
    table = read_table(content, name, AB_TEST, reading)
    if table is None:
        raise BadFile("expected a first line with the columns variant and user, found another", name=name)
    asked = _asked_outcomes(table, outcomes)
    fields = {column: _field_of(table, column) for outcome in asked for column in outcome.columns}
    reader = _Reader(table, fields, variants)
    for number, row in table.source:
        reader.take(number, row)
    if not reader.user:
        raise BadFile("expected a row for each user or session, found none", name=name)
    if len(reader.variants) < 2:
        raise BadFile(f"expected at least two variants, found {[*reader.variants][0]!r} alone", name=name)
    return UserFile(reader.rows, asked, reader.first, reader.last, table.note())


def _asked_outcomes(table: Table, outcomes: Sequence[Outcome] | None) -> Sequence[Outcome]:
    if outcomes is not None:
        return outcomes
    try:
        known = known_outcomes(table.mapped.left)
    except Refused as error:
        raise BadFile(str(error), name=table.name) from error
    if not known:
        message = f"expected a column with an outcome, found the fields {shortened(table.fields)}"
        raise BadFile(message, name=table.name)
    return known


def _field_of(table: Table, column: str) -> str:
    """Return the field of a file that holds the column of an outcome."""
    if column in table.fields:
        return column
    alike = [field for field in table.fields if plain_name(field) == plain_name(column)]
    if len(alike) != 1:
        message = f"expected a column {column}, found the fields {shortened(table.fields)}"
        raise BadFile(message, name=table.name)
    return alike[0]


class _Reader:
    """Rows that are taken one by one. first, last: of the times so far."""

    def __init__(self, table: Table, fields: Mapping[str, str], variants: Sequence[str] | None) -> None:
        self.table, self.fields, self.allowed = table, fields, variants
        self.variants: dict[str, int] = {name: place for place, name in enumerate(variants or ())}
        self.users: dict[str, int] = {}
        self.variant, self.user = array("q"), array("q")
        self.columns = {column: array("d") for column in fields}
        self.first: datetime | None = None
        self.last: datetime | None = None

    def take(self, number: int, row: Mapping[str, Any]) -> None:
        columns = self.table.mapped.columns
        variant = self._text(number, row, columns["variant"], "a variant")
        user = self._text(number, row, columns["user"], "a user")
        self.variant.append(self._variant(number, variant))
        self.user.append(self.users.setdefault(user, len(self.users)))
        for column, field in self.fields.items():
            self.columns[column].append(self._number(number, row.get(field), column))
        if "time" in columns:
            self._note_time(number, row.get(columns["time"]))

    @property
    def rows(self) -> Rows:
        return Rows(
            list(self.variants),
            len(self.users),
            np.array(self.variant, dtype=np.int64),
            np.array(self.user, dtype=np.int64),
            {column: np.array(values, dtype=np.float64) for column, values in self.columns.items()},
        )

    def _text(self, number: int, row: Mapping[str, Any], field: str, what: str) -> str:
        value = row.get(field)
        if isinstance(value, list | dict | bool):
            raise self.table.refusal(number, f"expected {what} as text in {field}, found another value")
        text = number_text(value)
        if not text:
            raise self.table.refusal(number, f"expected {what} in {field}, found an empty cell")
        return text

    def _variant(self, number: int, variant: str) -> int:
        place = self.variants.get(variant)
        if place is not None:
            return place
        if self.allowed is not None:
            known = ", ".join(self.allowed)
            raise self.table.refusal(
                number, f"expected one of the variants {known}, found {variant[:LONGEST_VARIANT]!r}"
            )
        if len(variant) > LONGEST_VARIANT:
            message = f"expected a variant of at most {LONGEST_VARIANT} characters, found {len(variant):,}"
            raise self.table.refusal(number, message)
        if len(self.variants) == MOST_VARIANTS:
            message = f"expected at most {MOST_VARIANTS} variants, found another, {variant!r}"
            raise self.table.refusal(number, message)
        return self.variants.setdefault(variant, len(self.variants))

    def _number(self, number: int, value: Any, column: str) -> float:
        if isinstance(value, bool):
            return float(value)
        text = number_text(value) if isinstance(value, str | int | float | None) else repr(value)
        if not text:
            return NOT_GIVEN
        if (word := WORDS.get(text.casefold())) is not None:
            return word
        if not NUMBER.fullmatch(text) or not abs(float(text)) <= LARGEST:
            expected = f"expected a number of at most {LARGEST:,.0f} in {column}, or an empty cell"
            raise self.table.refusal(number, f"{expected}, found {text[:40]!r}")
        return float(text)

    def _note_time(self, number: int, value: Any) -> None:
        text = number_text(value) if isinstance(value, str | int | float | None) else repr(value)
        if not text:
            return
        try:
            time = _time_of(text)
        except (ValueError, OverflowError, OSError):
            message = f"expected a time as in 2026-11-02T09:30:00, or seconds since 1970, found {text[:40]!r}"
            raise self.table.refusal(number, message) from None
        self.first = time if self.first is None else min(self.first, time)
        self.last = time if self.last is None else max(self.last, time)


def _time_of(text: str) -> datetime:
    """Return a time in ISO 8601, in UTC where it names no zone, or one in seconds since 1970."""
    if NUMBER.fullmatch(text) and not (len(text) == 8 and text.isdecimal()):
        time = datetime.fromtimestamp(float(text), UTC)
    else:
        time = datetime.fromisoformat(text)
        time = time.replace(tzinfo=UTC) if time.tzinfo is None else time.astimezone(UTC)
    if not FIRST_YEAR <= time.year <= LAST_YEAR:
        raise ValueError(f"expected a year from {FIRST_YEAR} to {LAST_YEAR}")
    return time
