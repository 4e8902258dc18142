"""Whether users were split as planned: a mismatch means that the variants lost users, or got others."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import NamedTuple

from metrics.ab_tests.power import z_sum
from pooling.extras import import_extra
from pooling.notebook import fields_html
from pooling.refusals import Refused

ALPHA = 0.01  # a false alarm stops a good test; Fabijan et al. 2019 (KDD) discuss lower values
BINOMIAL, CHI_SQUARED = "exact binomial test", "chi-squared test"


class Split(NamedTuple):
    """Users of each variant against the planned shares.

    expected: users of each variant. p: None without users. shift: the smallest shift of a variant's users,
    as a part of its planned number, that a test of these users finds with probability 0.8; of the variant
    where it is the smallest.
    """

    users: Mapping[str, int]
    expected: Mapping[str, float]
    test: str
    p: float | None
    shift: float | None

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def is_mismatch(self) -> bool:
        return self.p is not None and self.p < ALPHA


def split_of(users: Mapping[str, int], shares: Mapping[str, float] | None = None) -> Split:
    """Return the check of sample ratios: exact for two variants, chi-squared for more.

    users: variant -> users. shares: variant -> its part, in any unit; equal parts if left out. Raises Refused
    for fewer than two variants, shares of others, and shares that are not above 0.

    >>> check = split_of({"A": 49_500, "B": 50_500})
    >>> round(check.p, 4), check.is_mismatch, round(check.shift, 4)
    (0.0016, True, 0.0108)
    """
    shares = dict.fromkeys(users, 1.0) if shares is None else shares
    if len(users) < 2:
        raise Refused(f"expected users of at least two variants, found {len(users)}")
    if shares.keys() != users.keys():
        shown_shares = ", ".join(shares) or "none"
        raise Refused(
            f"expected a share of each of the variants {', '.join(users)}, found shares of {shown_shares}"
        )
    if any(not share > 0 or share == float("inf") for share in shares.values()):
        raise Refused("expected shares above 0")
    if any(count < 0 or count != int(count) for count in users.values()):
        raise Refused("expected whole numbers of users, from 0")
    n, whole = sum(users.values()), sum(shares.values())
    expected = {name: n * shares[name] / whole for name in users}
    test = BINOMIAL if len(users) == 2 else CHI_SQUARED
    if not n:
        return Split(users, expected, test, None, None)
    part = max(shares[name] / whole for name in users)
    shift = z_sum(ALPHA, 0.8) * sqrt((1 - part) / (part * n))
    return Split(users, expected, test, _p_of(users, expected), shift)


def _p_of(users: Mapping[str, int], expected: Mapping[str, float]) -> float:
    stats = import_extra("scipy.stats")
    counts, planned = [*users.values()], [*expected.values()]
    if len(counts) == 2:
        return float(stats.binomtest(counts[0], sum(counts), planned[0] / sum(planned)).pvalue)
    return float(stats.chisquare(counts, planned).pvalue)
