"""The agreement page. Each of its parts is loaded again when labels change."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils import dateformat, timezone
from django.views.decorators.http import require_GET
from django_htmx.http import trigger_client_event

from accounts.requests import UserRequest
from assess.kappa.families import COLUMNS, in_words, rows_by_family
from assess.kappa.one_pair import SideBySide
from assess.kappa.registry import REGISTRY
from assess.kappa.verbal import VERBAL_SCALES
from assess.queries.agreement_drift import drift_of
from assess.queries.agreement_grids import PairRow, PairRows, matrix_of
from assess.queries.agreements import (
    BOOTSTRAP,
    OF_TOPIC,
    Scope,
    judges_of_agreement,
    overall,
    pair_of_agreement,
    scope_of_agreement,
    topics_of_agreement,
)
from assess.queries.caching import label_version
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.scale import Grade

READERS = (Role.ADJUDICATOR, Role.READER)
OF_MATRIX = ("cohen", "cohen-linear", "cohen-quadratic", "cohen-binary", "scott", "ac1", "percent")
PAIRS_A_PAGE = 50
MOST_IN_DRIFT = 8  # more judges than this get no columns of their own


class Choice(NamedTuple):
    """The options of the page. key: coefficient of the matrix. first, second: two judges, or ""."""

    scope: Scope
    key: str
    first: str
    second: str
    by_week: bool
    page: str

    @property
    def kept(self) -> str:
        """The query string of all options but the two judges, without their defaults."""
        chosen = {
            "topic": self.scope.topic.number if self.scope.topic else "",
            "of": self.key if self.key != OF_MATRIX[0] else "",
            "machines": "on" if self.scope.machines else "",
            "by": "week" if self.by_week else "",
        }
        return urlencode({name: value for name, value in chosen.items() if value})

    @property
    def query(self) -> str:
        """The query string of all options."""
        return urlencode({"first": self.first, "second": self.second}) + f"&{self.kept}" * bool(self.kept)


def choice_of(request: UserRequest, campaign: Campaign) -> Choice:
    """Return the options of a request. Unknown values are replaced by their defaults."""
    query = request.GET
    topic = campaign.topics.filter(number=query.get("topic", "")).first()
    scope = scope_of_agreement(campaign, topic, query.get("machines") == "on", request.user)
    first, second = query.get("first", ""), query.get("second", "")
    judges = scope.jury.labels.judges
    if first not in judges or second not in judges or first == second:
        first, second = PairRows(scope).largest
    key = query.get("of", "")
    return Choice(
        scope, key if key in OF_MATRIX else OF_MATRIX[0], first, second, query.get("by") == "week",
        query.get("page", ""),
    )  # fmt: skip


def common(choice: Choice) -> dict[str, Any]:
    """Return the context that every part needs."""
    roles = choice.scope.campaign.my_roles
    return {
        "campaign": choice.scope.campaign,
        "choice": choice,
        "scope": choice.scope,
        "names": choice.scope.jury.names,
        "opens": bool(roles & {Role.ORGANISER, Role.ADJUDICATOR}),
    }


def overall_part(choice: Choice) -> dict[str, Any]:
    figures = overall(choice.scope)
    return {
        "overall": figures,
        "columns": COLUMNS,
        "families": rows_by_family(figures.coefficients),
        "in_words": in_words(figures.coefficients),
        "scales": VERBAL_SCALES,
        "definitions": [REGISTRY[key] for key in figures.coefficients if not REGISTRY[key].binary],
        "bootstrap": BOOTSTRAP,
    }


def matrix_part(choice: Choice) -> dict[str, Any]:
    return {
        "matrix": matrix_of(choice.scope, choice.key),
        "definition": REGISTRY[choice.key],
        "offered": [REGISTRY[key] for key in OF_MATRIX],
    }


def pairs_part(choice: Choice) -> dict[str, Any]:
    pages: Paginator[PairRow] = Paginator(PairRows(choice.scope), PAIRS_A_PAGE)
    return {"pairs": pages.get_page(choice.page)}


def confusion_part(choice: Choice) -> dict[str, Any]:
    if not choice.first:
        return {"pair": None}
    pair = pair_of_agreement(choice.scope, choice.first, choice.second)
    return {
        "pair": pair,
        "columns": COLUMNS,
        "families": rows_by_family(pair.coefficients),
        "in_words": in_words(pair.coefficients),
        "scales": VERBAL_SCALES,
        "rows": confusion_rows(choice.scope.campaign, pair),
        "totals": pair.counts.sum(axis=0).tolist(),
    }


def topics_part(choice: Choice) -> dict[str, Any]:
    topics = topics_of_agreement(choice.scope)
    fleiss = [each.coefficients["fleiss"].value for each in topics]
    plot = {
        "topic": [each.topic for each, value in zip(topics, fleiss, strict=True) if value is not None],
        "value": [round(value, 4) for value in fleiss if value is not None],
        "overall": overall(choice.scope).coefficients["fleiss"].value,
        "name": "Fleiss' kappa",
    }
    return {"by_topic": topics, "plot": plot, "of_topic": OF_TOPIC}


def judges_part(choice: Choice) -> dict[str, Any]:
    return {"by_judge": judges_of_agreement(choice.scope)}


def drift_part(choice: Choice) -> dict[str, Any]:
    drift = drift_of(choice.scope, choice.by_week)
    judges = drift.judges if len(drift.judges) <= MOST_IN_DRIFT else []
    periods = [
        (begin, period, [period.rates.get(judge) for judge in judges])
        for begin, period in zip(drift.begins, drift.periods, strict=True)
    ]
    plot = {
        "begin": [spoken(begin) for begin in drift.begins],
        "rate": [period.rate for period in drift.periods],
        "percent": [period.coefficients[0].value for period in drift.periods],
        "fleiss": [period.coefficients[1].value for period in drift.periods],
    }
    return {"drift": drift, "periods": periods, "drift_judges": judges, "drift_plot": plot}


PARTS: dict[str, Callable[[Choice], dict[str, Any]]] = {
    "agreement_overall": overall_part,
    "agreement_matrix": matrix_part,
    "agreement_pairs": pairs_part,
    "agreement_confusion": confusion_part,
    "agreement_topics": topics_part,
    "agreement_judges": judges_part,
    "agreement_drift": drift_part,
}


@require_GET
def agreement(request: UserRequest, slug: str) -> HttpResponse:
    """Show agreement overall, by pair, judge and topic, and over time."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    choice = choice_of(request, campaign)
    context = common(choice) | {
        "topics": campaign.topics.filter(number__in=choice.scope.jury.labels.topics),
        "parts": [f"assess/_{name}.html" for name in PARTS],
    }
    if choice.first:
        context |= {name: context_of(choice) for name, context_of in PARTS.items()}
    return render(request, "assess/agreement.html", context)


