"""What this package adds to pages and releases of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import PagePart, page_parts, use_verdicts
from metrics.machine_audits.queries.verdicts import verdict_on_use
from pooling.models import Campaign


def check_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/machine_audits/parts/_check_row.html")


def register() -> None:
    page_parts["checks_of_labels"].append(check_of_labels)
    use_verdicts.append(verdict_on_use)
