"""Releases of qrels: the list with the draft of the next, a release with its files, and differences."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.views.decorators.http import require_GET, require_safe

from accounts.models import User
from accounts.requests import UserRequest, full_address, get_or_post
from assess import tasks
from assess.consensus import USES_SETTLED
from assess.forms.releases import DifferenceForm, ReleaseForm, default_form_values
from assess.models import QrelsRelease
from assess.queries import release_draft as draft_release_queries
from assess.queries.audits import machine_uses
from assess.queries.campaign_reads import CampaignReads
from assess.queries.extensions import selection_statements
from assess.queries.independence import sees_names
from assess.queries.release_draft import ReleasePreview
from assess.queries.release_states import WIDER, State, newer_release
from assess.queries.releases import (
    files_seen_by,
    judged_by_programs,
    manifest_seen_by,
    release_difference,
    why_file_is_hidden,
)
from assess.queries.run_parts import runs_without_part
from assess.release.citation import bibtex, citation
from assess.release.diff import difference_lines, transition_table
from assess.release.formats import MANIFEST, QRELS, kind_of
from assess.release.judge_counts import judge_counts, judged_elsewhere, labels_of_judges
from assess.release.plan import ReleasePlan, plan_to_json
from assess.services.releases import (
    NothingToRelease,
    ReleaseConflict,
    VerdictNotAccepted,
    announce_release,
    release_qrels,
)
from assess.views.downloads import download
from pooling.models import Campaign, Job, Role
from pooling.queries.campaigns import campaign_or_404, unfinished_jobs, visible_runs
from pooling.services.jobs import start_job
from pooling.views.confirmation import ACCEPTED, confirmation_page, is_confirmed

READERS = (Role.ADJUDICATOR, Role.READER, Role.PARTICIPANT)
CHANGES_A_PAGE = 100


@get_or_post
def release_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the releases, and for organisers the draft of the next. A POST asks, then freezes the draft."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    reads, form = CampaignReads(campaign), None
    if request.method == "POST":
        campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
        form = ReleaseForm(request.POST, reads=reads)
        if form.is_valid():
            preview = draft_release_queries.release_preview(reads, form.plan())
            uses = machine_uses(reads, form.plan())
            asks_acceptance = not all(use.is_allowed for use in uses)
            if preview.is_new and not is_confirmed(request, accept=asks_acceptance):
                return confirmation_page(
                    request,
                    campaign,
                    "assess/confirm/release_list.html",
                    rule=form.plan().rule,
                    uses_settled=form.plan().rule in USES_SETTLED,
                    preview=preview,
                    selection=selection_statements(campaign, preview.numbers),
                    uses=uses,
                    asks_acceptance=asks_acceptance,
                )
            if preview.is_new:
                freeze_draft(request, campaign, form)
                return redirect("assess:release_list", slug)
            messages.warning(request, why_nothing_is_new(preview))
    releases = campaign.releases.visible_to(campaign)
    context = {"campaign": campaign, "reads": reads, "releases": releases}
    if Role.ORGANISER in campaign.my_roles:
        context["jobs"] = unfinished_jobs(campaign, tasks.freeze_release)
        context |= draft_context(reads, form or ReleaseForm(draft_values(request, reads), reads=reads))
    return render(request, "assess/release_list.html", context)


def why_nothing_is_new(preview: ReleasePreview) -> str:
    if preview.lines:
        return f"Nothing was frozen: {preview.last} has the same judgments."
    return "Nothing has been judged in this scope, so there are no qrels to release."


def freeze_draft(request: UserRequest, campaign: Campaign, form: ReleaseForm) -> None:
    """Freeze the draft and add a message."""
    try:
        release = freeze_or_start(campaign, request.user, form.plan(), form.latest, ACCEPTED in request.POST)
    except (NothingToRelease, ReleaseConflict, VerdictNotAccepted) as error:
        messages.warning(request, str(error))
        return
    if isinstance(release, QrelsRelease):
        count = release.line_count
        messages.success(request, f"{release} is frozen with {count:,} judgment{pluralize(count)}.")


def freeze_or_start(
    campaign: Campaign, organiser: User, plan: ReleasePlan, after: int, accepted: bool
) -> QrelsRelease | Job:
    """Freeze a release, or start the background job that freezes a large one.

    after: the number of the last release that the organiser has seen. accepted: whether the organiser accepts
    machine labels that no audit allows for this use. Raises NothingToRelease and ReleaseConflict, and
    VerdictNotAccepted if this is needed.
    """
    reads = CampaignReads(campaign)
    against = [use.warning for use in machine_uses(reads, plan) if use.warning]
    if against and not accepted:
        raise VerdictNotAccepted(f"{' '.join(against)} Freeze with accept_verdict to use its labels anyway.")
    if reads.judgments_of_people().count() > settings.BACKGROUND_LABELS:
        about = {"plan": plan_to_json(plan), "number": after + 1, "accepted": accepted}
        title = f"Freeze v{about['number']} of the qrels"
        return start_job(campaign, organiser, tasks.freeze_release, title, about)
    return release_qrels(campaign, organiser, plan, frozen=announce_release, after=after, accepted=accepted)


def draft_values(request: UserRequest, reads: CampaignReads) -> QueryDict:
    return request.GET if "rule" in request.GET else default_form_values(reads)


@require_GET
def release_preview(request: UserRequest, slug: str) -> HttpResponse:
    """Return the preview of the draft for the values of the form."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    reads = CampaignReads(campaign)
    form = ReleaseForm(draft_values(request, reads), reads=reads)
    context = {"campaign": campaign, **draft_context(reads, form)}
    return render(request, "assess/_release_preview.html", context)


