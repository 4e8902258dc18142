"""A file of nuggets into the draft of a campaign, which is begun if there is none."""

from __future__ import annotations

from django.db import transaction

from accounts.models import User
from assess.models import Bank
from assess.nuggets.queries.banks import draft_of
from assess.nuggets.services.banks import begin_draft
from assess.nuggets.services.loads import LoadedBanks, load_banks
from pooling.models import Campaign


@transaction.atomic
def upload_bank(
    campaign: Campaign, by: User, grading: str, content: bytes, name: str
) -> tuple[Bank, LoadedBanks]:
    """Load a file into the draft, or else into a new empty one with this kind of importance.

    Raises BadFile and BankRefused; then nothing is stored, and no draft is begun.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    draft = draft_of(campaign) or begin_draft(campaign, by, grading)
    return draft, load_banks(draft, by, content, name)
