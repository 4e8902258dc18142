"""Template filters for agreement: a coefficient has an interval, or the reason why it has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from assess.kappa.bootstrap import ONE_TOPIC
from assess.kappa.coefficient import NO_BOOTSTRAP, Coefficient
from assess.kappa.pairs import PairReport
from assess.kappa.report import FamilyRow
from assess.queries.agreement_pairs import Matrix, MatrixCell, MatrixRow
from pooling.templatetags.parts import shade

register = template.Library()

MOST_WIDE_COLUMNS = 12
SHARES = "Percent agreement"  # begins the names of coefficients from 0 to 1; the others are from -1 to 1


def number(value: float, digits: int = 3) -> str:
    """Return a rounded number with a true minus sign, but no sign before a zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")


@register.filter
def interval(coefficient: Coefficient) -> str:
    """Return the bootstrap interval over topics as text, or the reason why there is none.

    For one topic: the analytic interval, marked by *. Without bootstrap: only the standard error, because it
    assumes independent documents and an interval from it would be too narrow for several topics.
    """
    if coefficient.value is None:
        return coefficient.reason
    if coefficient.interval:
        return " to ".join(map(number, coefficient.interval))
    if coefficient.no_interval == ONE_TOPIC and (normal := coefficient.normal_interval()):
        lowest = 0.0 if coefficient.name.startswith(SHARES) else -1.0
        return f"{' to '.join(number(max(end, lowest)) for end in normal)}*"
    if coefficient.no_interval == NO_BOOTSTRAP and coefficient.standard_error is not None:
        return f"s.e. {number(coefficient.standard_error)}"
    return coefficient.no_interval


@register.filter
def bounded(coefficient: Coefficient) -> bool:
    """Whether the coefficient has an interval, not only a reason why it has none."""
    one_topic = coefficient.no_interval == ONE_TOPIC
    return bool(coefficient.interval or (one_topic and coefficient.normal_interval()))


@register.filter
def common_reason(families: Iterable[FamilyRow]) -> str:
    """Return the reason why no coefficient of a table has an interval if all share it, otherwise ""."""
    cells = [cell for row in families for cell in row.cells if cell and cell.value is not None]
    if any(cell.interval or cell.no_interval in (ONE_TOPIC, NO_BOOTSTRAP) for cell in cells):
        return ""
    reasons = {cell.no_interval for cell in cells}
    return reasons.pop() if len(reasons) == 1 else ""


@register.filter
def rate(value: float | None) -> str:
    """Return a share as a percentage with one decimal, or "" for None."""
    return "" if value is None else f"{100 * value:.1f} %"


@register.filter
def probability(value: float | None) -> str:
    """Return a p-value with three decimals, "< 0.001" below that, or "" for None."""
    return "" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def judge_name(names: Mapping[str, str], judge: str) -> str:
    """Return the display name of a judge."""
    return names.get(judge, judge)


@register.filter
def lookup_of(coefficients: Mapping[str, Coefficient], key: str) -> Coefficient:
    """Return the coefficient of a key. Needed for keys with a hyphen, which template syntax forbids."""
    return coefficients[key]


@register.filter
def lookup(coefficients: Mapping[str, Coefficient], key: str) -> float | None:
    """Return the value of a coefficient, or with `key:expected` its agreement expected by chance."""
    key, _, expected = key.partition(":")
    return coefficients[key].expected if expected else coefficients[key].value


@register.filter
def disagreements(pair: PairReport) -> int:
    """The number of documents to which the two judges of a pair gave different grades."""
    return pair.lower + pair.higher


@register.filter
def matrix_style(matrix: Matrix) -> str:
    """The classes of the table of a matrix: one of many judges has narrow cells."""
    return "shaded dense" if len(matrix.judges) > MOST_WIDE_COLUMNS else "shaded"


@register.simple_tag
def matrix_cells(row: MatrixRow, names: Mapping[str, str], query: str, name: str) -> SafeString:
    """Return the matrix cells of one judge as HTML. A template is ten times slower for a thousand cells."""
    return format_html_join("", "{}", ((_cell(row.judge, cell, names, query, name),) for cell in row.cells))


def _cell(judge: str, cell: MatrixCell, names: Mapping[str, str], query: str, name: str) -> SafeString:
    if cell.same:
        return mark_safe('<td class="hatched"><span class="visually-hidden">same judge</span></td>')
    coefficient = cell.coefficient
    if coefficient is None:
        return mark_safe('<td><span class="visually-hidden">no common document</span></td>')
    both = f"{judge_name(names, judge)} with {judge_name(names, cell.second)}"
    shown = "–" if coefficient.value is None else number(coefficient.value, 2)
    value = "undefined" if coefficient.value is None else number(coefficient.value)
    link = urlencode({"first": judge, "second": cell.second}) + (f"&{query}" if query else "")
    return format_html(
        '<td class="shaded-cell shade-{}"><a href="?{}#agreement-confusion" title="{}">{}</a></td>',
        shade(coefficient.value), link,
        f"{both}: {name} {value}, {interval(coefficient)}, n = {coefficient.n:,}", shown,
    )  # fmt: skip
