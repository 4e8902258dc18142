"""What this package adds to pages and releases of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import NavigationPage, PagePart, navigation_pages, page_parts, use_verdicts
from metrics.machine_audits.queries.verdicts import verdict_on_use
from pooling.models import Campaign, Role


def check_of_labels(user: User, campaign: Campaign) -> PagePart:
    return PagePart("metrics/machine_audits/parts/_check_row.html")


PAGE = NavigationPage(
    "Audits", "metrics:machine_audit_list", frozenset({Role.ORGANISER}), ("judging/machines/audits",)
)


def register() -> None:
    page_parts["checks_of_labels"].append(check_of_labels)
    use_verdicts.append(verdict_on_use)
    navigation_pages["Sources"].append(PAGE)
