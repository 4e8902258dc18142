"""What this package adds to pages and commands of the core, the integrity check and the demonstration."""

from __future__ import annotations

from accounts.models import User
from assess.answers.extracts import extractive_answers
from assess.answers.queries import CHECKS, rules_of, submitted_answer_runs
from assess.answers.services import (
    AnswerRunDetails,
    delete_answers,
    set_answer_rules,
    submit_answer_run,
)
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    SubmittedFile,
    before_deletion,
    demonstrations,
    integrity_checks,
    navigation_pages,
    page_parts,
    submissions,
)
from pooling.models import Campaign, Role, Run
from pooling.words import counted


def participate_part(user: User, campaign: Campaign) -> PagePart | None:
    if rules_of(campaign).accepts or submitted_answer_runs(user, campaign).exists():
        return PagePart("assess/answers/parts/_participate.html")
    return None


def before_pool_part(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/answers/parts/_before_pool.html")


def submit_file(campaign: Campaign, user: User, file: SubmittedFile) -> str:
    about = AnswerRunDetails(file.group, match_topics=file.match_topics)
    run = submit_answer_run(campaign, user, file.content, file.name, about)
    warnings = "".join(f"; {warning['what']}" for warning in run.warnings)
    return f"stored as {run.tag}, {counted(run.answer_count, 'answer')}{warnings}"


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add two answer runs to five topics: extracts of the documents at ranks 1 to 3, and at 4 to 6."""
    set_answer_rules(campaign, organiser, {"accepts": True})
    texts = dict(campaign.documents.exclude(text="").values_list("docno", "text"))
    extracts: dict[str, list[tuple[str, str]]] = {}
    for topic in campaign.topics.all()[:5]:
        docnos = topic.pooled.order_by("best_rank", "docno").values_list("docno", flat=True)
        extracts[topic.number] = [(docno, texts[docno]) for docno in docnos if docno in texts]
    for tag, start in (("extract-top", 0), ("extract-next", 3)):
        chosen = {number: own[start : start + 3] for number, own in extracts.items()}
        content = extractive_answers(tag, {number: own for number, own in chosen.items() if own})
        submit_answer_run(campaign, organiser, content, f"{tag}.jsonl", AnswerRunDetails())


PAGE = NavigationPage("Answer runs", "assess:answer_run_list", frozenset({Role.ORGANISER}), ("answer-runs",))


def register() -> None:
    page_parts["participate"].append(participate_part)
    page_parts["before_pool"].append(before_pool_part)
    integrity_checks.extend(CHECKS)
    navigation_pages["Collect"].append(PAGE)
    before_deletion.append(delete_answers)
    demonstrations.append(demonstrate)
    submissions["answers"] = submit_file
