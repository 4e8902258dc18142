from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.core.files.uploadedfile import UploadedFile
from django.http import FileResponse, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from accounts.requests import UserRequest
from pooling import queries, services
from pooling.forms import (
    NEW_CAMPAIGN,
    CampaignForm,
    DocumentsForm,
    FileForm,
    JoinForm,
    MemberForm,
    PoolForm,
    SubmissionForm,
)
from pooling.models import Campaign, Role
from pooling.queries import campaign_or_404
from pooling.strategies import STRATEGIES
from pooling.textfile import BadFile
from pooling.trec import Reading

get_or_post = require_http_methods(["GET", "POST"])


# campaigns


@require_GET
def campaign_list(request: UserRequest) -> HttpResponse:
    campaigns = queries.campaigns_with_roles(request.user)
    return render(request, "pooling/campaign_list.html", {"campaigns": campaigns})


@get_or_post
def campaign_new(request: UserRequest) -> HttpResponse:
    form = CampaignForm(request.POST or None, initial=NEW_CAMPAIGN)
    if request.method == "POST" and form.is_valid():
        fields = {
            key: form.cleaned_data[key] for key in ("name", "slug", "grades", "threshold", "description")
        }
        campaign = services.create_campaign(request.user, **fields)
        return redirect("pooling:topic_list", campaign.slug)
    return render(request, "pooling/campaign_new.html", {"form": form})


# people


@get_or_post
def people(request: UserRequest, slug: str) -> HttpResponse:
    """List members; add one by sign-in name, or make a link for somebody who has none."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form, link = MemberForm(request.POST or None), ""
    if request.method == "POST" and form.is_valid():
        role, group = form.cleaned_data["role"], form.cleaned_data["group"]
        if username := form.cleaned_data["username"]:
            services.add_member(campaign, User.objects.get(username=username), role, group)
            return redirect("pooling:people", slug)
        link = request.build_absolute_uri(f"/invitations/{services.invite(campaign, role, group)}/")
    members = campaign.memberships.select_related("user")
    context = {"campaign": campaign, "members": members, "form": form, "link": link}
    return render(request, "pooling/people.html", context)


@require_POST
def member_remove(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    membership = get_object_or_404(campaign.memberships, pk=pk)
    if membership.user == request.user and membership.role == Role.ORGANISER:
        messages.warning(request, "You cannot remove yourself as organiser: ask another organiser to do it.")
    else:
        services.remove_member(membership)
    return redirect("pooling:people", slug)


@login_not_required
@get_or_post
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Join a campaign: as who is signed in, or with a new account."""
    try:
        invited = services.open_invitation(token)
    except services.InvitationSpent as error:
        return render(request, "pooling/invitation_spent.html", {"error": error}, status=410)
    form = JoinForm(request.POST or None)
    if request.method == "POST" and (request.user.is_authenticated or form.is_valid()):
        campaign = join(request, token, form)
        return redirect(campaign)
    return render(request, "pooling/invitation.html", {"invited": invited, "form": form})


def join(request: HttpRequest, token: str, form: JoinForm) -> Campaign:
    if isinstance(request.user, User):
        return services.accept_invitation(token, request.user).campaign
    membership = services.join_as_new_user(token, **form.cleaned_data)
    login(request, membership.user)
    return membership.campaign


# topics


@get_or_post
def topic_list(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug)
    form, refused = FileForm(), None
    if request.method == "POST":
        campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
        form = FileForm(request.POST, request.FILES)
        if form.is_valid():
            refused = load_topics(request, campaign, form.cleaned_data["file"])
            if refused is None:
                return redirect("pooling:topic_list", slug)
    topics = queries.topics_with_pool_sizes(campaign)
    context = {"campaign": campaign, "topics": topics, "form": form, "refused": refused}
    return render(request, "pooling/topic_list.html", context)


def load_topics(request: UserRequest, campaign: Campaign, file: UploadedFile[Any]) -> BadFile | None:
    try:
        count = services.load_topics(campaign, file.read(), file.name or "")
    except BadFile as error:
        return error
    messages.success(request, f"{count} topics loaded from {file.name}.")
    return None


@require_GET
def topic(request: UserRequest, slug: str, number: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug)
    found = get_object_or_404(queries.topics_with_pool_sizes(campaign), number=number)
    return render(request, "pooling/topic.html", {"campaign": campaign, "topic": found})


# runs


