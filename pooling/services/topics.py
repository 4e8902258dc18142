"""Topics, loaded whole or not at all."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from accounts.models import User
from pooling import trec
from pooling.checksum import sha256_of
from pooling.limits import MOST_TOPICS
from pooling.models import (
    Campaign,
    Topic,
)
from pooling.services.trail import note
from pooling.textfile import BadFile, unpack


@transaction.atomic
def load_topics(campaign: Campaign, content: bytes, name: str, by: User | None = None) -> int:
    """Add the topics of a file to the campaign; return how many. Raises BadFile, and then none is added."""
    records = trec.read_topics(unpack(content, name, settings.UPLOAD_LIMIT), name)
    known = set(campaign.topics.values_list("number", flat=True))
    if taken := [record.number for record in records if record.number in known]:
        raise BadFile(f"expected new topics, but topic {taken[0]} is in the campaign already", name=name)
    if len(known) + len(records) > MOST_TOPICS:
        here = f"it has {len(known):,}, and this file has {len(records):,} more"
        raise BadFile(f"expected at most {MOST_TOPICS:,} topics in a campaign; {here}", name=name)
    first = len(known) + 1
    Topic.objects.bulk_create(
        Topic(campaign=campaign, place=place, **record._asdict())
        for place, record in enumerate(records, first)
    )
    note(campaign, by, "loaded topics", f"{len(records):,} from {name}", sha256=sha256_of(content))
    return len(records)
