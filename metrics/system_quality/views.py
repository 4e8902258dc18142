"""System quality of runs beside their scores, and its figures, which an organiser loads and removes."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, post_from
from assess.models import QrelsRelease
from assess.queries.release_plans import latest_visible_release
from metrics.forms import ScoresForm
from metrics.queries.scores import PROFILE
from metrics.system_quality.forms import SystemFiguresForm
from metrics.system_quality.quantities import QUANTITIES
from metrics.system_quality.queries import (
    Asked,
    SystemQuality,
    file_columns,
    file_rows,
    scored_quality,
    unscored_quality,
)
from metrics.system_quality.services import FiguresRefused, LoadedFigures, load_figures, remove_figures
from metrics.views.access import score_table_for
from metrics.views.file_responses import tsv_file
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.views.confirmation import confirmation_page, is_confirmed

READERS = (Role.READER, Role.ADJUDICATOR, Role.PARTICIPANT)


class Found(NamedTuple):
    """What the address asks for. release, form: None before there is a release that the person may see."""

    quality: SystemQuality
    release: QrelsRelease | None
    form: ScoresForm | None

    @property
    def query(self) -> str:
        """The query of a link to the same content."""
        if self.release is None or self.form is None:
            return ""
        quality = self.quality
        chosen = {"release": self.release.number, "measures": self.form.lead.name}
        cost = {"cost": quality.chosen.cost.key} if quality.chosen else {}
        return urlencode(chosen | cost | ({"group": quality.group} if quality.group else {}))

    @property
    def leaderboard_query(self) -> str:
        """The query of the leaderboard with every figure as a column."""
        return urlencode([("figures", column.cost.key) for column in self.quality.columns])


def found_for(request: UserRequest, campaign: Campaign) -> Found:
    """Return the runs that this person may see; before a release, only an organiser sees any."""
    asked = Asked(request.GET.get("cost", ""), request.GET.get("group", ""))
    wanted, visible = request.GET.get("release", ""), campaign.releases.visible_to(campaign)
    chosen = visible.filter(number=wanted).first() if wanted.isdecimal() and len(wanted) < 9 else None
    release = chosen or latest_visible_release(campaign)
    if release is None:
        is_organiser = Role.ORGANISER in campaign.my_roles
        return Found(
            unscored_quality(list(campaign.runs.active()) if is_organiser else [], asked), None, None
        )
    release.campaign = campaign
    form = ScoresForm(request.GET, release)
    table = score_table_for(request, release, form)
    return Found(scored_quality(table, form.lead, asked), release, form)


@get_or_post
def system_quality(request: UserRequest, slug: str) -> HttpResponse:
    """Show effectiveness against a cost. A POST of an organiser loads a table of figures."""
    roles = (Role.ORGANISER,) if request.method == "POST" else READERS
    campaign = campaign_or_404(request.user, slug, *roles)
    form, refused = SystemFiguresForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            loaded = load_figures(campaign, request.user, read_upload(file), file.name or "")
        except BadFile as error:
            refused = error
        else:
            messages.success(request, loaded_in_words(loaded))
            return redirect("metrics:system_quality", slug)
    figures = found_for(request, campaign)
    context = {
        "campaign": campaign,
        "found": figures,
        "quality": figures.quality,
        "plot": figures.quality.plot,
        "release": figures.release,
        "releases": campaign.releases.visible_to(campaign),
        "scores_form": figures.form,
        "profile": PROFILE,
        "is_organiser": Role.ORGANISER in campaign.my_roles,
        "form": form,
        "refused": refused,
        "quantities": QUANTITIES.values(),
    }
    return render(request, "metrics/system_quality/system_quality.html", context)


def loaded_in_words(loaded: LoadedFigures) -> str:
    runs = f"{loaded.runs:,} run{pluralize(loaded.runs)}"
    same = "" if loaded.changed == loaded.runs else f", {loaded.runs - loaded.changed:,} of them as before"
    return f"The table has figures of {runs}{same}: {loaded.note}."


@require_GET
def system_quality_file(request: UserRequest, slug: str) -> HttpResponse:
    """Send the figures of every run, with its score and whether no other run dominates it."""
    campaign = campaign_or_404(request.user, slug, *READERS)
    quality = found_for(request, campaign).quality
    if not quality.columns:
        raise Http404("No run has system figures.")
    return tsv_file(file_columns(quality), file_rows(quality), f"{slug}-system-quality.tsv")


@post_from("metrics:system_quality")
def system_quality_remove(request: UserRequest, slug: str, tag: str) -> HttpResponse:
    """Ask, then remove the figures of a run."""
    campaign = campaign_or_404(request.user, slug, Role.ORGANISER)
    run = get_object_or_404(campaign.runs.select_related("system_figures"), tag=tag)
    if not is_confirmed(request):
        template = "metrics/system_quality/confirm/system_quality_remove.html"
        return confirmation_page(request, campaign, template, run=run)
    try:
        remove_figures(run, request.user)
    except FiguresRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The system figures of {run} are removed.")
    return redirect("metrics:system_quality", slug)
