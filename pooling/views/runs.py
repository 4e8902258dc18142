"""Pages of runs: the list, the submission with its report, one run."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from pooling import tasks
from pooling.formats.archives import is_zip
from pooling.formats.files import BadFile
from pooling.formats.run_checks import order_warnings, tag_from_name
from pooling.forms.runs import OrderForm, SubmissionForm
from pooling.forms.tables import field_choices
from pooling.intake.tables import UnclearFields
from pooling.limits import is_valid_name
from pooling.models import Campaign, Role, Run
from pooling.queries.campaigns import (
    campaign_or_404,
    group_of,
    own_runs,
    submitted_runs,
    unfinished_jobs,
)
from pooling.queries.receipts import receipt_of, receipt_text, run_with_metadata
from pooling.queries.runs import scored_lines
from pooling.queries.schedule import acceptance_for, why_runs_are_fixed
from pooling.services.jobs import start_job
from pooling.services.runs import Submission, TagTaken, run_files, submit_run


@get_or_post
def run_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the runs that this person may see; a POST without JavaScript submits and reports here."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    form = SubmissionForm(group=own_group(request, campaign))
    lines: list[dict[str, Any]] = []
    if request.method == "POST":
        form, lines = submit_all(request, slug)
    seen = submitted_runs(request.user, campaign).annotate_pooled()
    context = {
        "campaign": campaign,
        "runs": seen.active(),
        "withdrawn": seen.exclude(withdrawn_at=None).select_related("withdrawn_by"),
        "form": form,
        "report": lines,
        "jobs": unfinished_jobs(campaign, tasks.submit_runs) if Role.ORGANISER in campaign.my_roles else [],
        "waits_for_pool": Role.ORGANISER in campaign.my_roles and not campaign.pools.exists(),
        "may_submit": bool(campaign.my_roles & {Role.ORGANISER, Role.PARTICIPANT}),
        "acceptance": acceptance_for(campaign, request.user),
    }
    return render(request, "pooling/run_list.html", context)


@post_from("pooling:run_list")
def run_report(request: UserRequest, slug: str) -> HttpResponse:
    """Submit what was chosen; answer with a line for every file, and what is wrong in those refused."""
    form, lines = submit_all(request, slug)
    context = {"campaign": campaign_or_404(request.user, slug), "report": lines, "form": form}
    return render(request, "pooling/_run_report.html", context)


def submit_all(request: UserRequest, slug: str) -> tuple[SubmissionForm, list[dict[str, Any]]]:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    form = SubmissionForm(request.POST, request.FILES, group=own_group(request, campaign))
    if not form.is_valid():
        return form, []
    accepted = acceptance_for(campaign, request.user)
    if not accepted.accepts:
        form.add_error(None, accepted.sentence)
        return form, []
    lines = [
        line for file in form.cleaned_data["run_files"] for line in submit(request, campaign, form, file)
    ]
    if any(line.get("cure") for line in lines):
        form.data = {**request.POST.dict(), "tag_from": "name"}  # the next attempt is likely to need it
    return form, lines


def own_group(request: UserRequest, campaign: Campaign) -> str:
    """Return the group of a participant; empty for an organiser, who submits for any group."""
    return "" if Role.ORGANISER in campaign.my_roles else group_of(request.user, campaign)


def submit(
    request: UserRequest, campaign: Campaign, form: SubmissionForm, file: UploadedFile[Any]
) -> list[dict[str, Any]]:
    """Submit one file, or every file in a zip archive; answer with their lines of the report.

    An organiser's large archive becomes a job.
    """
    data, organiser = form.cleaned_data, Role.ORGANISER in campaign.my_roles
    lines: list[dict[str, Any]] = []
    name = file.name or ""
    given = ("group", "kind", "priority", "description", "order", "match_topics")
    submission = Submission("", fields=data["map"], **{name: data[name] for name in given})
    if organiser and (file.size or 0) > settings.BACKGROUND_BYTES and is_zip(file):
        work = {"name": name, "tag_from_name": data["tag_from"] == "name", "about": submission._asdict()}
        title = f"Submit the runs of {name}"
        job = start_job(campaign, request.user, tasks.submit_runs, title, work, file)
        return [{"name": name, "job": job}]
    try:
        for name, content in run_files(file, file.name or ""):
            about = submission._replace(tag=form.tag_of(name))
            try:
                lines.append({"run": submit_run(campaign, request.user, content, name, about)})
            except BadFile as error:
                lines.append({"name": name, "refused": error})
    except BadFile as error:  # the archive itself
        lines.append({"name": file.name, "refused": error})
    if len(lines) == 1:
        refused = lines[0].get("refused")
        if isinstance(refused, TagTaken):
            lines[0]["cure"] = free_tag(campaign, file.name or "")
        elif isinstance(refused, UnclearFields):
            lines[0]["choices"] = field_choices(refused, data["map"])
    return lines


def free_tag(campaign: Campaign, name: str) -> str:
    """Return the tag that a file's name gives; "" if it is no tag or is taken."""
    tag = tag_from_name(name)
    return tag if is_valid_name(tag) and not campaign.runs.filter(tag=tag).exists() else ""


