"""Agreement of judges in the API."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema
from pydantic import Field

from assess.kappa.coefficient import Coefficient
from assess.kappa.pairs import PairAgreement
from assess.queries.agreement import agreement_record
from assess.queries.campaign_reads import CampaignReads
from pooling.api.access import PROBLEMS, PathName, api_campaign, api_user
from pooling.models import Role

router = Router(tags=["agreement"])


class CoefficientOut(Schema):
    """A coefficient of agreement. If it is undefined, `value` is null and `reason` says why.

    interval: 95 % bootstrap interval over topics. If it is null, `no_interval` says why.
    """

    name: str
    value: float | None
    reason: str
    n: int = Field(description="Documents with labels of two or more judges.")
    judges: int
    observed: float | None
    expected: float | None
    standard_error: float | None
    interval: list[float] | None
    no_interval: str


class PairOut(Schema):
    first: str
    second: str
    machine: bool = Field(description="Whether one of the two judges is a machine.")
    counts: list[list[int]] = Field(
        description="Confusion matrix: rows are grades of the first judge, columns those of the second."
    )
    coefficients: list[CoefficientOut]


class AgreementOut(Schema):
    """Agreement of judges. coefficients: of all people. pairs: of people and machines."""

    grades: list[int]
    threshold: int
    coefficients: list[CoefficientOut]
    pairs: list[PairOut]


@router.get("{slug}/agreement/", response={200: AgreementOut, **PROBLEMS})
def agreement(request: HttpRequest, slug: PathName) -> dict[str, Any]:
    """Agreement of the current labels: all coefficients, over all judges and for each pair.

    Readers get numbers instead of names of judges. Documents that you still have to judge are excluded.
    """
    campaign = api_campaign(request, slug, Role.ADJUDICATOR, Role.READER)
    record = agreement_record(CampaignReads(campaign), api_user(request))
    return {
        "grades": [grade.value for grade in campaign.grades],
        "threshold": campaign.threshold,
        "coefficients": [plain(each) for each in record.coefficients],
        "pairs": [plain_pair(pair, record.machines) for pair in record.pairs],
    }


def plain(coefficient: Coefficient) -> dict[str, Any]:
    return coefficient._asdict() | {"interval": coefficient.interval and list(coefficient.interval)}


def plain_pair(pair: PairAgreement, machines: frozenset[str]) -> dict[str, Any]:
    return pair._asdict() | {
        "machine": bool(machines & {pair.first, pair.second}),
        "counts": pair.counts.tolist(),
        "coefficients": [plain(each) for each in pair.coefficients],
    }
