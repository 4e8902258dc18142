"""Stored pyramids and annotated peers: their files, and whether these still give what is stored."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db.models import Count, Q

from assess.models import AnnotatedPeer, TopicPyramid
from assess.models.pyramids import OriginalFile, OriginalQuerySet
from assess.pyramids.files import read_pan, read_pyr
from assess.pyramids.model import Pyramid
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign


def pyramids_of(campaign: Campaign) -> OriginalQuerySet:
    """Return the pyramids by topic, the standing one of a topic first, with `peer_count`."""
    standing = Count("peers", filter=Q(peers__withdrawn_at=None))
    pyramids = campaign.pyramids.select_related("topic", "made_by").annotate(peer_count=standing)
    return pyramids.order_by("topic__place", "-number")


def original_text(stored: OriginalFile) -> bytes:
    """Return a file as it was given, unpacked. Raises OSError and BadFile."""
    with stored.original.open("rb") as file:
        return unpack(file.read(), stored.file_name, settings.UPLOAD_LIMIT)


def pyramid_in(stored: TopicPyramid) -> Pyramid:
    """Return the pyramid of a stored file. Raises OSError and BadFile."""
    return read_pyr(original_text(stored), stored.file_name)


def pyramid_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every pyramid, also withdrawn ones: its file against the stored values."""
    for stored in campaign.pyramids.iterator(chunk_size=20):
        try:
            text = original_text(stored)
            pyramid = read_pyr(text, stored.file_name)
        except (OSError, BadFile) as error:
            yield [_unreadable(stored, "pyramid", str(stored), error)]
            continue
        about: dict[str, tuple[object, object]] = {
            "checksum": (sha256_of(text), stored.sha256),
            "order": (pyramid.order, stored.order),
            "units": (pyramid.weights, stored.weights),
        }
        yield differing("pyramid", str(stored), about)


def peer_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every annotated peer, also withdrawn ones: its file against the stored values."""
    peers = AnnotatedPeer.objects.filter(pyramid__campaign=campaign).select_related("pyramid")
    for stored in peers.iterator(chunk_size=20):
        where = f"{stored.pyramid}, peer {stored}"
        try:
            text = original_text(stored)
            annotation = read_pan(text, stored.file_name)
        except (OSError, BadFile) as error:
            yield [_unreadable(stored, "annotated peer", where, error)]
            continue
        about: dict[str, tuple[object, object]] = {
            "checksum": (sha256_of(text), stored.sha256),
            "spans": (annotation.spans, stored.span_counts),
            "units": (annotation.pyramid.weights, stored.pyramid.weights),
        }
        yield differing("annotated peer", where, about)


def _unreadable(stored: OriginalFile, kind: str, where: str, error: Exception) -> Fault:
    return Fault(f"original of {kind}", where, f"the file {stored.original.name}", str(error))


CHECKS = (Check("pyramids", pyramid_faults), Check("annotated peers", peer_faults))
