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
from django.urls import reverse
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.machines import tasks
from assess.machines.forms import LabellingForm
from assess.machines.model_families import runs_of_family
from assess.machines.queries.endpoints import jobs_of
from assess.machines.queries.labellings import (
    Estimate,
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
from pooling.views.confirmation import Confirmation, confirmation_page, is_confirmed

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
                asked = creation_confirmation(campaign, details)
                return confirmation_page(request, campaign, asked, "Judging")
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


def creation_confirmation(campaign: Campaign, details: LabellingDetails) -> Confirmation:
    """Return what the page says before a labelling is created."""
    prices = details.input_price, details.output_price
    found = estimate(campaign, details.prompt, details.options, details.scope, prices)
    warnings = []
    if tags := family_runs(campaign, details.model):
        warnings.append(family_warning(tags))
    if found.without_text:
        these = f"{found.without_text:,} document{pluralize(found.without_text)}"
        warnings.append(f"{these} without a text cannot be sent.")
    if (wanted := details.scope["probes"]) > found.probes:
        warnings.append(
            f"Only {found.probes:,} of {wanted:,} probes: so many documents are labelled not relevant."
        )
    return Confirmation(
        "Create a labelling",
        f"{details.name}: {details.prompt}, {details.model}. Nothing is sent: the requests are stored, "
        "and you can download them.",
        f"Create {found.requests:,} request{pluralize(found.requests)}",
        reverse("assess:labelling_list", args=[campaign.slug]),
        estimate_facts(found, details.options["samples"]),
        warnings,
    )


def estimate_facts(found: Estimate, samples: int) -> list[tuple[str, str]]:
    facts = [
        ("Documents", f"{found.documents:,}"),
        ("Samples of each document", f"{samples:,}"),
        ("Probes", f"{found.probes:,}, with three requests each"),
        ("Requests", f"{found.requests:,}"),
        ("Tokens sent, estimated", f"{found.input_tokens:,}, the texts at 4 characters a token"),
        ("Tokens received, at most", f"{found.output_tokens:,}"),
    ]
    if found.cost is not None:
        facts.append(("Cost, estimated", f"at most {found.cost:,.2f}, if no answer can be reused"))
    return facts


def family_runs(campaign: Campaign, model: str) -> list[str]:
    return runs_of_family(model, campaign.runs.active().values_list("tag", "description"))


def family_warning(tags: list[str]) -> str:
    named = ", ".join(tags[:5]) + (f" and {len(tags) - 5} more" if len(tags) > 5 else "")
    return (
        f"The name of the model has a word in common with the tag or description of {named}. Only words are "
        "compared. If these runs use a model of the same family, their labels may favour them."
    )


@get_or_post
def labelling(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a labelling: counts, batch files, replies without a grade. A POST loads a result file."""
    campaign, found = labelling_or_404(request, slug, number)
    form, refused = FileForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            load_or_start(request, found, form.cleaned_data["file"])
        except BadFile as error:
            refused = error
        except Refused as error:
            form.add_error(None, str(error))
        else:
            return redirect("assess:labelling", slug, number)
    replies = Paginator(unreadable_requests(found), REPLIES_A_PAGE).get_page(request.GET.get("page"))
    tags = family_runs(campaign, found.model)
    jobs = jobs_of(found, tasks.load_results, tasks.store_labels, tasks.ask_endpoint)
    context = {
        "campaign": campaign,
        "labelling": found,
        "form": form,
        "refused": refused,
        "counts": counts(found),
        "settings": settings_of(found),
        "parts": batch_parts(found),
        "effects": probe_effects(found),
        "replies": replies,
        "warnings": [family_warning(tags)] if tags else [],
        "jobs": jobs.select_related("user", "campaign")[:1],
        "is_busy": jobs.filter(state__in=Job.UNFINISHED).exists(),
    }
    return render(request, "assess/machines/labelling.html", context)


def load_or_start(request: UserRequest, found: MachineLabelling, file: File[Any]) -> None:
    """Load a result file, or start the job that loads a large one. Raises BadFile and Refused."""
    if file.size > settings.BACKGROUND_RESULTS:
        start_loading(found, request.user, file, tasks.load_results)
        return
    loaded = load_results(found, request.user, read_upload(file), file.name or "")
    messages.success(request, str(loaded))


def settings_of(found: MachineLabelling) -> list[tuple[str, Any]]:
    """Return the options that have a value, with their labels in the form, and the scope."""
    fields, scope = LabellingForm.base_fields, found.scope
    options = [
        (str(fields[name].label or name.capitalize()), _shown(found.options.get(name)))
        for name in LabellingForm.OPTIONS
        if found.options.get(name) not in (None, "", 0) or name == "temperature"
    ]
    topics = ", ".join(scope.get("topics") or []) or "all"
    documents = "without a label of a person" if scope.get("unlabelled") else "all"
    return [("Topics", topics), ("Documents", documents), *options]


def _shown(value: Any) -> Any:
    return f"{value:g}" if isinstance(value, float) else value


@require_GET
def labelling_batch(request: UserRequest, slug: str, number: int, part: int) -> StreamingHttpResponse:
    """Send a batch file: the requests of a part that have no answer yet, as JSON Lines."""
    _, found = labelling_or_404(request, slug, number)
    if not 1 <= part <= count_parts(found):
        raise Http404("There is no such part.")
    name = f"{slug}-labelling-{number}-part-{part}.jsonl"
    return StreamingHttpResponse(
        batch_lines(found, part),
        content_type="application/jsonl; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@post_from("assess:labelling", "number")
def labelling_labels(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Store the labels of a machine judge, after a page that says how many there are."""
    campaign, found = labelling_or_404(request, slug, number)
    try:
        if not is_confirmed(request):
            return confirmation_page(request, campaign, labels_confirmation(found), "Judging")
        if found.requests.count() > settings.BACKGROUND_REQUESTS:
            start_storing(found, request.user, tasks.store_labels)
            return redirect("assess:labelling", slug, number)
        machine = store_machine_labels(found, request.user)
    except Refused as error:
        messages.error(request, str(error))
        return redirect("assess:labelling", slug, number)
    labels = machine.user.judgments.count()
    messages.success(request, f"{labels:,} label{pluralize(labels)} of {machine} stored.")
    return redirect("assess:machine_list", slug)


def labels_confirmation(found: MachineLabelling) -> Confirmation:
    """Return what the page says before the labels of a labelling are stored."""
    grades, state = machine_grades(found), counts(found)
    labels = len(grades.grades)
    warnings = []
    if unanswered := state.requests - state.answered:
        these = f"{unanswered:,} request{pluralize(unanswered, ' has,s have')}"
        warnings.append(f"{these} no answer. None can be added later.")
    return Confirmation(
        "Store labels",
        f"The labels are those of the machine judge {found.name}. Judges do not see them, and a release uses "
        "them only if you select this judge. They cannot be changed afterwards.",
        f"Store {labels:,} label{pluralize(labels)}",
        reverse("assess:labelling", args=[found.campaign.slug, found.number]),
        [
            ("Labels", f"{labels:,}"),
            (
                "Documents whose samples have no single most frequent grade",
                f"{grades.ties:,}, without a label",
            ),
            ("Documents without a readable grade", f"{grades.missing:,}, without a label"),
        ],
        warnings,
    )


def labelling_or_404(request: UserRequest, slug: str, number: int) -> tuple[Campaign, MachineLabelling]:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    rows = campaign.labellings.select_related("prompt", "machine__user", "created_by")
    found = get_object_or_404(rows, number=number)
    found.campaign = campaign
    return campaign, found
