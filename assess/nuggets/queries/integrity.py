"""The integrity check of nugget banks: the file of a frozen version still has its checksum."""

from __future__ import annotations

from collections.abc import Iterator

from assess.nuggets.queries.banks import bank_file
from pooling.checksum import sha256_of
from pooling.integrity import Check, Faults, differing
from pooling.models import Campaign


def bank_faults(campaign: Campaign) -> Iterator[Faults]:
    for bank in campaign.nugget_banks.exclude(frozen_at=None).order_by("number"):
        bank.campaign = campaign
        yield differing("nugget bank", str(bank), {"sha256": (sha256_of(bank_file(bank)), bank.sha256)})


CHECKS = (Check("nugget banks", bank_faults),)
