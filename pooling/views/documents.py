"""The documents that judges read."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from pooling import tasks
from pooling.formats.documents.reading import DocumentReader
from pooling.formats.files import BadFile
from pooling.forms.documents import DocumentsForm
from pooling.forms.tables import field_choices
from pooling.intake.tables import UnclearFields
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.queries.documents import docnos_without_text, unfinished_imports
from pooling.queries.reads import PoolingReads
from pooling.services.documents import (
    ReplacementRefused,
    check_documents,
    document_reader,
    holds_images,
    import_documents,
    start_import,
)
from pooling.services.images import import_images


@get_or_post
def document_list(request: UserRequest, slug: str) -> HttpResponse:
    """Say which texts there are; a POST without JavaScript loads files and reports here."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = DocumentsForm()
    lines: list[dict[str, Any]] = []
    if request.method == "POST":
        form, lines = import_all(request, campaign)
    context = {
        "campaign": campaign,
        "form": form,
        "report": lines,
        "texts": PoolingReads(campaign).texts,
        "stored": campaign.documents.count(),
        "image_count": campaign.images.count(),
        "jobs": unfinished_imports(campaign),
    }
    return render(request, "pooling/document_list.html", context)


@post_from("pooling:document_list")
def document_report(request: UserRequest, slug: str) -> HttpResponse:
    """Load what was chosen; answer with a line for every file."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, lines = import_all(request, campaign)
    context = {"campaign": campaign, "form": form, "report": lines}
    return render(request, "pooling/_document_report.html", context)


def import_all(request: UserRequest, campaign: Campaign) -> tuple[DocumentsForm, list[dict[str, Any]]]:
    form = DocumentsForm(request.POST, request.FILES)
    if not form.is_valid():
        return form, []
    return form, [import_one(request, campaign, form, file) for file in form.cleaned_data["file"]]


def import_one(
    request: UserRequest, campaign: Campaign, form: DocumentsForm, file: UploadedFile[Any]
) -> dict[str, Any]:
    """Load one file, or all in a zip archive, or begin a job if it is large; answer with its line."""
    data, name = form.cleaned_data, file.name or ""
    keeps_pooled = data["keep"] == "pooled"

    def in_a_job(held_message: str = "") -> Job:
        written = {"name": name, "form": data["form"], "elements": form.data.get("elements", "").strip()}
        choices = {"pooled_only": keeps_pooled, "replace": data["replace"], "fields": data["map"]}
        about = written | choices
        return start_import(campaign, request.user, tasks.import_documents, file, about, held_message)

    if (file.size or 0) > settings.BACKGROUND_BYTES:
        return {"name": name, "job": in_a_job()}
    try:
        if holds_images(file, data["form"]):
            return {
                "name": name,
                "images": import_images(campaign, file, name, keeps_pooled, by=request.user),
            }
    except BadFile as error:
        return {"name": name, "refused": error, "images": True}

    def reread() -> DocumentReader:
        file.seek(0)
        return document_reader(file, name, data["form"], data["elements"], data["map"])

    try:
        if keeps_pooled and not campaign.pools.exists():
            return {"name": name, "job": in_a_job(check_documents(reread()))}
        done = import_documents(campaign, reread, keeps_pooled, by=request.user, replace=data["replace"])
        return {"name": name, "done": done}
    except ReplacementRefused as error:
        return {"name": name, "refused": error, "asks": error}
    except UnclearFields as error:
        return {"name": name, "refused": error, "choices": field_choices(error, data["map"])}
    except BadFile as error:
        return {"name": name, "refused": error}


@require_GET
def documents_missing(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    lines = "".join(f"{docno}\n" for docno in docnos_without_text(campaign))
    return attachment(lines, f"{slug}-documents-missing.txt", "text/plain; charset=utf-8")


def attachment(content: str, name: str, kind: str) -> HttpResponse:
    return HttpResponse(content, kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})