def draft_context(reads: CampaignReads, form: ReleaseForm) -> dict[str, Any]:
    """Return the context of the preview. preview: None if the form is invalid.

    uses: of the machine judges that it names, with the verdicts of their audits.
    """
    if not form.is_valid():
        return {"form": form, "preview": None}
    plan = form.plan()
    preview = draft_release_queries.release_preview(reads, plan)
    return {
        "form": form,
        "preview": preview,
        "selection": selection_statements(reads.campaign, preview.numbers),
        "uses": machine_uses(reads, plan),
    }


@require_GET
def release(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a release: its plan, its files and its citation."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    manifest = manifest_seen_by(frozen, campaign)
    files = files_seen_by(request.user, campaign, frozen)
    public = reverse("metrics:public_release", args=[slug, number])
    address = full_address(request, public if frozen.is_public else request.get_full_path())
    context = {
        "campaign": campaign,
        "release": frozen,
        "manifest": manifest,
        "judges": judge_counts(frozen.manifest),
        "labels_of_judges": labels_of_judges(manifest),
        "elsewhere": manifest.get("judged_elsewhere", judged_elsewhere(manifest.get("judges", {}))),
        "plan": manifest.get("plan", {}),
        "files": [(file, kind_of(file.kind), file_name(frozen, file.kind)) for file in files],
        "grades": [(int(grade), count) for grade, count in manifest.get("grades", {}).items()],
        "citation": citation(manifest).partition("\n\n")[0] if "organisers" in manifest else "",
        "bibtex": bibtex(manifest, address if frozen.is_public else "") if "organisers" in manifest else "",
        "address": address,
        "newer": newer_release(frozen),
        "without_part": runs_without_part(frozen, visible_runs(request.user, campaign).active()),
        "wider": WIDER[State(frozen.state)],
        "topics_by_programs": judged_by_programs(frozen).topics,
    }
    return render(request, "assess/release.html", context)


def file_name(release: QrelsRelease, kind: str) -> str:
    return f"{release.campaign.slug}-{kind}-v{release.number}{kind_of(kind).suffix}"


@require_safe
def release_file(request: UserRequest, slug: str, number: int, kind: str) -> HttpResponseBase:
    campaign = campaign_or_404(request.user, slug, *READERS)
    frozen = get_object_or_404(campaign.releases.visible_to(campaign), number=number)
    return file_response(request, request.user, campaign, frozen, kind)


def file_response(
    request: HttpRequest, user: User, campaign: Campaign, release: QrelsRelease, kind: str
) -> HttpResponseBase:
    """Return a file of a release if the user may have it. Raises PermissionDenied and Http404.

    A user who may not see names of judges gets the manifest with numbers instead of names.
    """
    stored = get_object_or_404(release.files, kind=kind)
    if kind == MANIFEST and not sees_names(campaign):
        return JsonResponse(
            manifest_seen_by(release, campaign),
            json_dumps_params={"indent": 2, "ensure_ascii": False},
        )
    if refusal := why_file_is_hidden(user, campaign, kind):
        raise PermissionDenied(refusal)
    return download(request, stored, file_name(release, kind))


@require_safe
def qrels_file(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return release_file(request, slug, number, QRELS)


@require_safe
def qrels_manifest(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    return release_file(request, slug, number, MANIFEST)


@require_GET
def release_diff(request: UserRequest, slug: str) -> HttpResponse:
    """Show the differences between two releases: totals, grades, topics and documents."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    form = DifferenceForm(request.GET, campaign=campaign)
    context: dict[str, Any] = {"campaign": campaign, "form": form}
    if form.is_valid() and form.both and form.count > 1:
        difference = release_difference(*form.both)
        changes = form.chosen(difference.changes)
        grades, table = transition_table(difference.transitions, [grade.value for grade in campaign.grades])
        context |= {
            "first": form.both[0],
            "second": form.both[1],
            "pair_query": f"first={form.both[0].number}&second={form.both[1].number}",
            "difference": difference,
            "grades": grades,
            "table": table,
            "page": Paginator(changes, CHANGES_A_PAGE).get_page(request.GET.get("page")),
            "query": form.query(),
        }
    return render(request, "assess/release_diff.html", context)


@require_GET
def release_diff_tsv(request: UserRequest, slug: str) -> StreamingHttpResponse:
    campaign = campaign_or_404(request.user, slug, *READERS)
    form = DifferenceForm(request.GET, campaign=campaign)
    if not (form.is_valid() and form.both):
        raise Http404("Choose two releases that exist.")
    first, second = form.both
    changes = form.chosen(release_difference(first, second).changes)
    name = f"{slug}-qrels-v{first.number}-v{second.number}.tsv"
    return StreamingHttpResponse(
        difference_lines(changes),
        content_type="text/tab-separated-values; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
