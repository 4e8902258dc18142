from __future__ import annotations

import csv
import uuid
from typing import Any

from django.contrib import messages
from django.http import FileResponse, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.requests import UserRequest, get_or_post
from assess import queries, services
from assess.consensus import MAJORITY
from assess.forms import AssignmentForm, JudgmentForm, JudgmentsForm, SettingsForm, TopUpForm
from assess.kappa import Pair
from assess.models import JudgmentEvent
from assess.reading import paragraphs
from pooling.models import Campaign, PooledDocument, Role, Topic
from pooling.queries import campaign_or_404
from pooling.scale import Grade, write_scale
from pooling.services import PoolRefused
from pooling.textfile import BadFile

# the campaign


@require_GET
def overview(request: UserRequest, slug: str) -> HttpResponse:
    """The front page of a campaign; whoever only judges goes straight to their topics."""
    campaign = campaign_or_404(request.user, slug)
    if campaign.my_roles == {Role.JUDGE}:
        return redirect("assess:my_topics", slug)
    context: dict[str, Any] = {"campaign": campaign}
    if campaign.my_roles & {Role.ORGANISER, Role.ADJUDICATOR}:
        context |= grid(campaign)
    return render(request, "assess/overview.html", context)


@require_GET
def progress(request: UserRequest, slug: str) -> HttpResponse:
    """The grid topic x judge, asked for again and again while the page is open."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    return render(request, "assess/_progress.html", {"campaign": campaign, **grid(campaign)})


def grid(campaign: Campaign) -> dict[str, Any]:
    judges = list(queries.judges_of(campaign))
    return {"judges": judges, "rows": queries.progress(campaign, judges)}


@get_or_post
def settings(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    fields = ("name", "description", "guidelines", "threshold", "run_depth", "collection_size")
    now = {field: getattr(campaign, field) for field in fields} | {"scale": write_scale(campaign.grades)}
    form = SettingsForm(request.POST or None, initial=now)
    if request.method == "POST" and form.is_valid():
        try:
            services.change_settings(campaign, **{key: form.cleaned_data[key] for key in ("grades", *fields)})
        except services.ScaleLocked as error:
            form.add_error("scale", str(error))
        else:
            messages.success(request, "Settings saved.")
            return redirect("assess:settings", slug)
    return render(request, "assess/settings.html", {"campaign": campaign, "form": form})


# judging: the organiser's side


@get_or_post
def judging(request: UserRequest, slug: str) -> HttpResponse:
    """Who judges what; a POST gives topics to judges."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = AssignmentForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        count = services.assign(form.cleaned_data["judges"], form.cleaned_data["topics"])
        messages.success(request, f"{count} new assignments.")
        return redirect("assess:judging", slug)
    context = {
        "campaign": campaign,
        "form": form,
        "load_form": JudgmentsForm(),
        "earlier": queries.labels_of_earlier_texts(campaign),
        **grid(campaign),
    }
    return render(request, "assess/judging.html", context)


@require_POST
def top_up(request: UserRequest, slug: str) -> HttpResponse:
    """Pool the holes in the first k documents of every run."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    form = TopUpForm(request.POST)
    if not form.is_valid():
        messages.warning(request, "Expected a whole number of first documents, from 1 to 1,000.")
        return redirect("metrics:quality", slug)
    try:
        pool = services.top_up(campaign, request.user, form.cleaned_data["k"])
    except PoolRefused as error:
        messages.warning(request, str(error))
        return redirect("metrics:quality", slug)
    size = pool.manifest["documents"]
    messages.success(
        request, f"{pool} holds {size:,} documents that were missing. Assign its topics to judges."
    )
    return redirect("assess:judging", slug)


@require_POST
def judgments_load(request: UserRequest, slug: str) -> HttpResponse:
    """Take judgments that were made elsewhere as those of a named judge."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    load_form, refused = JudgmentsForm(request.POST, request.FILES), None
    if load_form.is_valid():
        data = load_form.cleaned_data
        try:
            loaded = services.load_judgments(
                campaign, request.user, data["file"].read(), data["file"].name, data["judge"], data["grades"]
            )
        except BadFile as error:
            refused = error
        else:
            messages.success(request, f"{loaded.labels:,} judgments of {loaded.judge} loaded.")
            return redirect("assess:judging", slug)
    context = {"campaign": campaign, "form": AssignmentForm(campaign=campaign), "load_form": load_form}
    return render(request, "assess/judging.html", context | {"refused": refused} | grid(campaign))


# judging: the judge's side


@require_GET
def my_topics(request: UserRequest, slug: str) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topics = queries.my_topics(request.user, campaign)
    return render(request, "assess/my_topics.html", {"campaign": campaign, "topics": topics})


