"""How coefficients of agreement are written: never without an interval or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from assess.kappa.bootstrap import ONE_TOPIC
from assess.kappa.coefficient import NOT_ASKED, Coefficient
from assess.kappa.families import FamilyRow
from assess.queries.agreement_grids import MatrixCell, MatrixRow
from pooling.templatetags.parts import heat

register = template.Library()


def number(value: float, digits: int = 3) -> str:
    """A true minus sign, and none before what is rounded to zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


@register.filter
def interval(coefficient: Coefficient) -> str:
    """The bootstrap interval over topics, or why there is none.

    Of one topic the analytic interval, marked by *. Where no bootstrap was made, the standard error alone:
    it takes documents as independent, and an interval of it would be too narrow over several topics.
    """
    if coefficient.value is None:
        return coefficient.reason
    if coefficient.interval:
        return " to ".join(map(number, coefficient.interval))
    if coefficient.no_interval == ONE_TOPIC and (normal := coefficient.normal_interval()):
        return f"{' to '.join(map(number, normal))}*"
    if coefficient.no_interval == NOT_ASKED and coefficient.standard_error is not None:
        return f"s.e. {number(coefficient.standard_error)}"
    return coefficient.no_interval


@register.filter
def bounded(coefficient: Coefficient) -> bool:
    """Whether an interval stands beside it, and not a sentence."""
    one_topic = coefficient.no_interval == ONE_TOPIC
    return bool(coefficient.interval or (one_topic and coefficient.normal_interval()))


@register.filter
def common_reason(families: Iterable[FamilyRow]) -> str:
    """The reason why no coefficient of a table has an interval, where it is the same for all; else empty."""
    cells = [cell for row in families for cell in row.cells if cell and cell.value is not None]
    if any(cell.interval or cell.no_interval in (ONE_TOPIC, NOT_ASKED) for cell in cells):
        return ""
    reasons = {cell.no_interval for cell in cells}
    return reasons.pop() if len(reasons) == 1 else ""


@register.filter
def rate(value: float | None) -> str:
    """A share as per cent with one decimal; empty without any."""
    return "" if value is None else f"{100 * value:.1f} %"


@register.filter
def probability(value: float | None) -> str:
    """A p-value to three decimals, those that are smaller as such."""
    return "" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def name_of(names: Mapping[str, str], judge: str) -> str:
    """What a page calls a judge."""
    return names.get(judge, judge)


@register.filter
def lookup_of(coefficients: Mapping[str, Coefficient], key: str) -> Coefficient:
    """The coefficient of a key that has a hyphen, which a template cannot write."""
    return coefficients[key]


@register.filter
def lookup(coefficients: Mapping[str, Coefficient], key: str) -> float | None:
    """Its value; with `:expected` behind the key, the agreement by chance."""
    key, _, expected = key.partition(":")
    return coefficients[key].expected if expected else coefficients[key].value


@register.simple_tag
def matrix_cells(row: MatrixRow, names: Mapping[str, str], kept: str, name: str) -> SafeString:
    """The cells of one judge. Here and not in a template, which takes ten times as long for a thousand."""
    return format_html_join("", "{}", ((_cell(row.judge, cell, names, kept, name),) for cell in row.cells))


def _cell(judge: str, cell: MatrixCell, names: Mapping[str, str], kept: str, name: str) -> SafeString:
    if cell.same:
        return mark_safe('<td class="heat-same"><span class="visually-hidden">same judge</span></td>')
    found = cell.coefficient
    if found is None:
        return mark_safe('<td><span class="visually-hidden">no common document</span></td>')
    both = f"{name_of(names, judge)} with {name_of(names, cell.second)}"
    shown = "–" if found.value is None else number(found.value, 2)
    value = "undefined" if found.value is None else number(found.value)
    query = urlencode({"first": judge, "second": cell.second}) + (f"&{kept}" if kept else "")
    return format_html(
        '<td class="heat-cell heat-{}"><a href="?{}#agreement-confusion" title="{}">{}</a></td>',
        heat(found.value), query, f"{both}: {name} {value}, {interval(found)}, n = {found.n:,}", shown,
    )  # fmt: skip
