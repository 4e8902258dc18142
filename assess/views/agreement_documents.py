"""Documents behind the agreement figures, with the labels of all judges, for organisers and adjudicators."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest
from assess.queries.agreement_documents import compared, documents_of_cell, labels_of_document
from assess.queries.independence import STILL_TO_JUDGE, hidden_from
from assess.sheet import lay_out
from assess.views.agreements import Choice, choice_of, common
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import pooled_in

DOCUMENTS_A_PAGE = 50


@require_GET
def agreement_documents(request: UserRequest, slug: str) -> HttpResponse:
    """List the documents of a cell of the confusion matrix, or those on which the two judges disagree."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    choice = choice_of(request, campaign)
    cell = cell_of(request, choice)
    keys = documents_of_cell(choice.scope, choice.first, choice.second, cell) if choice.first else []
    page = Paginator(keys, DOCUMENTS_A_PAGE).get_page(choice.page)
    context = common(choice) | {
        "cell": cell,
        "page": page,
        "rows": compared(campaign, list(page), choice.first, choice.second),
        "query": choice.query + (f"&row={cell[0]}&column={cell[1]}" if cell else ""),
    }
    return render(request, "assess/agreement_documents.html", context)


def cell_of(request: UserRequest, choice: Choice) -> tuple[int, int] | None:
    """Return the grades of the requested cell, or None without one. Raises Http404 for an unknown grade."""
    values = request.GET.get("row"), request.GET.get("column")
    if values == (None, None):
        return None
    known = {str(grade.value): grade.value for grade in choice.scope.campaign.grades}
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
    context = {
        "campaign": campaign,
        "pooled": pooled,
        "document": document,
        "sheet": lay_out(document.text, ()) if document else None,
        "judgments": labels_of_document(pooled),
    }
    return render(request, "assess/agreement_document.html", context)