@require_GET
def judge(request: UserRequest, slug: str, number: str) -> HttpResponse:
    """The judging screen: the next document of the topic (or the one asked for), or word that all is done."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    topic = get_object_or_404(
        campaign.topics.filter(assignments__judge=request.user).distinct(), number=number
    )
    pooled = queries.asked_for(request.user, topic, request.GET.get("document", ""))
    pooled = pooled or queries.next_to_judge(request.user, topic)
    return render(request, "assess/judge.html", card(request, campaign, topic, pooled))


@get_or_post
def judgment_card(request: UserRequest, slug: str, pk: int) -> HttpResponse:
    """Show one document's card; a POST records its grade and answers with the next one's."""
    campaign = campaign_or_404(request.user, slug, Role.JUDGE)
    pooled = get_object_or_404(queries.assigned_to(request.user, campaign).select_related("topic"), pk=pk)
    shown: PooledDocument | None = pooled
    problems: list[str] = []
    if request.method == "POST":
        problems = label(pooled, request, campaign)
        if not problems:
            shown = queries.next_to_judge(request.user, pooled.topic)
        if not request.htmx:  # no JavaScript: a plain form wants a page
            return redirect("assess:judge", slug, pooled.topic.number)
    context = card(request, campaign, pooled.topic, shown) | {"problems": problems}
    return render(request, "assess/_judgment_card.html", context)


def label(pooled: PooledDocument, request: UserRequest, campaign: Campaign) -> list[str]:
    """Record the press; return what is wrong with it, if anything."""
    form = JudgmentForm(request.POST, campaign=campaign)
    if not form.is_valid():
        return [str(message) for errors in form.errors.values() for message in errors]
    try:
        services.record_judgment(pooled, request.user, form.press())
    except services.LabelRefused as error:
        return [str(error)]
    return []


def card(
    request: UserRequest, campaign: Campaign, topic: Topic, pooled: PooledDocument | None
) -> dict[str, Any]:
    """Return what the judging screen shows: nothing of runs, ranks, votes or other judges."""
    shown = queries.card_of(request.user, pooled) if pooled else None
    return {
        "campaign": campaign,
        "topic": topic,
        "mine": queries.done_of(request.user, topic),
        "card": shown,
        "paragraphs": paragraphs(shown.text) if shown else [],
        "grades": reversed(campaign.grades),
        "reasons": JudgmentEvent.Reason.choices,
        "last": queries.last_labels(request.user, topic),
        "uuid": uuid.uuid4(),
    }


# agreement


@require_GET
def agreement(request: UserRequest, slug: str) -> HttpResponse:
    """Kappa of every pair, the mean over pairs, and one pair's confusion matrix."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR, Role.READER)
    topic = campaign.topics.filter(number=request.GET.get("topic", "")).first()
    found = queries.agreement(campaign, topic)
    names = {judge.username: str(judge) for judge in found.judges}
    wanted = (request.GET.get("first"), request.GET.get("second"))
    pair = next(
        (pair for pair in found.pairs if (pair.first, pair.second) == wanted), next(iter(found.pairs), None)
    )
    context = {
        "campaign": campaign,
        "agreement": found,
        "rows": [
            (p, names[p.first], names[p.second], queries.binary_kappa(p, campaign)) for p in found.pairs
        ],
        "pair": pair,
        "pair_names": (names[pair.first], names[pair.second]) if pair else (),
        "matrix": matrix(campaign, pair) if pair else [],
        "topic": topic,
        "topics": campaign.topics.filter(pooled__judgments__isnull=False).distinct(),
    }
    return render(request, "assess/agreement.html", context)


def matrix(campaign: Campaign, pair: Pair) -> list[tuple[Grade, list[dict[str, Any]]]]:
    """Return the confusion matrix as rows of cells, shaded by their share of the largest."""
    most = pair.counts.max()
    cells = [
        [
            {"count": int(n), "shade": round(4 * n / most), "same": row == column}
            for column, n in enumerate(counts)
        ]
        for row, counts in enumerate(pair.counts)
    ]
    return list(zip(campaign.grades, cells, strict=True))


@require_GET
def labels(request: UserRequest, slug: str) -> HttpResponse:
    """Every judge's current label, one line each: topic, docno, judge, label."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    response = HttpResponse(content_type="text/tab-separated-values; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slug}-labels.tsv"'
    rows = csv.writer(response, delimiter="\t", lineterminator="\n")
    rows.writerow(["topic", "docno", "judge", "label"])
    rows.writerows(queries.label_rows(campaign))
    return response


# qrels


@get_or_post
def release_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the releases; a POST freezes the next one."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR, Role.READER, Role.PARTICIPANT)
    if request.method == "POST":
        campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
        try:
            release = services.release_qrels(campaign, request.user)
        except services.NothingToRelease as error:
            messages.warning(request, str(error))
        else:
            messages.success(request, f"{release} is frozen: {release.line_count:,} judgments.")
        return redirect("assess:release_list", slug)
    context = {"campaign": campaign, "releases": campaign.releases.all(), "rule": MAJORITY}
    if Role.ORGANISER in campaign.my_roles:
        context |= queries.release_preview(campaign, MAJORITY)
    return render(request, "assess/release_list.html", context)


@require_GET
def qrels_file(request: UserRequest, slug: str, number: int) -> FileResponse:
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR, Role.READER, Role.PARTICIPANT)
    release = get_object_or_404(campaign.releases, number=number)
    return FileResponse(
        release.file.open("rb"),
        as_attachment=True,
        filename=f"{slug}-qrels-v{number}.txt",
        content_type="text/plain; charset=utf-8",
    )


@require_GET
def qrels_manifest(request: UserRequest, slug: str, number: int) -> HttpResponse:
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR, Role.READER, Role.PARTICIPANT)
    manifest = get_object_or_404(campaign.releases, number=number).manifest
    return JsonResponse(manifest, json_dumps_params={"indent": 2, "ensure_ascii": False})
