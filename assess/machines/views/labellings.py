"""Labellings by language models: batch files out, result files back, and the labels that come of them."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.files import File
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.machines import tasks
from assess.machines.batch import RESULT_EXAMPLE
from assess.machines.forms import LabellingForm
from assess.machines.model_families import runs_of_family
from assess.machines.queries.endpoints import jobs_of
from assess.machines.queries.labellings import (
    count_requests,
    estimate,
    machine_grades,
    probe_effects,
)
from assess.machines.queries.requests import (
    batch_lines,
    batch_parts,
    count_parts,
    counts,
    unreadable_requests,
)
from assess.machines.services.labellings import (
    LabellingDetails,
    check_labelling,
    create_labelling,
    start_creation,
)
from assess.machines.services.requests import start_storing, store_machine_labels
from assess.machines.services.results import load_results, start_loading
from assess.models import MachineLabelling
from pooling.formats.files import BadFile
from pooling.forms.files import FileForm
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs
from pooling.refusals import Refused
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed

REPLIES_A_PAGE = 50


@get_or_post
def labelling_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the labellings. A POST creates one, after a page with its requests, tokens and cost."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = LabellingForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        details = form.details()
        try:
            check_labelling(campaign, details)
            if not is_confirmed(request):
                return creation_confirmation(request, campaign, details)
            labelling = create_or_start(request, campaign, details)
        except Refused as error:
            form.add_error(None, str(error))
        else:
            if labelling is None:
                return redirect("assess:labelling_list", slug)
            messages.success(request, f"{labelling} is created. Nothing has been sent.")
            return redirect("assess:labelling", slug, labelling.number)
    labellings = campaign.labellings.select_related("prompt", "machine__user")
    rows = [(labelling, counts(labelling)) for labelling in labellings]
    jobs = unfinished_jobs(campaign, tasks.create_requests)
    context = {"campaign": campaign, "form": form, "rows": rows, "jobs": jobs}
    return render(request, "assess/machines/labelling_list.html", context)


def create_or_start(
    request: UserRequest, campaign: Campaign, details: LabellingDetails
) -> MachineLabelling | None:
    """Create a labelling; for many requests start the job that does it, and return None."""
    most = settings.BACKGROUND_REQUESTS
    if count_requests(campaign, details.options, details.scope, most + 1) <= most:
        return create_labelling(campaign, request.user, details)
    start_creation(campaign, request.user, details, tasks.create_requests)
    return None


def creation_confirmation(
    request: UserRequest, campaign: Campaign, details: LabellingDetails
) -> HttpResponse:
    """Ask before a labelling is created."""
    prices = details.input_price, details.output_price
    return confirmation_page(
        request,
        campaign,
        "assess/machines/confirm/labelling_list.html",
        details=details,
        estimate=estimate(campaign, details.prompt, details.options, details.scope, prices),
        family=family_runs(campaign, details.model),
    )


def family_runs(campaign: Campaign, model: str) -> list[str]:
    return runs_of_family(model, campaign.runs.active().values_list("tag", "description"))


@get_or_post
def labelling(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a labelling: counts, batch files, replies without a grade. A POST loads a result file."""
    campaign, labelling = labelling_or_404(request, slug, number)
    form, refused = FileForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            load_or_start(request, labelling, form.cleaned_data["file"])
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:labelling", slug, number)
    replies = Paginator(unreadable_requests(labelling), REPLIES_A_PAGE).get_page(request.GET.get("page"))
    jobs = jobs_of(labelling, tasks.load_results, tasks.store_labels, tasks.ask_endpoint)
    context = {
        "campaign": campaign,
        "labelling": labelling,
        "form": form,
        "refused": refused,
        "counts": counts(labelling),
        "settings": settings_of(labelling),
        "parts": batch_parts(labelling),
        "effects": probe_effects(labelling),
        "replies": replies,
        "result_example": RESULT_EXAMPLE,
        "family": family_runs(campaign, labelling.model),
        "jobs": jobs.select_related("user", "campaign")[:1],
        "is_busy": jobs.filter(state__in=Job.UNFINISHED).exists(),
    }
    return render(request, "assess/machines/labelling.html", context)


def load_or_start(request: UserRequest, labelling: MachineLabelling, file: File[Any]) -> None:
    """Load a result file, or start the job that loads a large one. Raises BadFile and Refused."""
    if file.size > settings.BACKGROUND_RESULTS:
        start_loading(labelling, request.user, file, tasks.load_results)
        return
    loaded = load_results(labelling, request.user, read_upload(file), file.name or "")
    messages.success(request, str(loaded))


def settings_of(labelling: MachineLabelling) -> list[tuple[str, Any]]:
    """Return the options that have a value, with their labels in the form, and the scope."""
    fields, scope = LabellingForm.base_fields, labelling.scope
    options = [
        (str(fields[name].label or name.capitalize()), _shown(labelling.options.get(name)))
        for name in LabellingForm.OPTIONS
        if labelling.options.get(name) not in (None, "", 0) or name == "temperature"
    ]
    topics = ", ".join(scope.get("topics") or []) or "all"
    documents = "without a label of a person" if scope.get("unlabelled") else "all"
    return [("Topics", topics), ("Documents", documents), *options]


def _shown(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, float) else value


@require_GET
def labelling_batch(request: UserRequest, slug: str, number: int, part: int) -> StreamingHttpResponse:
    """Send a batch file: the requests of a part that have no answer yet, as JSON Lines."""
    _, labelling = labelling_or_404(request, slug, number)
    if not 1 <= part <= count_parts(labelling):
        raise Http404("There is no such part.")
    name = f"{slug}-labelling-{number}-part-{part}.jsonl"
    return StreamingHttpResponse(
        batch_lines(labelling, part),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@post_from("assess:labelling", "number")
def labelling_labels(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Store the labels of a machine judge, after a page that says how many there are."""
    campaign, labelling = labelling_or_404(request, slug, number)
    try:
        if not is_confirmed(request):
            return labels_confirmation(request, labelling)
        if labelling.requests.count() > settings.BACKGROUND_REQUESTS:
            start_storing(labelling, request.user, tasks.store_labels)
            return redirect("assess:labelling", slug, number)
        machine = store_machine_labels(labelling, request.user)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("assess:labelling", slug, number)
    labels = machine.user.judgments.count()
    messages.success(request, f"{labels:,} label{pluralize(labels)} of {machine} stored.")
    return redirect("assess:machine_list", slug)


def labels_confirmation(request: UserRequest, labelling: MachineLabelling) -> HttpResponse:
    """Ask before the labels of a labelling are stored."""
    grades, state = machine_grades(labelling), counts(labelling)
    return confirmation_page(
        request,
        labelling.campaign,
        "assess/machines/confirm/labelling_labels.html",
        labelling=labelling,
        grades=grades,
        labels=len(grades.grades),
        unanswered=state.requests - state.answered,
    )


def labelling_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, MachineLabelling]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    rows = campaign.labellings.select_related("prompt", "machine__user", "created_by")
    labelling = get_object_or_404(rows, number=number)
    labelling.campaign = campaign
    return campaign, labelling
