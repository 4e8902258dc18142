"""What is measured of each user of an A/B test, which direction is wanted, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pooling.intake.fields import plain_name
from pooling.refusals import Refused

MORE, FEWER, NEITHER = "more", "fewer", "neither"
WANTED = (MORE, FEWER, NEITHER)
MEAN, SUM, ANY, RATIO = "mean", "sum", "any", "ratio"
OF_ONE_COLUMN = (MEAN, SUM, ANY)
ROWS = "rows"  # below a ratio: the number of rows of a user
MOST_OUTCOMES, LONGEST_NAME = 20, 60
BETTER, WORSE, HIGHER, LOWER, NOT_SHOWN = "better", "worse", "higher", "lower", "not shown"

KNOWN: Mapping[str, tuple[str, str]] = {
    "clicks": (MORE, SUM),
    "searches": (MORE, SUM),
    "abandoned": (FEWER, ANY),
    "first_click_rank": (FEWER, MEAN),
    "time_to_first_click": (FEWER, MEAN),
    "time_on_page": (MORE, MEAN),
    "returned": (MORE, ANY),
    "converted": (MORE, ANY),
}
"""Known columns -> the direction wanted, and how the rows of a user become one value."""

_KNOWN = {plain_name(name): value for name, value in KNOWN.items()}


class Outcome(NamedTuple):
    """An outcome of users.

    column: of the file. wanted: a direction. how: `mean`, `sum` or `any` (1 if a value is above 0) over the
    rows of a user, or `ratio`: the sum of the column over the sum of the column `over`, of all users. over:
    ROWS for the mean of a row.
    """

    column: str
    wanted: str
    how: str
    over: str = ""

    @property
    def name(self) -> str:
        return f"{self.column} / {self.over}" if self.over else self.column

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the file that are needed."""
        return (self.column, self.over) if self.over not in ("", ROWS) else (self.column,)

    @property
    def of_a_user(self) -> str:
        """What the figure is, in words."""
        words = {MEAN: "mean of a user", SUM: "sum of a user", ANY: "share of users"}
        return words.get(self.how, "ratio of sums")


def outcome_of(name: str, text: str = "") -> Outcome:
    """Return an outcome. text: the direction wanted, and how rows become a value: both as known if left out.

    Raises Refused.

    >>> outcome_of("clicks")
    Outcome(column='clicks', wanted='more', how='sum', over='')
    >>> outcome_of("seconds", "fewer, mean").wanted
    'fewer'
    >>> outcome_of("clicks / rows", "more").name
    'clicks / rows'
    """
    column, slash, over = (part.strip() for part in name.partition("/"))
    if not column or (slash and not over):
        raise Refused(f"expected the column of an outcome, or two with / between them, found {name[:80]!r}")
    if len(name.strip()) > LONGEST_NAME:
        raise Refused(f"expected an outcome of at most {LONGEST_NAME} characters, found {name[:80]!r}")
    wanted, how = _KNOWN.get(plain_name(column), (NEITHER, MEAN))
    words = [word for word in text.replace(",", " ").split() if word]
    for word in words:
        if word in WANTED:
            wanted = word
        elif word in OF_ONE_COLUMN and not slash:
            how = word
        else:
            known = ", ".join(WANTED if slash else (*WANTED, *OF_ONE_COLUMN))
            raise Refused(f"expected {known} for {name.strip()}, found {word[:40]!r}")
    return Outcome(column, wanted, RATIO, over) if slash else Outcome(column, wanted, how)


def outcomes_of(asked: Iterable[str] | Mapping[str, str]) -> list[Outcome]:
    """Return outcomes of names, or of name -> text. Raises Refused for one that is named twice."""
    pairs = asked.items() if isinstance(asked, Mapping) else ((name, "") for name in asked)
    outcomes = [outcome_of(name, text) for name, text in pairs]
    names = [each.name for each in outcomes]
    if again := next((name for name in names if names.count(name) > 1), None):
        raise Refused(f"expected each outcome once, found {again} twice")
    if len(outcomes) > MOST_OUTCOMES:
        raise Refused(f"expected at most {MOST_OUTCOMES} outcomes, found {len(outcomes)}")
    return outcomes


def parse_outcomes(text: str) -> list[Outcome]:
    """Return the outcomes of lines `name: wanted, how`. Raises Refused, with the line.

    >>> [each.name for each in parse_outcomes("clicks\\nseconds: fewer, mean\\nclicks / searches: more")]
    ['clicks', 'seconds', 'clicks / searches']
    """
    asked: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, _, rest = line.rpartition(":") if ":" in line else (line, "", "")
        name = name.strip()
        try:
            outcome_of(name, rest)
            if name in asked:
                raise Refused(f"expected each outcome once, found {name} twice")
        except Refused as error:
            raise Refused(f"line {number}: {error}") from error
        asked[name] = rest
    return outcomes_of(asked)


def known_outcomes(columns: Iterable[str]) -> list[Outcome]:
    """Return an outcome for each column: directions of unknown names are `neither`, and the mean is taken."""
    return outcomes_of(list(columns))


def shown_word(wanted: str, is_higher: bool) -> str:
    """Return what a higher or lower value of a variant is, by the direction wanted."""
    if wanted not in (MORE, FEWER):
        return HIGHER if is_higher else LOWER
    return BETTER if is_higher == (wanted == MORE) else WORSE
