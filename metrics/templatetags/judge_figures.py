"""The figures of runs of machine judges: undefined values say why."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from assess.kappa.coefficient import Coefficient
from pooling.templatetags.parts import coefficient

register = template.Library()


@register.simple_tag
def kappa_value(kappa: Coefficient) -> SafeString | str:
    """A coefficient, or "undefined" with the reason on hover."""
    if kappa.value is None:
        return format_html('<i title="{}">undefined</i>', kappa.reason)
    return coefficient(kappa.value)


@register.filter
def percentage(value: float | None) -> str:
    """A share as a percentage with one digit.

    >>> percentage(0.1938), percentage(None)
    ('19.4 %', 'undefined')
    """
    return "undefined" if value is None else f"{100 * value:.1f} %"


@register.filter
def grades_more(value: float | None) -> str:
    """A difference in grades, with its sign.

    >>> grades_more(0.25), grades_more(-0.5), grades_more(None)
    ('+0.25', '−0.50', 'undefined')
    """
    return "undefined" if value is None else f"{value:+.2f}".replace("-", "−")


@register.filter
def ranks_more(value: float) -> str:
    """A mean difference in ranks, with its sign."""
    return f"{value:+.1f}".replace("-", "−")
