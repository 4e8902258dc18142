"""Template filters for the figures of A/B tests, whose sizes differ from outcome to outcome."""

from __future__ import annotations

from django import template

register = template.Library()
DIGITS = 4  # that are shown of a figure


@register.filter
def figure(value: float | None) -> str:
    """Return a figure with four digits and a true minus, "undefined" for None.

    >>> figure(-0.012345), figure(1234567.0), figure(0.0), figure(None)
    ('−0.01234', '1,234,567', '0', 'undefined')
    """
    if value is None:
        return "undefined"
    text = f"{value:,.0f}" if abs(value) >= 10 ** (DIGITS - 1) else f"{value:.{DIGITS}g}"
    return text.replace("-", "−")
