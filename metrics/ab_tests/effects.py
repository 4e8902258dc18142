"""The effects of the factors of an A/B test on its outcomes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from metrics.ab_tests.by_user import Sample
from metrics.ab_tests.differences import Difference
from metrics.ab_tests.factors import Contrast, Design, contrast_difference, contrasts_of
from metrics.ab_tests.outcomes import NOT_SHOWN, Outcome, shown_word
from metrics.ab_tests.sequential import FEWEST, AlwaysValid, always_valid

INTERACTION = "depends on the other"


class Effect(NamedTuple):
    """A factor, or an interaction of factors, on one outcome.

    low_mean, high_mean: means of the variants with the control's level and with the other, None for an
    interaction. Other fields as of Line.
    """

    outcome: Outcome
    contrast: Contrast
    low_mean: float | None
    high_mean: float | None
    users: int
    fixed: Difference
    p: float | None
    low: float | None
    high: float | None
    corrected: float | None
    shown: str
    reason: str

    @property
    def is_shown(self) -> bool:
        return self.shown != NOT_SHOWN


def effects_of(
    design: Design | None,
    outcomes: Sequence[Outcome],
    samples: Mapping[str, Mapping[str, Sample]],
    planned: Mapping[str, float],
    sequential: bool,
) -> list[Effect]:
    """Return the effects of the factors on each outcome, before correction; none without a design.

    samples: outcome -> variant -> sample. planned: variant -> its users at the end. sequential: whether p and
    intervals are those for any number of looks.
    """
    contrasts = list(contrasts_of(design)) if design else []
    return [
        _effect(outcome, contrast, samples[outcome.name], planned, sequential)
        for outcome in outcomes
        for contrast in contrasts
    ]


def _effect(
    outcome: Outcome,
    contrast: Contrast,
    samples: Mapping[str, Sample],
    planned: Mapping[str, float],
    sequential: bool,
) -> Effect:
    fixed = contrast_difference(samples, contrast.weights)
    used = {name: weight for name, weight in contrast.weights.items() if weight}
    users = [samples.get(name, Sample(0)).n for name in used]
    at_the_end = max(round(sum(planned[name] for name in used)), 1)
    anytime = always_valid(fixed.difference, fixed.error, users, at_the_end)
    chosen: Difference | AlwaysValid = anytime if sequential else fixed
    means: list[float | None] = [None, None]
    if contrast.is_main and fixed.difference is not None:
        sides = ({n: -w for n, w in used.items() if w < 0}, {n: w for n, w in used.items() if w > 0})
        means = [contrast_difference(samples, side).difference for side in sides]
    reason = fixed.reason or (too_few_users(anytime) if sequential else "")
    return Effect(
        outcome, contrast, means[0], means[1], sum(users), fixed, chosen.p, chosen.low, chosen.high, None,
        NOT_SHOWN, reason,
    )  # fmt: skip


def corrected_effect(effect: Effect, corrected: float | None, alpha: float) -> Effect:
    """Return an effect with its corrected p, and what it shows."""
    shown = NOT_SHOWN
    if corrected is not None and corrected <= alpha and effect.fixed.difference:
        is_main = effect.contrast.is_main
        shown = shown_word(effect.outcome.wanted, effect.fixed.difference > 0) if is_main else INTERACTION
    return effect._replace(corrected=corrected, shown=shown)


def too_few_users(anytime: AlwaysValid) -> str:
    """Return why there is no test at any time; "" if there is one."""
    return f"fewer than {FEWEST} users of a variant" if anytime.p is None else ""