@get_or_post
def run_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the runs that this person may see; a POST without JavaScript submits and reports here."""
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    form = SubmissionForm(initial={"group": queries.group_of(request.user, campaign)})
    lines: list[dict[str, Any]] = []
    if request.method == "POST":
        form, lines = submit_all(request, slug)
    context = {
        "campaign": campaign,
        "runs": queries.runs_seen_by(request.user, campaign).annotate_pooled(),
        "form": form,
        "report": lines,
        "may_submit": bool(campaign.my_roles & {Role.ORGANISER, Role.PARTICIPANT}),
    }
    return render(request, "pooling/run_list.html", context)


@require_POST
def report(request: UserRequest, slug: str) -> HttpResponse:
    """Submit what was chosen; answer with a line for every file, and what is wrong in those refused."""
    form, lines = submit_all(request, slug)
    context = {"campaign": campaign_or_404(request.user, slug), "report": lines, "form": form}
    return render(request, "pooling/_report.html", context)


def submit_all(request: UserRequest, slug: str) -> tuple[SubmissionForm, list[dict[str, Any]]]:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT)
    group = queries.group_of(request.user, campaign)
    form = SubmissionForm(request.POST, request.FILES, initial={"group": group})
    if not form.is_valid():
        return form, []
    return form, [
        line for file in form.cleaned_data["run_files"] for line in submit(request, campaign, form, file)
    ]


def submit(
    request: UserRequest, campaign: Campaign, form: SubmissionForm, file: UploadedFile[Any]
) -> list[dict[str, Any]]:
    """Submit one file, or every file in a zip archive; answer with their lines of the report."""
    data, organiser = form.cleaned_data, Role.ORGANISER in campaign.my_roles
    lines: list[dict[str, Any]] = []
    group = data["group"] if organiser else queries.group_of(request.user, campaign) or data["group"]
    name = file.name or ""
    try:
        for name, content in services.run_files(file, file.name or ""):
            tag = form.tag_of(name)
            about = services.Submission(tag, group, data["kind"], data["priority"], data["description"])
            try:
                lines.append({"run": services.submit_run(campaign, request.user, content, name, about)})
            except BadFile as error:
                lines.append({"name": name, "refused": error})
    except BadFile as error:  # the archive itself
        lines.append({"name": file.name, "refused": error})
    return lines


@require_GET
def run(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    found = get_object_or_404(queries.runs_seen_by(request.user, campaign).annotate_pooled(), tag=tag)
    return render(request, "pooling/run.html", {"campaign": campaign, "run": found})


@require_GET
def run_file(request: UserRequest, slug: str, tag: str) -> FileResponse:
    campaign = campaign_or_404(request.user, slug, Role.PARTICIPANT, Role.READER, Role.ADJUDICATOR)
    found = get_object_or_404(queries.runs_seen_by(request.user, campaign), tag=tag)
    return FileResponse(found.original.open("rb"), as_attachment=True, filename=f"{found.tag}.gz")


# the pool


FIRST_DRAFT = {"strategy": "depth", "seconds": "30"}


@get_or_post
def pool(request: UserRequest, slug: str) -> HttpResponse:
    """Show the frozen pools and the draft of the next; a POST freezes the draft."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = PoolForm(request.POST if request.method == "POST" else FIRST_DRAFT | request.GET.dict())
    if request.method == "POST" and form.is_valid():
        try:
            frozen = services.freeze_pool(campaign, request.user, list(campaign.runs.all()), form.plan())
        except ValueError as error:
            messages.warning(request, str(error))
        else:
            size = frozen.manifest["documents"]
            messages.success(request, f"Pool {frozen.number} is frozen: {size:,} documents.")
        return redirect("pooling:pool", slug)
    return render(request, "pooling/pool.html", {"campaign": campaign, **draft(campaign, form)})


@require_GET
def pool_draft(request: UserRequest, slug: str) -> HttpResponse:
    """Recompute the draft as the organiser moves the controls."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    context = {"campaign": campaign, **draft(campaign, PoolForm(request.GET))}
    return render(request, "pooling/_pool_draft.html", context)


def draft(campaign: Campaign, form: PoolForm) -> dict[str, Any]:
    """Return what the draft fragment shows; without figures when controls or runs do not allow any."""
    context: dict[str, Any] = {"form": form, "run_count": campaign.runs.count()}
    if not context["run_count"] or not form.is_valid():
        return context
    try:
        drafted = queries.draft_of(campaign, campaign.runs.select_related("columns"), form.plan())
    except ValueError as error:
        form.add_error(None, str(error))
        return context
    seconds = form.cleaned_data["seconds"]
    plot = {
        "k": [str(k) for k, _ in drafted.by_depth],
        "documents": [total for _, total in drafted.by_depth],
        "chosen": str(form.cleaned_data.get("k", "")),
        "seconds": seconds,
    }
    return context | {"draft": drafted, "hours": drafted.size.hours(seconds), "plot": plot}


@require_GET
def pool_strategies(request: UserRequest, slug: str) -> HttpResponse:
    """Strategies side by side, at the cost of depth 10: asked for by the page once it is there."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    runs = list(campaign.runs.select_related("columns"))
    compared = queries.compared_plans(campaign, runs)
    rows = [
        (
            each,
            STRATEGIES[each.plan.strategy],
            urlencode({"strategy": each.plan.strategy, **each.plan.parameters}),
        )
        for each in compared
    ]
    context = {"campaign": campaign, "rows": rows, "overlap": queries.overlap_of(campaign, runs)}
    return render(request, "pooling/_pool_strategies.html", context)


@require_GET
def pool_docnos(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    found = get_object_or_404(campaign.pools, number=number)
    pairs = found.documents.order_by("topic__number", "docno").values_list("topic__number", "docno")
    lines = "".join(f"{topic} {docno}\n" for topic, docno in pairs)
    return attachment(lines, f"{slug}-pool-{number}.txt", "text/plain; charset=utf-8")


@require_GET
def pool_manifest(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    manifest = get_object_or_404(campaign.pools, number=number).manifest
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False})


# documents


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
