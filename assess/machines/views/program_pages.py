"""The pages of programs that label by files: their list, and one with its requests, files and replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.requests import UserRequest, request_key
from assess.machines.services.program_files import ProgramFiles, load_file, withdraw_file
from pooling.formats.files import BadFile
from pooling.forms.files import FileForm
from pooling.refusals import Refused
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed

REPLIES_A_PAGE = 50


def list_page(
    request: UserRequest,
    form: BaseForm,
    create: Callable[[str], Any],
    page: str,
    template: str,
    context: dict[str, Any],
) -> HttpResponse:
    """List programs. A POST makes one. create: takes the key of a request. page: name of a program's URL."""
    campaign = context["campaign"]
    if request.method == "POST" and form.is_valid():
        try:
            stored = create(request_key(request))
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect(page, campaign.slug, stored.number)
    return render(request, template, context | {"form": form, "page_url": page})


def load_from(
    request: UserRequest, files: ProgramFiles, program: Any, page: str
) -> HttpResponse | dict[str, Any]:
    """Load the file of a POST and return the redirect to the page; otherwise return context of the page.

    page: name of its URL.
    """
    form, refused = FileForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            loaded = load_file(files, program, request.user, read_upload(file), file.name)
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, str(loaded))
            return redirect(page, program.campaign.slug, program.number)
    return {
        "campaign": program.campaign,
        "program": program,
        "form": form,
        "refused": refused,
        "noun": files.noun,
        "requests_url": f"{page}_requests",
        "withdraw_url": f"{page}_withdraw",
    }


def program_page(
    request: UserRequest, template: str, replies: QuerySet[Any], context: dict[str, Any]
) -> HttpResponse:
    """Show a program. replies: those without a readable label."""
    shown = Paginator(replies, REPLIES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, template, context | {"replies": shown})


def requests_file(lines: Iterable[str], name: str) -> StreamingHttpResponse:
    """Send requests as JSON Lines."""
    return StreamingHttpResponse(
        lines,
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def withdraw_page(
    request: UserRequest, files: ProgramFiles, program: Any, loads: QuerySet[Any], pk: int, page: str
) -> HttpResponse:
    """Ask, then withdraw a file of results. page: name of the URL of the program."""
    load = get_object_or_404(loads, pk=pk)
    if not is_confirmed(request):
        confirmation = "assess/machines/confirm/program_withdraw.html"
        about = {"program": program, "load": load, "noun": files.noun, "page_url": page}
        return confirmation_page(request, program.campaign, confirmation, **about)
    try:
        withdraw_file(files, load, request.user)
    except Refused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"{load} is withdrawn. Its {files.noun}s count nowhere.")
    return redirect(page, program.campaign.slug, program.number)
