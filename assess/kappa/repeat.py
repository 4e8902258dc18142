"""A judge and the same judge again: how far one agrees with oneself."""

from __future__ import annotations

from collections.abc import Sequence

from assess.kappa.coefficient import Coefficient
from assess.kappa.confusion import confusion
from assess.kappa.pairs import of_table


def self_agreement(
    first: Sequence[int | None],
    again: Sequence[int | None],
    scale: Sequence[int],
    threshold: int | None = None,
) -> list[Coefficient]:
    """Return the coefficients of two judges for one judge's first and repeated labels.

    first, again: grades of the same documents in the same order, None where there is none; a document counts
    that has both. Raises ValueError when the lists differ in length or hold a grade off the scale.

    >>> percent = self_agreement([0, 1, 2, None], [0, 1, 1, 2], [0, 1, 2])[0]
    >>> percent.name, percent.n, round(percent.value, 4), percent.judges
    ('Percent agreement', 3, 0.6667, 1)
    """
    both = [(one, other) for one, other in zip(first, again, strict=True) if one is not None is not other]
    ones, others = (
        [one for one, _ in both if one is not None],
        [other for _, other in both if other is not None],
    )
    found = of_table(confusion(ones, others, scale), tuple(scale), threshold)
    return [each._replace(judges=1) for each in found]
