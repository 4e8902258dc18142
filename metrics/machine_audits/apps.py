"""What this package adds to pages and releases of the core."""

from __future__ import annotations

from accounts.models import User
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    navigation_pages,
    page_parts,
    source_facts,
    tasks,
    use_verdicts,
)
from metrics.machine_audits.queries.tasks import tasks_of_audits
from metrics.machine_audits.queries.verdicts import facts_of_audits, verdict_on_use
from pooling.models import Campaign, Role

PAGE = NavigationPage(
    "Audits", "metrics:machine_audit_list", frozenset({Role.ORGANISER}), ("judging/machines/audits",)
)


def machine_list_part(user: User, campaign: Campaign) -> PagePart | None:
    """Lead from labels of a program to an audit by people, while a machine judge has none."""
    if not campaign.sources.standing().programs().filter(audits=None).exists():
        return None
    return PagePart("metrics/machine_audits/parts/_to_audits.html")


def register() -> None:
    page_parts["machine_list"].append(machine_list_part)
    use_verdicts.append(verdict_on_use)
    navigation_pages["Sources"].append(PAGE)
    source_facts.append(facts_of_audits)
    tasks.append(tasks_of_audits)
