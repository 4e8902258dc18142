"""The integrity check of magnitudes: documents of the campaign, and values that are those of the numbers."""

from __future__ import annotations

from collections.abc import Iterator

from assess.magnitudes.numbers import parse_magnitude
from assess.models import Magnitude
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign
from pooling.refusals import Refused


def magnitude_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every set, each a count of what breaks a promise."""
    for about in campaign.magnitude_sets.order_by("number"):
        given = Magnitude.objects.filter(task__magnitude_set=about).values_list("number", "value")
        sides = {
            "documents of another campaign": (
                0,
                about.tasks.exclude(pooled__topic__campaign=campaign).count(),
            ),
            "values that are not those of the numbers": (
                0,
                sum(value != _value_of(number) for number, value in given.iterator()),
            ),
        }
        yield differing("magnitudes", str(about), sides)


def _value_of(number: str) -> float | None:
    """Return the value of a stored number; None without one, and 0 for what is no number."""
    if number in ("", Magnitude.CANNOT):
        return None
    try:
        return parse_magnitude(number)
    except Refused:
        return 0.0


CHECKS = (Check("magnitudes", magnitude_faults),)
