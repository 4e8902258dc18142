"""What all sessions together say: the share of wins, whether chance explains it, and an interval."""

from __future__ import annotations

from collections.abc import Iterable
from math import sqrt
from typing import NamedTuple

from metrics.interleaving.credit import Credit
from pooling.extras import import_extra

LEVEL = 0.95
SIGN_TEST, T_TEST = "exact sign test, without ties", "t-test of the outcomes of sessions"
WINS, DELTA = "share of wins of run A, without ties", "Delta"
NO_SESSION, ALL_TIES = "no session has been read", "every session is a tie"
ONE_SESSION, ALL_SAME = "fewer than two sessions", "every session has the same outcome"


class OutcomeCounts(NamedTuple):
    """Outcomes of sessions. squares: the sum of (probability of A less that of B)^2 over the sessions.

    clicked: sessions with a click; the others are ties.
    """

    sessions: int = 0
    clicked: int = 0
    wins_a: float = 0.0
    wins_b: float = 0.0
    ties: float = 0.0
    squares: float = 0.0

    def plus(self, credit: Credit, has_click: bool) -> OutcomeCounts:
        a, b, tie = credit
        return OutcomeCounts(
            self.sessions + 1, self.clicked + has_click, self.wins_a + a, self.wins_b + b, self.ties + tie,
            self.squares + (a - b) ** 2,
        )  # fmt: skip


def total(counts: Iterable[OutcomeCounts]) -> OutcomeCounts:
    return OutcomeCounts(*map(sum, zip(OutcomeCounts(), *counts, strict=True)))


class Preference(NamedTuple):
    """The preference of users for run A, if `delta` is positive, or run B.

    delta: (wins of A + half the ties) / sessions - 1/2. p, interval: None where undefined; `reason` says why.
    test,
    interval_of: names.
    """

    counts: OutcomeCounts
    delta: float | None
    test: str
    p: float | None = None
    interval_of: str = ""
    interval: tuple[float, float] | None = None
    reason: str = ""


def delta_of(counts: OutcomeCounts) -> float | None:
    """Return Delta; None without a session.

    >>> round(delta_of(OutcomeCounts(120, 120, 60, 40, 20)), 4)
    0.0833
    """
    if not counts.sessions:
        return None
    return round((counts.wins_a + counts.ties / 2) / counts.sessions - 0.5, 12)  # sums of fractions


def preference(counts: OutcomeCounts, whole: bool = True) -> Preference:
    """Return the preference of all sessions.

    whole: whether each session has one outcome; then the test is the exact sign test and the interval that of
    Clopper
    and Pearson for the share of wins. The outcome of a probabilistic session is a number between -1 and 1.
    Its sign
    must not be counted as a win: random clicks would prefer the run that leads more often by less. The mean
    has no
    such bias, so that it is tested, by Student's t, with the interval of Delta.

    Both take sessions as independent. Sessions of one user are not quite so.
    """
    return sign_preference(counts) if whole else mean_preference(counts)


def sign_preference(counts: OutcomeCounts, level: float = LEVEL) -> Preference:
    """Return the preference by the exact sign test.

    >>> result = sign_preference(OutcomeCounts(120, 120, 60, 40, 20))
    >>> round(result.p, 4), [round(end, 4) for end in result.interval]
    (0.0569, [0.4972, 0.6967])
    """
    binomtest = import_extra("scipy.stats").binomtest
    wins, decided = int(counts.wins_a), int(counts.wins_a + counts.wins_b)
    preference = Preference(counts, delta_of(counts), SIGN_TEST, interval_of=WINS)
    if not decided:
        return preference._replace(reason=ALL_TIES if counts.sessions else NO_SESSION)
    test = binomtest(wins, decided)
    ends = test.proportion_ci(level, "exact")
    return preference._replace(p=float(test.pvalue), interval=(float(ends.low), float(ends.high)))


def mean_preference(counts: OutcomeCounts, level: float = LEVEL) -> Preference:
    """Return the preference by the t-test of the mean outcome, whose half is Delta."""
    t = import_extra("scipy.stats").t
    preference = Preference(counts, delta_of(counts), T_TEST, interval_of=DELTA)
    n = counts.sessions
    if n < 2:
        return preference._replace(reason=ONE_SESSION if n else NO_SESSION)
    mean = (counts.wins_a - counts.wins_b) / n
    variance = (counts.squares - n * mean**2) / (n - 1)
    if variance <= 1e-12:  # rounding
        return preference._replace(reason=ALL_SAME if counts.clicked else ALL_TIES)
    error = sqrt(variance / n)
    half = float(t.ppf((1 + level) / 2, n - 1)) * error
    p = float(2 * t.sf(abs(mean) / error, n - 1))
    return preference._replace(p=p, interval=((mean - half) / 2, (mean + half) / 2))
