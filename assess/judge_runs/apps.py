"""What this package adds to pages of the core, and to the integrity check."""

from __future__ import annotations

from accounts.models import User
from assess.judge_runs.queries import CHECKS, submitted_judge_runs
from assess.queries.extensions import NavigationPage, PagePart, integrity_checks, navigation_pages, page_parts
from pooling.models import Campaign, Role


def participate_part(user: User, campaign: Campaign) -> PagePart | None:
    if campaign.accepts_judge_runs or submitted_judge_runs(user, campaign).exists():
        return PagePart("assess/judge_runs/parts/_participate.html")
    return None


PAGE = NavigationPage("Judge runs", "assess:judge_run_list", frozenset({Role.ORGANISER}), ("judge-runs",))


def register() -> None:
    page_parts["participate"].append(participate_part)
    integrity_checks.extend(CHECKS)
    navigation_pages["Sources"].append(PAGE)
