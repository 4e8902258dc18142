"""The agreement page, its parts, and the documents behind its figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.http import require_GET
from django_htmx.http import trigger_client_event

from accounts.requests import UserRequest
from assess.document.layout import document_view
from assess.kappa.benchmarks import BENCHMARK_SCALES
from assess.kappa.pairs import PairReport
from assess.kappa.registry import REGISTRY
from assess.kappa.report import FAMILY_COLUMNS, benchmark_labels, rows_by_family
from assess.kappa.steps import TEXTBOOK, kappa_steps
from assess.queries.agreement import (
    BOOTSTRAP,
    PERIODS,
    THIRDS,
    TOPIC_COEFFICIENTS,
    AgreementScope,
    agreement_by_judge,
    agreement_by_topic,
    agreement_of_pair,
    agreement_scope,
    drift_by_period,
    overall_agreement,
)
from assess.queries.agreement_pairs import (
    PairRow,
    PairRows,
    compared_documents,
    documents_of_cell,
    labels_of_document,
    matrix_of_pairs,
    worst_pair,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.documents import language_in, text_in
from assess.queries.independence import STILL_TO_JUDGE, hidden_from
from assess.queries.label_matrix import PASSAGE, WHOLE
from assess.queries.labels import count_suggested
from assess.queries.reading_modes import reading_modes
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_in
from pooling.queries.images import images_by_docno
from pooling.scale import Grade
from pooling.schedule import shown_time

READERS = (Role.ADJUDICATOR, Role.READER)
MATRIX_KEYS = ("cohen", "cohen-linear", "cohen-quadratic", "cohen-binary", "scott", "ac1", "percent")
PAIRS_A_PAGE = 50
DRIFT_JUDGES = 8  # more judges than this get no columns of their own


class AgreementRequest(NamedTuple):
    """The options of the page. key: coefficient of the matrix. first, second: two judges, or ""."""

    scope: AgreementScope
    key: str
    first: str
    second: str
    periods: str
    page: str

    @property
    def query_without_judges(self) -> str:
        """The query string of all options but the two judges, without their defaults."""
        chosen = {
            "topic": self.scope.topic.number if self.scope.topic else "",
            "of": self.key if self.key != MATRIX_KEYS[0] else "",
            "machines": "on" if self.scope.machines else "",
            "sure": "on" if self.scope.sure else "",
            "read": self.scope.read,
            "by": self.periods,
        }
        return urlencode({name: value for name, value in chosen.items() if value})

    @property
    def query(self) -> str:
        """The query string of all options."""
        return urlencode(
            {"first": self.first, "second": self.second}
        ) + f"&{self.query_without_judges}" * bool(self.query_without_judges)


def agreement_request(request: UserRequest, campaign: Campaign) -> AgreementRequest:
    """Return the options of a request. Unknown values are replaced by their defaults."""
    query = request.GET
    topic = campaign.topics.filter(number=query.get("topic", "")).first()
    machines, sure = query.get("machines") == "on", query.get("sure") == "on"
    read = query.get("read", "") if query.get("read") in (PASSAGE, WHOLE) else ""
    scope = agreement_scope(CampaignReads(campaign), topic, machines, request.user, sure, read)
    first, second = query.get("first", ""), query.get("second", "")
    judges = scope.matrix.labels.judges
    if first not in judges or second not in judges or first == second:
        first, second = worst_pair(scope)
    key, periods = query.get("of", ""), query.get("by", "")
    return AgreementRequest(
        scope,
        key if key in MATRIX_KEYS else MATRIX_KEYS[0],
        first,
        second,
        periods if periods in PERIODS else THIRDS,
        query.get("page", ""),
    )


def common_context(options: AgreementRequest) -> dict[str, Any]:
    """Return the context that every part needs."""
    roles = options.scope.campaign.my_roles
    return {
        "campaign": options.scope.campaign,
        "reads": options.scope.reads,
        "options": options,
        "scope": options.scope,
        "names": options.scope.matrix.names,
        "opens": bool(roles & {Role.ORGANISER, Role.ADJUDICATOR}),
    }


def overall_part(options: AgreementRequest) -> dict[str, Any]:
    figures = overall_agreement(options.scope)
    return {
        "overall": figures,
        "suggested": count_suggested(options.scope.reads, options.scope.topic),
        "headline": figures.coefficients["light"],
        "columns": FAMILY_COLUMNS,
        "families": rows_by_family(figures.coefficients),
        "in_words": benchmark_labels(figures.coefficients),
        "scales": BENCHMARK_SCALES,
        "definitions": [REGISTRY[key] for key in figures.coefficients if not REGISTRY[key].binary],
        "bootstrap": BOOTSTRAP,
    }


def matrix_part(options: AgreementRequest) -> dict[str, Any]:
    return {
        "matrix": matrix_of_pairs(options.scope, options.key),
        "definition": REGISTRY[options.key],
        "offered": [REGISTRY[key] for key in MATRIX_KEYS],
    }


def pairs_part(options: AgreementRequest) -> dict[str, Any]:
    pages: Paginator[PairRow] = Paginator(PairRows(options.scope), PAIRS_A_PAGE)
    return {"pairs": pages.get_page(options.page)}


def confusion_part(options: AgreementRequest) -> dict[str, Any]:
    if not options.first:
        return {"pair": None}
    pair = agreement_of_pair(options.scope, options.first, options.second)
    return {
        "pair": pair,
        "columns": FAMILY_COLUMNS,
        "families": rows_by_family(pair.coefficients),
        "in_words": benchmark_labels(pair.coefficients),
        "scales": BENCHMARK_SCALES,
        "rows": confusion_rows(options.scope.campaign, pair),
        "totals": pair.counts.sum(axis=0).tolist(),
        "steps": kappa_steps(pair.counts, options.scope.matrix.labels.scale),
        "textbook": kappa_steps(TEXTBOOK, (0, 1)),
    }


def topics_part(options: AgreementRequest) -> dict[str, Any]:
    topics = agreement_by_topic(options.scope)
    titles = dict(options.scope.campaign.topics.values_list("number", "title"))
    fleiss = [each.coefficients["fleiss"].value for each in topics]
    plot = {
        "topic": [each.topic for each, value in zip(topics, fleiss, strict=True) if value is not None],
        "value": [round(value, 4) for value in fleiss if value is not None],
        "overall": overall_agreement(options.scope).coefficients["fleiss"].value,
        "name": "Fleiss' kappa",
    }
    rows = [(each, titles.get(each.topic, "")) for each in topics]
    return {"by_topic": rows, "plot": plot, "of_topic": TOPIC_COEFFICIENTS}


def judges_part(options: AgreementRequest) -> dict[str, Any]:
    return {"by_judge": agreement_by_judge(options.scope)}


def drift_part(options: AgreementRequest) -> dict[str, Any]:
    drift = drift_by_period(options.scope, options.periods)
    judges = drift.judges if len(drift.judges) <= DRIFT_JUDGES else []
    periods = [
        (begin, period, [period.rates.get(judge) for judge in judges])
        for begin, period in zip(drift.begins, drift.periods, strict=True)
    ]
    plot = {
        "begin": [shown_time(begin, options.scope.campaign.time_zone, "minute") for begin in drift.begins],
        "rate": [period.rate for period in drift.periods],
        "percent": [period.coefficients[0].value for period in drift.periods],
        "fleiss": [period.coefficients[1].value for period in drift.periods],
    }
    return {
        "drift": drift,
        "periods": periods,
        "by": PERIODS[options.periods],
        "drift_judges": judges,
        "drift_plot": plot,
    }


PARTS: dict[str, Callable[[AgreementRequest], dict[str, Any]]] = {
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
    options = agreement_request(request, campaign)
    context = common_context(options) | {
        "now": timezone.now(),
        "topics": campaign.topics.filter(number__in=options.scope.matrix.labels.topics),
        "offered_periods": PERIODS,
        "modes": reading_modes(options.scope, request.user),
        "parts": [f"assess/_{name}.html" for name in PARTS],
    }
    if options.first:
        context |= {name: context_of(options) for name, context_of in PARTS.items()}
    return render(request, "assess/agreement.html", context)


@require_GET
def agreement_news(request: UserRequest, slug: str) -> HttpResponse:
    """Answer 204 while the labels are unchanged; otherwise trigger `new-labels`, which reloads all parts."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    stamp = CampaignReads(campaign).version
    if (
        stamp == request.GET.get("at", "").partition("/")[0]
    ):  # after the slash: the documents that this user may not see
        return HttpResponse(status=204)
    context = {"campaign": campaign, "stamp": stamp, "now": timezone.now()}
    response = render(request, "assess/_agreement_news.html", context)
    return trigger_client_event(response, "new-labels")


