"""What this package adds to pages and refusals of the core, the integrity check and the demonstration."""

from __future__ import annotations

import hashlib
import uuid

from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from assess.matchings.queries.integrity import CHECKS
from assess.matchings.queries.plan import PlannedMatching
from assess.matchings.queries.tasks import MATCHINGS, nuggets_of, why_not_deleted
from assess.matchings.services import SubmittedLabel, create_matching, delete_matchings, record_label
from assess.models import Bank, BankNugget, MatchingTask
from assess.nuggets.assignments import Assignment
from assess.nuggets.banks import OKAY, VITAL, Nugget, NuggetBank, write_banks
from assess.queries.answers import who_know
from assess.queries.extensions import (
    NavigationPage,
    PagePart,
    add_judged_kind,
    before_deletion,
    deletion_obstacles,
    demonstrations,
    integrity_checks,
    navigation_pages,
    page_parts,
)
from assess.queries.people import judges_to_choose
from pooling.models import Campaign, Role, Run, Topic


def demonstrate(campaign: Campaign, organiser: User, runs: tuple[Run, Run]) -> None:
    """Add a matching of all answers to topics with nuggets, and labels of all judges but the last.

    A nugget is held wholly or in part by the sentence that has most of its words; judges differ in how many
    they want.
    """
    answer_runs = list(campaign.answer_runs.active())
    judges = list(judges_to_choose(campaign).exclude(pk__in=who_know(campaign, answer_runs).values("pk")))
    topics = list(campaign.topics.filter(answers__isnull=False).distinct()[:2])
    if not answer_runs or len(judges) < 2 or not topics:
        return
    bank = campaign.nugget_banks.exclude(frozen_at=None).first() or _demonstration_bank(organiser, topics)
    asked = PlannedMatching(bank, answer_runs, judges, list(campaign.topics.all()), False, 40, 1)
    tasks = create_matching(campaign, organiser, asked).tasks.exclude(judge=judges[-1])
    for task in tasks.select_related("judge", "answer", "matching__campaign"):
        wanted = 0.3 + 0.15 * judges.index(task.judge)
        for nugget in nuggets_of(task):
            share, place = _best_sentence(task, nugget)
            value = Assignment.PARTIAL if share > 0.15 else Assignment.NONE
            value = Assignment.SUPPORT if share > wanted else value
            sentence = None if value == Assignment.NONE else place
            record_label(task, task.judge, SubmittedLabel(uuid.uuid4(), nugget, value, sentence))


def _best_sentence(task: MatchingTask, nugget: BankNugget) -> tuple[float, int]:
    """Return the largest share of a nugget's words in a sentence of the answer, and its place."""
    words = set(nugget.text.casefold().split())
    texts = [set(sentence.text.casefold().split()) for sentence in task.answer.stored_sentences]
    shares = [len(words & text) / len(words) for text in texts]
    return max(shares), shares.index(max(shares)) + 1


def _demonstration_bank(organiser: User, topics: list[Topic]) -> Bank:
    """Freeze a bank with the first words of the answers' sentences, the first of them vital."""
    campaign, now = topics[0].campaign, timezone.now()
    number = (campaign.nugget_banks.aggregate(last=Max("number"))["last"] or 0) + 1
    bank = Bank.objects.create(
        campaign=campaign, number=number, made_by=organiser, frozen_by=organiser, frozen_at=now
    )
    files = []
    for topic in topics:
        texts = [each.text for answer in topic.answers.all() for each in answer.stored_sentences[:2]]
        short = list(dict.fromkeys(" ".join(text.split()[:8]) for text in texts))
        nuggets = tuple(Nugget(text, OKAY if place else VITAL) for place, text in enumerate(short))
        files.append(NuggetBank(topic.number, nuggets, topic.title))
        for place, each in enumerate(nuggets, start=1):
            BankNugget.objects.create(
                bank=bank,
                topic=topic,
                place=place,
                text=each.text,
                importance=each.importance,
                author=organiser,
            )
    bank.sha256 = hashlib.sha256(write_banks(files)).hexdigest()
    bank.save(update_fields=["sha256"])
    return bank


PAGE = NavigationPage(
    "Matchings", "assess:matching_setup", frozenset({Role.ORGANISER}), ("judging/matchings",), group="Answers"
)


def after_bank(user: User, campaign: Campaign) -> PagePart:
    return PagePart("assess/matchings/parts/_after_bank.html")


def register() -> None:
    page_parts["nugget_bank"].append(after_bank)
    add_judged_kind(MATCHINGS)
    deletion_obstacles.append(why_not_deleted)
    before_deletion.insert(0, delete_matchings)  # before nuggets: a matching protects its bank
    integrity_checks.extend(CHECKS)
    demonstrations.append(demonstrate)
    navigation_pages["Judge"].append(PAGE)