@require_GET
def agreement_news(request: UserRequest, slug: str) -> HttpResponse:
    """Answer 204 while the labels are unchanged; otherwise trigger `new-labels`, which reloads all parts."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    stamp = label_version(campaign)
    if (
        stamp == request.GET.get("at", "").partition("/")[0]
    ):  # after the slash: the documents that this user may not see
        return HttpResponse(status=204)
    response = render(request, "assess/_agreement_news.html", {"campaign": campaign, "stamp": stamp})
    return trigger_client_event(response, "new-labels")


@require_GET
def part(request: UserRequest, slug: str, name: str) -> HttpResponse:
    """Return one part of the page. name: a key of PARTS, set by the URL pattern."""
    choice = choice_of(request, campaign_or_404(request.user, slug, *READERS))
    return render(request, f"assess/_{name}.html", common(choice) | {name: PARTS[name](choice)})


def confusion_rows(campaign: Campaign, pair: SideBySide) -> list[tuple[Grade, list[dict[str, Any]], int]]:
    """Return (grade, cells, total) for each row of the confusion matrix. shade: 0 to 4, by count."""
    most = max(int(pair.counts.max()), 1)
    cells = [
        [
            {"count": n, "shade": round(4 * n / most), "same": row == column, "grade": grade}
            for column, (n, grade) in enumerate(zip(counts, campaign.grades, strict=True))
        ]
        for row, counts in enumerate(pair.counts.tolist())
    ]
    return list(zip(campaign.grades, cells, pair.counts.sum(axis=1).tolist(), strict=True))


def spoken(moment: datetime) -> str:
    return dateformat.format(timezone.localtime(moment), "j M Y, H:i")
