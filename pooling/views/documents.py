"""The documents that judges read."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post
from pooling import queries, services
from pooling.forms import (
    DocumentsForm,
)
from pooling.models import Campaign, Role
from pooling.queries import campaign_or_404
from pooling.textfile import BadFile
from pooling.trec import Reading


@get_or_post
def document_list(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, refused = DocumentsForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        refused = import_documents(request, campaign, form)
        if refused is None:
            return redirect("pooling:document_list", slug)
    missing = queries.docnos_without_text(campaign)
    context = {"campaign": campaign, "form": form, "refused": refused, "missing": missing}
    return render(request, "pooling/document_list.html", context | queries.document_counts(campaign))


def import_documents(request: UserRequest, campaign: Campaign, form: DocumentsForm) -> BadFile | None:
    data = form.cleaned_data
    file = data["file"]

    def reread() -> Reading:
        file.seek(0)
        return services.reading_of(file, file.name, data["form"], data["elements"])

    try:
        done = services.import_documents(campaign, reread, data["keep"] == "pooled")
    except BadFile as error:
        return error
    messages.success(request, f"{done.read:,} documents read from {file.name}, {done.kept:,} kept.")
    if done.repaired or done.repeated:
        odd = (
            f"{done.repaired:,} had characters that are not UTF-8, {done.repeated:,} came with a docno again."
        )
        messages.warning(request, odd)
    return None


@require_GET
def documents_missing(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    lines = "".join(f"{docno}\n" for docno in queries.docnos_without_text(campaign))
    return attachment(lines, f"{slug}-documents-missing.txt", "text/plain; charset=utf-8")


def attachment(content: str, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
