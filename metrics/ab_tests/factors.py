"""A design with several factors: users see a combination of levels; factors and interactions are tested.

A variant is a combination if its name is `ranker=new + snippet=old`. The design is complete: each combination
of levels is a variant. An effect is a contrast of the means of all variants, so that the other factors count
with equal weights however many users they have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from math import prod, sqrt
from typing import NamedTuple

from metrics.ab_tests.by_user import Sample
from metrics.ab_tests.differences import ALL_SAME, LEVEL, TOO_FEW, Difference
from pooling.extras import import_extra
from pooling.refusals import Refused

CONTRAST = "Welch's test of a contrast of variants"


class Factor(NamedTuple):
    """A factor. levels: that of the control first."""

    name: str
    levels: tuple[str, ...]


class Design(NamedTuple):
    """A complete design. variants: levels, in the order of the factors -> variant."""

    factors: tuple[Factor, ...]
    variants: Mapping[tuple[str, ...], str]


class Contrast(NamedTuple):
    """An effect. of: factors with the level that is compared with that of the control; one for a main effect.

    weights: variant -> weight; 0 for a variant that the effect does not compare.
    """

    of: tuple[tuple[Factor, str], ...]
    weights: Mapping[str, float]

    @property
    def name(self) -> str:
        return " × ".join(f"{factor.name}={level}" for factor, level in self.of)

    @property
    def against(self) -> str:
        """The levels of the control."""
        return " × ".join(f"{factor.name}={factor.levels[0]}" for factor, _ in self.of)

    @property
    def is_main(self) -> bool:
        return len(self.of) == 1


def design_of(variants: Sequence[str], control: str) -> Design | None:
    """Return the design of variants; None where they are not all combinations of two or more factors.

    Raises Refused for combinations that are not a complete design.

    >>> design = design_of(["a=1 + b=1", "a=2 + b=1", "a=1 + b=2", "a=2 + b=2"], "a=1 + b=1")
    >>> [factor.levels for factor in design.factors]
    [('1', '2'), ('1', '2')]
    """
    read = {name: _levels_of(name) for name in variants}
    if any(len(levels) < 2 for levels in read.values()):
        return None
    names = tuple(read[control])
    for variant, levels in read.items():
        if tuple(levels) != names:
            raise Refused(f"expected the factors {' and '.join(names)} in each variant, found {variant!r}")
    factor_levels = [
        tuple(dict.fromkeys(read[each][name] for each in (control, *variants))) for name in names
    ]
    by_levels = {tuple(levels.values()): variant for variant, levels in read.items()}
    if len(by_levels) < len(read):
        raise Refused("expected each combination of levels once, found one twice")
    for name, known in zip(names, factor_levels, strict=True):
        if len(known) < 2:
            raise Refused(f"expected two or more levels of {name}, found {known[0]} alone")
    for wanted in product(*factor_levels):
        if wanted not in by_levels:
            missing = " + ".join(f"{name}={level}" for name, level in zip(names, wanted, strict=True))
            raise Refused(f"expected a variant for each combination, found none for {missing!r}")
    return Design(tuple(map(Factor, names, factor_levels)), by_levels)


def _levels_of(variant: str) -> dict[str, str]:
    """Return factor -> level of a variant; nothing for another kind of name."""
    pairs = [part.partition("=") for part in variant.split("+")]
    levels = {name.strip(): level.strip() for name, _, level in pairs}
    named = all(name and level for name, level in levels.items())
    return levels if named and len(levels) == len(pairs) else {}


def short_name(variant: str) -> str:
    """Return the levels of a combination without their factors, and any other variant as it is.

    >>> short_name("ranker=new + snippet=old"), short_name("B")
    ('new + old', 'B')
    """
    levels = _levels_of(variant)
    return " + ".join(levels.values()) if len(levels) > 1 else variant


def contrasts_of(design: Design) -> Iterator[Contrast]:
    """Yield the effects: each level of each factor, then the interactions of two factors and of more."""
    factors = design.factors
    for order in range(1, len(factors) + 1):
        for places in combinations(range(len(factors)), order):
            for levels in product(*(factors[place].levels[1:] for place in places)):
                chosen = dict(zip(places, levels, strict=True))
                of = tuple((factors[place], level) for place, level in chosen.items())
                yield Contrast(of, _weights(design, chosen))


def _weights(design: Design, chosen: Mapping[int, str]) -> dict[str, float]:
    """Return 1 for a chosen level and -1 for the control's, multiplied, as a mean over the other factors."""
    rest = prod(len(factor.levels) for place, factor in enumerate(design.factors) if place not in chosen)
    weights = {}
    for levels, variant in design.variants.items():
        signs = [
            1 if levels[place] == level else -1 if levels[place] == design.factors[place].levels[0] else 0
            for place, level in chosen.items()
        ]
        weights[variant] = prod(signs) / rest
    return weights


def contrast_difference(
    samples: Mapping[str, Sample], weights: Mapping[str, float], level: float = LEVEL
) -> Difference:
    """Return a contrast of means with its test and interval; the user is the unit, variances may differ.

    The sum of weight x mean, its variance the sum of weight^2 x variance / n, with the degrees of freedom of
    Satterthwaite 1946; for two variants this is Welch's test. Shares of users are means of 0 and 1.
    """
    used = [(weight, samples.get(name, Sample(0))) for name, weight in weights.items() if weight]
    means = [(weight, each.mean) for weight, each in used if each.mean is not None]
    if len(means) < len(used):
        return Difference(None, test=CONTRAST, reason=TOO_FEW)
    difference = sum(weight * mean for weight, mean in means)
    parts = [
        (weight**2 * each.variance / each.n, each.n) for weight, each in used if each.variance is not None
    ]
    if len(parts) < len(used):
        return Difference(difference, test=CONTRAST, reason=TOO_FEW)
    variance = sum(part for part, _ in parts)
    if not variance:
        return Difference(difference, test=CONTRAST, reason=ALL_SAME)
    t = import_extra("scipy.stats").t
    df = 1 / sum((part / variance) ** 2 / (n - 1) for part, n in parts)
    error = sqrt(variance)
    half = float(t.ppf((1 + level) / 2, df)) * error
    p = float(2 * t.sf(abs(difference) / error, df))
    return Difference(difference, error, p, difference - half, difference + half, df, CONTRAST)
