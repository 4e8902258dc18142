"""What this package adds to pages and releases of the core."""

from __future__ import annotations

from assess.queries.extensions import NavigationPage, navigation_pages, source_facts, tasks, use_verdicts
from metrics.machine_audits.queries.tasks import audits_without_verdict
from metrics.machine_audits.queries.verdicts import facts_of_audits, verdict_on_use
from pooling.models import Role

PAGE = NavigationPage(
    "Audits", "metrics:machine_audit_list", frozenset({Role.ORGANISER}), ("judging/machines/audits",)
)


def register() -> None:
    use_verdicts.append(verdict_on_use)
    navigation_pages["Sources"].append(PAGE)
    source_facts.append(facts_of_audits)
    tasks.append(audits_without_verdict)
