"""The columns of pooled documents follow the table."""

from __future__ import annotations

from django.core.cache import cache

from assess.queries.campaign_reads import CampaignReads
from assess.services.gold import load_gold
from pooling.models import Campaign, PooledDocument
from tests.support.factory import Factory
from tests.support.finished_campaign import make_lived_campaign


def build_campaign(make: Factory) -> Campaign:
    return make_lived_campaign(make)


def is_as_stored(campaign: Campaign) -> bool:
    """Whether the columns are what the tables say, line by line."""
    place_of = {pk: place for place, pk in enumerate(campaign.topics.values_list("pk", flat=True))}
    rows = PooledDocument.objects.filter(pool__campaign=campaign).order_by("pk")
    stored = [
        (row.pk, place_of[row.topic_id], row.docno.encode(), row.best_rank or 0, row.pool_id) for row in rows
    ]
    return stored == list(zip(*(column.tolist() for column in CampaignReads(campaign).pooled), strict=True))


def test_a_document_that_is_pooled_later_is_in_the_columns(campaign: Campaign, make: Factory) -> None:
    assert is_as_stored(campaign)
    before = len(CampaignReads(campaign).pooled.pk)
    load_gold(campaign, make.make_user("carol"), "gold", b"2 D2 2\n")
    assert is_as_stored(campaign)
    cache.clear()
    assert is_as_stored(campaign)
    assert len(CampaignReads(campaign).pooled.pk) == before + 1
