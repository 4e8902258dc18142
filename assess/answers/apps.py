"""What this package adds to pages and commands of the core, and to the integrity check."""

from __future__ import annotations

from accounts.models import User
from assess.answers.queries import CHECKS, rules_of, submitted_answer_runs
from assess.answers.services import AnswerRunDetails, delete_answers, submit_answer_run
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    SubmittedFile,
    before_deletion,
    integrity_checks,
    navigation_pages,
    page_parts,
    submissions,
)
from pooling.models import Campaign, Role


def participate_part(user: User, campaign: Campaign) -> PagePart | None:
    if rules_of(campaign).accepts or submitted_answer_runs(user, campaign).exists():
        return PagePart("assess/answers/parts/_participate.html")
    return None


def submit_file(campaign: Campaign, user: User, file: SubmittedFile) -> str:
    about = AnswerRunDetails(file.group, match_topics=file.match_topics)
    run = submit_answer_run(campaign, user, file.content, file.name, about)
    warnings = "".join(f"; {warning['what']}" for warning in run.warnings)
    return f"stored as {run.tag}, {run.answer_count:,} answers{warnings}"


PAGE = NavigationPage("Answer runs", "assess:answer_run_list", frozenset({Role.ORGANISER}), ("answer-runs",))


def register() -> None:
    page_parts["participate"].append(participate_part)
    integrity_checks.extend(CHECKS)
    navigation_pages["Collect"].append(PAGE)
    before_deletion.append(delete_answers)
    submissions["answers"] = submit_file
