"""Template filters for estimates from a sample: a value, and its interval or the reason why there is none."""

from __future__ import annotations

from typing import Protocol

from django import template

register = template.Library()
SPACE = "\N{NO-BREAK SPACE}"


class Interval(Protocol):
    """An estimate with an interval; None without one."""

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


@register.filter
def decimal(value: float | None, digits: int = 3) -> str:
    """Return a number with a true minus sign, or "undefined".

    >>> decimal(-0.25), decimal(None)
    ('−0.250', 'undefined')
    """
    return "undefined" if value is None else f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


@register.filter
def reach(estimate: Interval, digits: int = 3) -> str:
    """Return the interval as text that is not wrapped, or an empty string if there is none."""
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{decimal(estimate.low, digits)}{SPACE}to{SPACE}{decimal(estimate.high, digits)}"


@register.filter
def percent(value: float) -> str:
    """Return a share as a percentage without decimals.

    >>> percent(0.05)
    '5 %'
    """
    return f"{100 * value:.0f} %"