@require_GET
def run(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    run = get_object_or_404(submitted_runs(request.user, campaign).annotate_pooled(), tag=tag)
    may_change = own_runs(request.user, campaign).filter(pk=run.pk).exists()
    context = {
        "campaign": campaign,
        "run": run,
        "may_change": may_change,
        "offers_order": may_change and not run.withdrawn_at and is_order_in_question(run),
        "order_form": OrderForm(initial={"order": run.order}),
        "why_fixed": why_runs_are_fixed(campaign, request.user) or why_order_is_fixed(run),
    }
    return render(request, "pooling/run.html", context)


def is_order_in_question(run: Run) -> bool:
    """Return whether the page of a run offers another order: a warning is about it, or one was chosen."""
    return run.order != Run.Order.SCORE or bool(order_warnings(run.warnings))


def why_order_is_fixed(run: Run) -> str:
    return f"The run {run.tag} is in a frozen pool, so its order cannot change." if run.pools.exists() else ""


@require_GET
def run_receipt(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Send the receipt of a run: plain text, or JSON where `format=json` is asked for."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    run = get_object_or_404(submitted_runs(request.user, campaign).select_related("campaign"), tag=tag)
    response: HttpResponse
    if request.GET.get("format") == "json":
        suffix, response = (
            "json",
            JsonResponse(receipt_of(run), json_dumps_params={"indent": 2, "ensure_ascii": False}),
        )
    else:
        suffix, response = "txt", HttpResponse(receipt_text(run), "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{run.tag}-receipt.{suffix}"'
    return response


@require_GET
def run_file(request: UserRequest, slug: str, tag: str) -> HttpResponseBase:
    """Send the submitted file; `format=ir_metadata` adds a header, `format=scored` sends what is scored."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    run = get_object_or_404(submitted_runs(request.user, campaign).select_related("campaign"), tag=tag)
    form = request.GET.get("format")
    if form == "scored":
        return scored_response(run)
    return run_response(run, form == "ir_metadata")


def scored_response(run: Run) -> HttpResponseBase:
    """Return the lines of a run in the order in which it is scored, as text."""
    name = content_disposition_header(True, f"{run.tag}-scored.txt") or ""
    headers = {"Content-Disposition": name}
    return StreamingHttpResponse(scored_lines(run), "text/plain; charset=utf-8", headers=headers)


def run_response(run: Run, with_metadata: bool) -> HttpResponseBase:
    """Return the file of a run, gzip, as it was submitted or with an ir_metadata header."""
    if not with_metadata:
        return FileResponse(run.original.open("rb"), as_attachment=True, filename=f"{run.tag}.gz")
    disposition = content_disposition_header(True, f"{run.tag}.gz") or ""
    return StreamingHttpResponse(
        run_with_metadata(run),
        content_type="application/gzip",
        headers={"Content-Disposition": disposition},
    )
