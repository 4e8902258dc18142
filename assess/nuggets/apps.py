"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

from accounts.models import User
from assess.nuggets.banks import OKAY, TWO_GRADES, VITAL
from assess.nuggets.queries.banks import why_not_deleted
from assess.nuggets.queries.integrity import CHECKS
from assess.nuggets.queries.own import my_nugget_topics
from assess.nuggets.services.banks import begin_draft, delete_banks, freeze_bank
from assess.nuggets.services.nuggets import NuggetDetails, add_nugget, change_nugget, vote_on_importance
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
    page_parts,
)
from pooling.models import Campaign, PooledDocument, Role, Run


def my_topics_part(user: User, campaign: Campaign) -> PagePart | None:
    return PagePart("assess/nuggets/parts/_my_topics.html") if my_nugget_topics(user, campaign) else None


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add a frozen bank with the first words of documents, and a draft that differs from it."""
    draft = begin_draft(campaign, organiser, TWO_GRADES)
    for topic in campaign.topics.order_by("place")[:3]:
        docnos = PooledDocument.objects.filter(topic=topic).order_by("pk").values_list("docno", flat=True)
        documents = campaign.documents.filter(docno__in=docnos[:20]).order_by("pk")
        texts = {" ".join(document.text.split()[:8]): document.docno for document in documents}
        texts.pop("", None)
        for place, (words, docno) in enumerate(list(texts.items())[:4]):
            details = NuggetDetails(words, OKAY if place else VITAL, docno=docno, quotation=words)
            add_nugget(draft, topic, organiser, details)
    if not draft.nuggets.exists():
        return
    frozen = freeze_bank(draft, organiser)
    copy = begin_draft(campaign, organiser, TWO_GRADES, frozen)
    first = copy.nuggets.all()[0]
    change_nugget(first, organiser, NuggetDetails("Boats carry people"))
    vote_on_importance(first, organiser, VITAL)


PAGE = NavigationPage(
    "Nuggets",
    "assess:nugget_bank_list",
    frozenset({Role.ORGANISER, Role.ADJUDICATOR}),
    ("judging/nuggets",),
    group="Answers",
)


def after_answers(user: User, campaign: Campaign) -> PagePart | None:
    """Lead an organiser from answer runs to nuggets, until there is a bank."""
    if Role.ORGANISER not in campaign.my_roles or campaign.nugget_banks.exists():
        return None
    return PagePart("assess/nuggets/parts/_after_answers.html")


def register() -> None:
    page_parts["answer_runs"].append(after_answers)
    page_parts["my_topics"].append(my_topics_part)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.append(delete_banks)
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
