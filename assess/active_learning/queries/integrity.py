"""The integrity check of collections: every file against its checksum."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models.fields.files import FieldFile

from assess.active_learning.collection_files import FILES
from assess.models import ReviewCollection
from pooling.checksum import sha256_of_parts
from pooling.integrity import Fault, Faults, differing
from pooling.models import Campaign
from pooling.words import enumeration

OPTIONAL = "index"  # collections of an early version have none


def collection_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check every collection: its files against their checksums. One without any waits for them."""
    for collection in campaign.review_collections.iterator(chunk_size=20):
        try:
            stored = [name for name in FILES if getattr(collection, name)]
            if stored and (missing := FILES.keys() - {OPTIONAL, *stored}):
                existing = f"none of {enumeration(sorted(missing))}"
                yield [Fault("files of a collection", str(collection), "all files", existing)]
                continue
            sides = {name: (_checksum(collection, name), collection.checksums.get(name)) for name in stored}
        except OSError as error:
            yield [Fault("files of a collection", str(collection), "all files", str(error))]
            continue
        yield differing("checksum of a collection's", str(collection), sides)


def _checksum(collection: ReviewCollection, name: str) -> str:
    stored: FieldFile = getattr(collection, name)
    with stored.open("rb") as file:
        return sha256_of_parts(file.chunks())
