"""A/B tests of two or more populations of users, and the check of their split."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from metrics.ab_tests.by_user import population_of
from metrics.ab_tests.effects import Effect
from metrics.ab_tests.outcomes import outcomes_of
from metrics.ab_tests.reader import read_users
from metrics.ab_tests.result import ABTestPlan, Line, result_of, table_rows, verdict_of
from metrics.ab_tests.split import Split, split_of
from pooling.formats.files import read_file
from pooling.intake.tables import OF_LIBRARY, Reading
from pooling.notebook import markup, value_text
from pooling.refusals import Refused

Users: TypeAlias = str | os.PathLike[str] | Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class ABTest:
    """The result of an A/B test.

    users: of each variant, without the `both` who saw several. split: the sample-ratio check. lines: each
    variant against the control on each outcome, with `difference`, `low`, `high`, `p` and `corrected` (Holm
    over all lines and effects). effects: main effects and interactions of the factors, if the variants are
    their combinations. sequential: whether p and intervals hold for any number of looks. verdict: in words.
    """

    control: str
    users: Mapping[str, int]
    both: int
    split: Split
    sequential: bool
    lines: tuple[Line, ...]
    effects: tuple[Effect, ...]
    verdict: str
    rows: tuple[Mapping[str, object], ...]

    def _repr_html_(self) -> str:
        rows = [[value_text(value) for value in row.values()] for row in self.rows]
        return markup([*self.rows[0]] if self.rows else ["line"], rows, self.verdict)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the lines and effects as plain dictionaries, as the downloaded table has them."""
        return [dict(row) for row in self.rows]


def ab_test(
    users: Users,
    *,
    control: str = "",
    outcomes: Iterable[str] | Mapping[str, str] | None = None,
    shares: Mapping[str, float] | None = None,
    looked_early: bool = False,
    planned: int | None = None,
    fields: Mapping[str, str] | None = None,
) -> ABTest:
    """Compare populations of users, each of whom saw one variant. Users are counted, never events.

    Parameters
    ----------
    users
        A file (CSV, TSV, JSON Lines) of users or sessions, or rows as dictionaries: `variant`, `user` and a
        column for each outcome. Variants such as `ranker=new + snippet=old` are combinations of factors.
    control
        The variant with which the others are compared. If empty: the first in the order of the alphabet.
    outcomes
        Names of columns, or name -> direction wanted (`more`, `fewer`, `neither`) and what is taken of the
        rows of a user (`sum`, `mean`, `any`): {"clicks": "more, sum"}. `a / b` is a ratio of sums, whose
        error is that of the delta method. None: every column.
    shares
        variant -> its planned part of the users; equal parts if left out.
    looked_early
        Whether anybody looked, or looks now, before the planned end. Then p and intervals are those of a
        sequential test that holds however often one looks (mSPRT; Johari, Pekelis & Walsh 2022).
    planned
        The number of users at the planned end; needed with `looked_early`.
    fields
        field -> meaning, for files whose names say too little.

    Raises `BadFile`, with the line, and `Refused`.

    Examples
    --------
    >>> import jurypool as jp
    >>> rows = [{"variant": "AB"[n % 2], "user": n, "clicks": n % 3 + n % 2} for n in range(600)]
    >>> result = jp.ab_test(rows, outcomes=["clicks"])
    >>> result.lines[0].shown, round(result.lines[0].fixed.difference, 2)
    ('better', 1.0)
    """
    asked = None if outcomes is None else outcomes_of(outcomes)
    content, name = _content_of(users)
    variants = None if shares is None else list(shares)
    reading = Reading(dict(fields or {}), choices=OF_LIBRARY)
    read = read_users(content, name, asked, variants, reading)
    if looked_early and not planned:
        raise Refused("expected the planned number of users, because of looks before the end")
    if planned is not None and planned < 2:
        raise Refused(f"expected at least two planned users, found {planned}")
    control = control or (variants or sorted(read.rows.variants))[0]
    if control not in read.rows.variants:
        known = ", ".join(read.rows.variants)
        raise Refused(f"expected a control among the variants {known}, found {control!r}")
    parts = dict(shares or dict.fromkeys(sorted(read.rows.variants), 1.0))
    result = result_of(
        ABTestPlan(control, parts, planned or read.rows.users, read.outcomes),
        population_of(read.rows, read.outcomes),
        looked_early,
    )
    return ABTest(
        control,
        dict(result.population.users),
        result.population.both,
        result.split,
        looked_early,
        tuple(result.lines),
        tuple(result.effects),
        " ".join(part for part in verdict_of(result) if part),
        tuple(table_rows(result)),
    )


def sample_ratio(users: Mapping[str, int], shares: Mapping[str, float] | None = None) -> Split:
    """Check whether users were split as planned: exact for two variants, chi-squared for more.

    The result has `p`, `is_mismatch` (p below 0.01) and `shift`: the smallest shift of a variant's users, as
    a part of its planned number, that is found with power 0.8. After a mismatch no difference can be trusted.

    Examples
    --------
    >>> import jurypool as jp
    >>> check = jp.sample_ratio({"A": 49_500, "B": 50_500})
    >>> check.is_mismatch, round(check.p, 4)
    (True, 0.0016)
    """
    return split_of(users, shares)


def _content_of(users: Users) -> tuple[bytes, str]:
    """Return a file, or rows as JSON Lines, and its name."""
    if isinstance(users, str | os.PathLike):
        return read_file(users), os.fspath(users)
    lines = []
    for number, row in enumerate(users, start=1):
        if not isinstance(row, Mapping):
            raise Refused(f"row {number}: expected a dictionary, found {type(row).__name__}")
        try:
            lines.append(json.dumps({str(key): value for key, value in row.items()}, default=_plain))
        except (TypeError, ValueError) as error:
            raise Refused(f"row {number}: expected texts and numbers ({error})") from error
    return "\n".join(lines).encode() + b"\n", ""


def _plain(value: Any) -> Any:
    """Return the plain number of one of numpy, or the text of a time."""
    if hasattr(value, "item"):
        return value.item()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"found {type(value).__name__}")
