"""The files of pyramids and annotated peers, for organisers and adjudicators; organisers withdraw them."""

from __future__ import annotations

from django.contrib import messages
from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_GET

from accounts.requests import UserRequest, post_from
from assess.models import AnnotatedPeer, TopicPyramid
from assess.pyramids.services import PyramidRefused, withdraw_peer, withdraw_pyramid
from pooling.models import Role
from pooling.queries.campaigns import campaign_or_404
from pooling.views.confirmation import confirmation_page, is_confirmed


def pyramid_or_404(request: UserRequest, slug: str, number: int, role: Role) -> TopicPyramid:
    """Return a pyramid, with its campaign. Raises Http404 and PermissionDenied."""
    campaign = campaign_or_404(request.user, slug, role)
    pyramid = get_object_or_404(campaign.pyramids.select_related("topic", "made_by"), number=number)
    pyramid.campaign = campaign
    return pyramid


def peer_or_404(request: UserRequest, slug: str, number: int, pk: int, role: Role) -> AnnotatedPeer:
    pyramid = pyramid_or_404(request, slug, number, role)
    peer = get_object_or_404(pyramid.peers, pk=pk)
    peer.pyramid = pyramid
    return peer


@require_GET
def pyramid_file(request: UserRequest, slug: str, number: int) -> HttpResponseBase:
    """Send the file of a pyramid as it was given, gzip."""
    pyramid = pyramid_or_404(request, slug, number, Role.ADJUDICATOR)
    name = f"{slug}-pyramid-{number}.pyr.gz"
    return FileResponse(pyramid.original.open("rb"), as_attachment=True, filename=name)


@require_GET
def pyramid_peer_file(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponseBase:
    """Send the file of an annotated peer as it was given, gzip."""
    peer = peer_or_404(request, slug, number, pk, Role.ADJUDICATOR)
    name = f"{slug}-pyramid-{number}-{peer.peer}.pan.gz"
    return FileResponse(peer.original.open("rb"), as_attachment=True, filename=name)


@post_from("metrics:pyramid", "number")
def pyramid_withdraw(request: UserRequest, slug: str, number: int) -> HttpResponse:
    """Ask, then withdraw a pyramid."""
    pyramid = pyramid_or_404(request, slug, number, Role.ORGANISER)
    if not is_confirmed(request):
        page = "assess/pyramids/confirm/pyramid_withdraw.html"
        peers = pyramid.peers.filter(withdrawn_at=None).count()
        return confirmation_page(request, pyramid.campaign, page, pyramid=pyramid, peer_count=peers)
    try:
        withdraw_pyramid(pyramid, request.user)
    except PyramidRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(
            request, f"{pyramid} is withdrawn. Topic {pyramid.topic.number} can get another one."
        )
    return redirect("metrics:pyramid", slug, number)


@post_from("metrics:pyramid", "number")
def pyramid_peer_withdraw(request: UserRequest, slug: str, number: int, pk: int) -> HttpResponse:
    """Ask, then withdraw the annotation of a peer."""
    peer = peer_or_404(request, slug, number, pk, Role.ORGANISER)
    if not is_confirmed(request):
        page = "assess/pyramids/confirm/pyramid_peer_withdraw.html"
        return confirmation_page(request, peer.pyramid.campaign, page, peer=peer)
    try:
        withdraw_peer(peer, request.user)
    except PyramidRefused as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, f"The annotation of the peer {peer} is withdrawn.")
    return redirect("metrics:pyramid", slug, number)