@require_GET
def part(request: UserRequest, slug: str, name: str) -> HttpResponse:
    """Return one part of the page. name: a key of PARTS, set by the URL pattern."""
    options = agreement_request(request, campaign_or_404(request.user, slug, *READERS))
    return render(request, f"assess/_{name}.html", common_context(options) | {name: PARTS[name](options)})


def confusion_rows(campaign: Campaign, pair: PairReport) -> list[tuple[Grade, list[dict[str, Any]], int]]:
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


DOCUMENTS_A_PAGE = 50


@require_GET
def agreement_documents(request: UserRequest, slug: str) -> HttpResponse:
    """List the documents of a cell of the confusion matrix, or those on which the two judges disagree."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    options = agreement_request(request, campaign)
    cell = cell_of(request, options)
    keys = documents_of_cell(options.scope, options.first, options.second, cell) if options.first else []
    page = Paginator(keys, DOCUMENTS_A_PAGE).get_page(options.page)
    context = common_context(options) | {
        "cell": cell,
        "page": page,
        "rows": compared_documents(campaign, list(page), options.first, options.second),
        "query": options.query + (f"&row={cell[0]}&column={cell[1]}" if cell else ""),
    }
    return render(request, "assess/agreement_documents.html", context)


def cell_of(request: UserRequest, options: AgreementRequest) -> tuple[int, int] | None:
    """Return the grades of the requested cell, or None without one. Raises Http404 for an unknown grade."""
    values = request.GET.get("row"), request.GET.get("column")
    if values == (None, None):
        return None
    known = {str(grade.value): grade.value for grade in options.scope.campaign.grades}
    row, column = (known.get(grade or "") for grade in values)
    if row is None or column is None:
        raise Http404("The scale of this campaign does not have this grade.")
    return row, column


@require_GET
def agreement_document(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show a pooled document: its text and the label of every judge, with comment and evidence."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    pooled = get_object_or_404(pooled_in(campaign).select_related("topic"), pk=pk)
    if hidden_from(request.user, campaign).filter(pk=pk).exists():
        raise PermissionDenied(STILL_TO_JUDGE)
    document = campaign.documents.filter(docno=pooled.docno).first()
    images = images_by_docno(campaign, [pooled.docno]).get(pooled.docno, ())
    context = {
        "campaign": campaign,
        "pooled": pooled,
        "document": document,
        "language": language_in(campaign, document),
        "images": images,
        "sheet": document_view(text_in(campaign, document), (), images=images) if document else None,
        "judgments": labels_of_document(pooled),
    }
    return render(request, "assess/agreement_document.html", context)
