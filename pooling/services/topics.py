"""Load the topics of a file: all of them, or none."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from accounts.models import User
from pooling.checksum import sha256_of
from pooling.formats.files import BadFile, unpack
from pooling.formats.topics import TopicRecord, read_topics
from pooling.limits import MAX_TOPICS
from pooling.models import (
    Campaign,
    Topic,
)
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows


def load_topics(campaign: Campaign, content: bytes, name: str, by: User | None = None) -> int:
    """Add the topics of a file to the campaign; return how many. Raises BadFile, and then none is added."""
    records = read_topics(unpack(content, name, settings.UPLOAD_LIMIT), name)
    fields = TopicRecord._fields
    columns = {field: [getattr(record, field) for record in records] for field in fields}
    summary, checksum = f"{len(records):,} from {name}", sha256_of(content)
    with transaction.atomic():
        Campaign.objects.select_for_update().get(pk=campaign.pk)  # one file at a time
        known = set(campaign.topics.values_list("number", flat=True))
        if taken := [record.number for record in records if record.number in known]:
            message = f"expected new topics, but topic {taken[0]} is in the campaign already"
            raise BadFile(message, name=name)
        if len(known) + len(records) > MAX_TOPICS:
            here = f"it has {len(known):,}, and this file has {len(records):,} more"
            raise BadFile(f"expected at most {MAX_TOPICS:,} topics in a campaign; {here}", name=name)
        places = list(range(len(known) + 1, len(known) + 1 + len(records)))
        insert_rows(Topic, len(records), campaign_id=campaign.pk, place=places, **columns)
        log_change(campaign, by, "loaded topics", summary, sha256=checksum)
    return len(records)
