"""The result of an A/B test from the figures of its variants: every outcome of every variant, corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from assess.corrections import holm
from metrics.ab_tests.by_user import Population, Sample
from metrics.ab_tests.differences import Difference, share_difference, welch
from metrics.ab_tests.effects import Effect, corrected_effect, effects_of, too_few_users
from metrics.ab_tests.factors import Design, design_of
from metrics.ab_tests.outcomes import (
    ANY,
    BETTER,
    HIGHER,
    LOWER,
    NOT_SHOWN,
    WORSE,
    Outcome,
    shown_word,
)
from metrics.ab_tests.power import POWER, detectable
from metrics.ab_tests.sequential import AlwaysValid, always_valid
from metrics.ab_tests.split import Split, split_of
from pooling.refusals import Refused

ALPHA = 0.05


class ABTestPlan(NamedTuple):
    """What was fixed before the test. shares: variant -> its part. planned: users of all variants."""

    control: str
    shares: Mapping[str, float]
    planned: int
    outcomes: Sequence[Outcome]

    @property
    def treatments(self) -> list[str]:
        return [name for name in self.shares if name != self.control]

    @property
    def design(self) -> Design | None:
        """The factors of the variants, if they are the combinations of some."""
        try:
            return design_of(list(self.shares), self.control)
        except Refused:  # a plan of before, or rows of the library, whose names only look like combinations
            return None


class Line(NamedTuple):
    """A variant against the control on one outcome.

    fixed: the test for one look at the planned end. anytime: the test for any number of looks. p, low, high:
    of the one that counts. corrected: p by Holm over all lines. detectable: the difference that these users
    show with power 0.8, before correction. shown: a word, NOT_SHOWN unless `corrected` is small enough.
    """

    outcome: Outcome
    variant: str
    control: Sample
    treated: Sample
    fixed: Difference
    anytime: AlwaysValid
    p: float | None
    low: float | None
    high: float | None
    corrected: float | None
    detectable: float | None
    shown: str
    reason: str

    @property
    def relative(self) -> tuple[float, float, float] | None:
        """The difference and its interval as parts of the mean of the control, which is taken as known."""
        base, difference = self.control.mean, self.fixed.difference
        if not base or difference is None or self.low is None or self.high is None:
            return None
        middle, *ends = (each / abs(base) for each in (difference, self.low, self.high))
        return middle, ends[0], ends[1]

    @property
    def relative_text(self) -> str:
        """The relative difference as a percentage with its sign; "" where it is undefined."""
        if self.relative is None:
            return ""
        text = percentage(self.relative[0])
        return f"+{text}" if self.relative[0] > 0 else text

    @property
    def users(self) -> int:
        """The users of both variants with a value."""
        return self.control.n + self.treated.n

    @property
    def is_shown(self) -> bool:
        return self.shown != NOT_SHOWN


def percentage(part: float) -> str:
    """Return a part as a percentage with a sign that is a true minus.

    >>> percentage(-0.015), percentage(0.0)
    ('−1.5 %', '0 %')
    """
    return f"{100 * part:.3g} %".replace("-", "−")


class Result(NamedTuple):
    """All lines, by outcome, and the check of the split. sequential: whether p and intervals are those for
    any number of looks. comparisons: for how many p is corrected. effects: of a design with factors."""

    plan: ABTestPlan
    population: Population
    split: Split
    sequential: bool
    lines: Sequence[Line]
    comparisons: int
    effects: Sequence[Effect] = ()

    @property
    def users(self) -> int:
        return sum(self.population.users.values())

    def of(self, variant: str) -> list[Line]:
        return [line for line in self.lines if line.variant == variant]


def result_of(plan: ABTestPlan, population: Population, sequential: bool, alpha: float = ALPHA) -> Result:
    """Return the result. sequential: somebody looked, or looks now, before the planned end."""
    tested = [
        (
            outcome,
            variant,
            _sample(population, outcome, plan.control),
            _sample(population, outcome, variant),
        )
        for outcome in plan.outcomes
        for variant in plan.treatments
    ]
    part = {name: share / sum(plan.shares.values()) for name, share in plan.shares.items()}
    tests = [
        _tests(outcome, control, treated, plan.planned * (part[plan.control] + part[variant]))
        for outcome, variant, control, treated in tested
    ]
    scale = plan.planned / sum(plan.shares.values())
    planned = {name: share * scale for name, share in plan.shares.items()}
    effects = effects_of(plan.design, plan.outcomes, population.samples, planned, sequential)
    p = [anytime.p if sequential else fixed.p for fixed, anytime in tests]
    corrected = holm([*p, *(effect.p for effect in effects)])
    lines = [
        _line(*what, fixed, anytime, after, sequential, alpha)
        for what, (fixed, anytime), after in zip(tested, tests, corrected.p, strict=False)
    ]
    after_effects = zip(effects, corrected.p[len(lines) :], strict=True)
    return Result(
        plan,
        population,
        split_of({name: population.users.get(name, 0) for name in plan.shares}, plan.shares),
        sequential,
        lines,
        corrected.comparisons,
        [corrected_effect(effect, after, alpha) for effect, after in after_effects],
    )


def _sample(population: Population, outcome: Outcome, variant: str) -> Sample:
    return population.samples[outcome.name].get(variant, Sample(0))


def _tests(
    outcome: Outcome, control: Sample, treated: Sample, planned: float
) -> tuple[Difference, AlwaysValid]:
    fixed = (share_difference if outcome.how == ANY else welch)(control, treated)
    users = control.n, treated.n
    return fixed, always_valid(fixed.difference, fixed.error, users, max(round(planned), 1))


def _line(
    outcome: Outcome,
    variant: str,
    control: Sample,
    treated: Sample,
    fixed: Difference,
    anytime: AlwaysValid,
    corrected: float | None,
    sequential: bool,
    alpha: float,
) -> Line:
    chosen: Difference | AlwaysValid = anytime if sequential else fixed
    shown = NOT_SHOWN
    if corrected is not None and corrected <= alpha and fixed.difference:
        shown = shown_word(outcome.wanted, fixed.difference > 0)
    reason = fixed.reason or (too_few_users(anytime) if sequential else "")
    smallest = None
    if control.variance is not None and treated.variance is not None:
        deviations = sqrt(control.variance), sqrt(treated.variance)
        smallest = detectable((control.n, treated.n), deviations, alpha, POWER)
    return Line(
        outcome, variant, control, treated, fixed, anytime,
        chosen.p, chosen.low, chosen.high, corrected, smallest, shown, reason,
    )  # fmt: skip


class ABTestVerdict(NamedTuple):
    """The first sentence of a result, and what is not shown."""

    lead: str
    rest: str


def verdict_of(result: Result) -> ABTestVerdict:
    """Return what the result says, in words.

    A split that is not as planned comes first: no figure below it can be trusted. Of a design with factors,
    what is shown of them stands for the comparisons of its variants.
    """
    if result.split.is_mismatch:
        return ABTestVerdict(
            "The users are not split as planned, so that no difference below can be trusted.",
            "Find out why a variant lost users or got others before you read on.",
        )
    many = f"after correction for {result.comparisons} comparisons" if result.comparisons > 1 else ""
    if not result.comparisons:
        return ABTestVerdict("No outcome can be tested.", "The table says why.")
    if effects := list(_effect_sentences(result.effects)):
        others = (
            "" if all(each.is_shown for each in result.effects) else f"Other effects are not shown {many}."
        )
        return ABTestVerdict(" ".join(effects), others)
    lead = " ".join(
        sentence
        for variant in result.plan.treatments
        if (sentence := _sentence(result.plan.control, variant, result.of(variant)))
    )
    open_names = list(dict.fromkeys(line.outcome.name for line in result.lines if not line.is_shown))
    if not lead:
        said = "No difference is shown" + (f" {many}." if many else ".")
        return ABTestVerdict(said, "A difference that is not shown may still exist: see what was detectable.")
    rest = (
        f"A difference in {_listed(open_names)} is not shown{' ' + many if many else ''}."
        if open_names
        else ""
    )
    return ABTestVerdict(lead, rest)


def _sentence(control: str, variant: str, lines: Sequence[Line | Effect]) -> str:
    parts = [
        f"{word} in {_listed(names)}"
        for word in (BETTER, WORSE, HIGHER, LOWER)
        if (names := [line.outcome.name for line in lines if line.shown == word])
    ]
    return f"{variant} is {_listed(parts)} than {control}." if parts else ""


def _effect_sentences(effects: Sequence[Effect]) -> Iterator[str]:
    """Yield a sentence for each factor and interaction that is shown."""
    for contrast in dict.fromkeys(effect.contrast.name for effect in effects if effect.is_shown):
        own = [effect for effect in effects if effect.contrast.name == contrast and effect.is_shown]
        if own[0].contrast.is_main:
            yield _sentence(own[0].contrast.against, f"Over all other factors {contrast}", own)
        else:
            factors = _listed([factor.name for factor, _ in own[0].contrast.of])
            outcomes = _listed([effect.outcome.name for effect in own])
            yield f"The effects of {factors} on {outcomes} depend on each other."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


COLUMNS = (
    "outcome", "wanted", "figure", "control", "variant", "users_control", "users_variant", "value_control",
    "value_variant", "difference", "low", "high", "p", "p_holm", "test", "detectable", "shown", "reason",
)  # fmt: skip


def table_rows(result: Result) -> list[dict[str, object]]:
    """Return the lines, then the effects of factors, with the fields COLUMNS, for files; with all digits."""
    anytime = "always-valid test (mSPRT)"
    lines: list[dict[str, object]] = [
        {
            "outcome": line.outcome.name,
            "wanted": line.outcome.wanted,
            "figure": line.outcome.of_a_user,
            "control": result.plan.control,
            "variant": line.variant,
            "users_control": line.control.n,
            "users_variant": line.treated.n,
            "value_control": line.control.mean,
            "value_variant": line.treated.mean,
            "difference": line.fixed.difference,
            "low": line.low,
            "high": line.high,
            "p": line.p,
            "p_holm": line.corrected,
            "test": anytime if result.sequential else line.fixed.test,
            "detectable": line.detectable,
            "shown": line.shown,
            "reason": line.reason,
        }
        for line in result.lines
    ]
    return lines + [
        {
            "outcome": effect.outcome.name,
            "wanted": effect.outcome.wanted,
            "figure": effect.outcome.of_a_user,
            "control": effect.contrast.against,
            "variant": effect.contrast.name,
            "users_control": None,
            "users_variant": None,
            "value_control": effect.low_mean,
            "value_variant": effect.high_mean,
            "difference": effect.fixed.difference,
            "low": effect.low,
            "high": effect.high,
            "p": effect.p,
            "p_holm": effect.corrected,
            "test": anytime if result.sequential else effect.fixed.test,
            "detectable": None,
            "shown": effect.shown,
            "reason": effect.reason,
        }
        for effect in result.effects
    ]
