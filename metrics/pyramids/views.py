"""Pyramids of topics with scores of peers, for organisers and adjudicators; organisers add files."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, get_or_post, request_key
from assess.models import TopicPyramid
from assess.pyramids.drafts.queries import drafts_of
from assess.pyramids.queries import pyramids_of
from assess.pyramids.services import GivenFile, PyramidRefused, store_peers, store_pyramid
from assess.pyramids.views import pyramid_or_404
from metrics.pyramids.forms import PeersForm, PyramidForm
from metrics.pyramids.means import NAMES, peer_means
from metrics.pyramids.queries import COLUMNS, campaign_scores, pyramid_view, score_rows, scores_of
from metrics.views.file_responses import tsv_file
from pooling.formats.files import BadFile
from pooling.models import Campaign, Role
from pooling.queries.campaigns import campaign_or_404
from pooling.services.files import read_upload
from pooling.words import counted


def role_for(request: UserRequest) -> Role:
    return Role.ORGANISER if request.method == "POST" else Role.ADJUDICATOR


@get_or_post
def pyramid_list(request: UserRequest, slug: str) -> HttpResponse:
    """List the pyramids by topic, and the mean scores of peers over topics. A POST stores a pyramid."""
    campaign = campaign_or_404(request.user, slug, role_for(request))
    form, refused = PyramidForm(request.POST or None, request.FILES or None, campaign=campaign), None
    if request.method == "POST" and form.is_valid():
        try:
            stored = store(request, campaign, form)
        except BadFile as error:
            refused = error
        except PyramidRefused as error:
            form.add_error("topic", str(error))
        else:
            messages.success(request, f"{stored} is stored, {counted(len(stored.units), 'unit')}.")
            return redirect("metrics:pyramid", slug, stored.number)
    context = {
        "campaign": campaign,
        "form": form,
        "refused": refused,
        "pyramids": pyramids_of(campaign),
        "drafts": drafts_of(campaign),
        "means": peer_means(campaign_scores(campaign)),
        "names": NAMES,
        "is_organiser": Role.ORGANISER in campaign.my_roles,
    }
    return render(request, "metrics/pyramids/pyramid_list.html", context)


def store(request: UserRequest, campaign: Campaign, form: PyramidForm) -> TopicPyramid:
    """Store the pyramid of a form. Raises what `store_pyramid` does."""
    file = form.cleaned_data["file"]
    key = request_key(request)
    given = GivenFile(file.name or "", read_upload(file))
    return store_pyramid(campaign, request.user, form.cleaned_data["topic"], given, key)


@get_or_post
def pyramid(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Show a pyramid, its optimal summaries of a size, and the scores of its peers. A POST adds peers."""
    stored = pyramid_or_404(request, slug, number, role_for(request))
    form, refused = PeersForm(request.POST or None, request.FILES or None), None
    if request.method == "POST" and form.is_valid():
        try:
            files = [GivenFile(file.name or "", read_upload(file)) for file in form.cleaned_data["file"]]
            new = store_peers(stored, request.user, files)
        except BadFile as error:
            refused = error
        except PyramidRefused as error:
            form.add_error("file", str(error))
        else:
            known = f"; {len(files) - len(new)} known" if len(new) < len(files) else ""
            messages.success(request, f"{counted(len(new), 'annotated peer')} stored{known}.")
            return redirect("metrics:pyramid", slug, number)
    return pyramid_page(request, stored, form=form, refused=refused)


def pyramid_page(request: UserRequest, stored: TopicPyramid, **context: Any) -> HttpResponse:
    everyone, name, size = list(stored.peers.all()), request.GET.get("peer"), request.GET.get("size", "")
    peers = [peer for peer in everyone if not peer.withdrawn_at]
    chosen = next((peer for peer in peers if peer.peer == name), peers[0] if peers else None)
    try:
        view = pyramid_view(stored, int(size) if size.isdecimal() and len(size) < 7 else None, chosen)
    except (OSError, BadFile) as error:
        messages.error(request, f"The stored file of {stored} cannot be read: {error}")
        return redirect("metrics:pyramid_list", stored.campaign.slug)
    about = {
        "campaign": stored.campaign,
        "pyramid": stored,
        "view": view,
        "chosen": chosen,
        "scores": [(peer, scores_of(stored, peer)) for peer in peers],
        "withdrawn": [peer for peer in everyone if peer.withdrawn_at],
        "names": NAMES,
        "is_organiser": Role.ORGANISER in stored.campaign.my_roles,
    }
    return render(request, "metrics/pyramids/pyramid.html", about | context)


@require_GET
def pyramid_scores_file(request: UserRequest, slug: str) -> HttpResponse:
    """Send the scores of all peers, a line for each on each topic."""
    campaign = campaign_or_404(request.user, slug, Role.ADJUDICATOR)
    return tsv_file(COLUMNS, score_rows(campaign_scores(campaign)), f"{slug}-pyramid-scores.tsv")
