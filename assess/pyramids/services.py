"""Store the files of pyramids and of annotated peers, and withdraw them."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.services import make_once
from assess.models import AnnotatedPeer, TopicPyramid
from assess.pyramids.files import read_pan, read_pyr
from assess.pyramids.model import PeerAnnotation
from assess.pyramids.peers import check_pyramid_of, peer_of
from assess.pyramids.queries import pyramid_in
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.models import Campaign, Topic
from pooling.refusals import Refused
from pooling.services.audit_log import log_change
from pooling.services.runs import GZIP_MAGIC, store_original
from pooling.words import counted, enumeration


class PyramidRefused(Refused):
    """A pyramid or a peer cannot be changed so; the message says why."""


class GivenFile(NamedTuple):
    """A file as it was uploaded, plain or packed."""

    name: str
    content: bytes


def store_pyramid(campaign: Campaign, by: User, topic: Topic, file: GivenFile, key: str = "") -> TopicPyramid:
    """Store the pyramid of a topic. key: see `make_once`.

    Raises BadFile, with the line, for a file that is not read, and PyramidRefused if the topic has a pyramid
    that is not withdrawn; then nothing is stored.
    """
    check_writable(campaign.state)
    pyramid = read_pyr(file.content, file.name)
    if not pyramid.units:
        raise BadFile("expected a unit (an element scu), found none", name=file.name)
    sha256, original = _original(file)
    stored = TopicPyramid(
        campaign=campaign,
        topic=topic,
        order=pyramid.order,
        units=[[uid, weight] for uid, weight in pyramid.weights.items()],
        file_name=file.name[-255:],
        original=original,
        sha256=sha256,
        made_by=by,
    )
    return make_once(by, key, TopicPyramid, lambda: _save_pyramid(stored))


@transaction.atomic
def _save_pyramid(stored: TopicPyramid) -> TopicPyramid:
    check_writable(locked(stored.campaign).state)
    pyramids = stored.campaign.pyramids
    if other := pyramids.filter(topic=stored.topic, withdrawn_at=None).first():
        raise PyramidRefused(f"Topic {stored.topic.number} has a pyramid, {other}. Withdraw it first.")
    stored.number = (pyramids.aggregate(last=Max("number"))["last"] or 0) + 1
    stored.save()
    log_change(
        stored.campaign,
        stored.made_by,
        "stored a pyramid",
        f"{stored} of topic {stored.topic.number}: {counted(len(stored.units), 'unit')}",
        number=stored.number,
        topic=stored.topic.number,
        file=stored.file_name,
        sha256=stored.sha256,
    )
    return stored


def store_peers(pyramid: TopicPyramid, by: User, files: Sequence[GivenFile]) -> list[AnnotatedPeer]:
    """Store annotations of peers, and return the new ones: a file that stands already is left out.

    Raises BadFile, with the line, for the first file that is not read, is of another pyramid, or names a peer
    that has an annotation; and PyramidRefused for a withdrawn pyramid. Then none is stored.
    """
    check_writable(pyramid.campaign.state)
    expected, read = pyramid_in(pyramid), dict[str, tuple[GivenFile, PeerAnnotation]]()
    for file in files:
        annotation, peer = read_pan(file.content, file.name), peer_of(file.name)
        check_pyramid_of(annotation, expected, file.name)
        if peer in read:
            raise BadFile(f"expected one file of the peer {peer}, found another", name=file.name)
        read[peer] = file, annotation
    peers = {}
    for peer, (file, annotation) in read.items():
        sha256, original = _original(file)
        peers[peer] = AnnotatedPeer(
            pyramid=pyramid,
            peer=peer,
            spans=[[uid, count] for uid, count in annotation.spans.items()],
            file_name=file.name[-255:],
            original=original,
            sha256=sha256,
            made_by=by,
        )
    return _save_peers(pyramid, by, peers)


@transaction.atomic
def _save_peers(pyramid: TopicPyramid, by: User, peers: dict[str, AnnotatedPeer]) -> list[AnnotatedPeer]:
    check_writable(locked(pyramid.campaign).state)
    if TopicPyramid.objects.filter(pk=pyramid.pk).exclude(withdrawn_at=None).exists():
        raise PyramidRefused(f"{pyramid} is withdrawn: no peers are added.")
    for known in pyramid.peers.filter(withdrawn_at=None, peer__in=peers):
        given = peers.pop(known.peer)
        if given.sha256 != known.sha256:
            message = f"the peer {known.peer} has another annotation; expected it withdrawn first"
            raise BadFile(message, name=given.file_name)
    new = list(peers.values())
    for peer in new:
        peer.save()
    if new:
        summary = f"{pyramid}: {enumeration(peers)}"
        facts = {peer.peer: peer.sha256 for peer in new}
        log_change(
            pyramid.campaign, by, "stored annotated peers", summary, number=pyramid.number, peers=facts
        )
    return new


@transaction.atomic
def withdraw_pyramid(pyramid: TopicPyramid, by: User) -> None:
    """Withdraw a pyramid, whose peers then count no more. All files stay as evidence.

    Raises PyramidRefused if it is withdrawn already.
    """
    check_writable(locked(pyramid.campaign).state)
    stored = TopicPyramid.objects.select_for_update().get(pk=pyramid.pk)
    if stored.withdrawn_at:
        raise PyramidRefused(f"{stored} is withdrawn already.")
    stored.withdrawn_at, stored.withdrawn_by = timezone.now(), by
    stored.save(update_fields=["withdrawn_at", "withdrawn_by"])
    log_change(pyramid.campaign, by, "withdrew a pyramid", str(stored), number=stored.number)


@transaction.atomic
def withdraw_peer(peer: AnnotatedPeer, by: User) -> None:
    """Withdraw the annotation of a peer. Raises PyramidRefused if it is withdrawn already."""
    campaign = peer.pyramid.campaign
    check_writable(locked(campaign).state)
    stored = AnnotatedPeer.objects.select_for_update().get(pk=peer.pk)
    if stored.withdrawn_at:
        raise PyramidRefused(f"The annotation of the peer {stored} is withdrawn already.")
    stored.withdrawn_at, stored.withdrawn_by = timezone.now(), by
    stored.save(update_fields=["withdrawn_at", "withdrawn_by"])
    facts = {"number": peer.pyramid.number, "peer": peer.peer, "sha256": peer.sha256}
    log_change(campaign, by, "withdrew an annotated peer", f"{peer.pyramid}: {peer}", **facts)


def delete_pyramids(campaign: Campaign) -> None:
    """Delete the pyramids of a campaign that is being deleted: a pyramid protects its topic."""
    campaign.pyramids.all().delete()
    campaign.pyramid_drafts.all().delete()


def locked(campaign: Campaign) -> Campaign:
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


def _original(file: GivenFile) -> tuple[str, str]:
    """Return the checksum of the text of a file, and the name under which it was stored."""
    text = unpack(file.content, file.name, settings.UPLOAD_LIMIT)
    is_packed = file.content.startswith(GZIP_MAGIC)
    packed = file.content if is_packed else gzip.compress(text, compresslevel=1, mtime=0)
    sha256 = sha256_of(text)
    return sha256, store_original(packed, file.name, sha256)
