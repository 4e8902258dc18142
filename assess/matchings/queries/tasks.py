"""The answers of judges, and what they said of the nuggets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from django.db.models import Count, Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import BankNugget, Matching, MatchingTask, NuggetLabel
from assess.queries.answers import runs_unknown_to
from pooling.models import Campaign


def tasks_for_judge(judge: User, campaign: Campaign) -> QuerySet[MatchingTask]:
    """Return the answers that this judge may label.

    Not those of a run that was withdrawn, or whose name the judge sees.
    """
    tasks = MatchingTask.objects.filter(matching__campaign=campaign, judge=judge)
    return tasks.filter(answer__run__in=runs_unknown_to(judge, campaign).values("pk"))


def nuggets_of(task: MatchingTask) -> QuerySet[BankNugget]:
    """Return the nuggets of the task's topic, in their order."""
    own = BankNugget.objects.filter(bank=task.matching.bank_id, topic=task.answer.topic_id)
    return own.order_by("place")


def standing_labels(tasks: Iterable[MatchingTask]) -> QuerySet[NuggetLabel]:
    """Return the labels that count: the last one of a nugget and a task, unless it takes the label back."""
    if isinstance(tasks, QuerySet):
        tasks = tasks.order_by()
    given = NuggetLabel.objects.filter(task__in=tasks).order_by()
    last = given.values("task", "nugget").annotate(last=Max("pk")).values("last")
    return NuggetLabel.objects.filter(pk__in=last).exclude(assignment="").order_by("pk")


def label_counts(tasks: QuerySet[MatchingTask]) -> dict[int, int]:
    """Return the key of a task -> how many of its nuggets have a label, for the tasks that have some."""
    counted = standing_labels(tasks).order_by().values_list("task").annotate(count=Count("pk"))
    return dict(counted)


def nugget_counts(banks: Iterable[int]) -> dict[tuple[int, int], int]:
    """Return (bank, topic) -> number of nuggets, by keys."""
    own = BankNugget.objects.filter(bank__in=set(banks)).order_by()
    return {
        (bank, topic): count for bank, topic, count in own.values_list("bank", "topic").annotate(Count("pk"))
    }


class MyMatching(NamedTuple):
    """A matching as a judge sees it. waiting: keys of the answers with a nugget without a label, in order.

    total, labelled: nuggets of all answers, and those with a label.
    """

    matching: Matching
    answers: int
    total: int
    labelled: int
    waiting: list[int]


def my_matchings(judge: User, campaign: Campaign) -> list[MyMatching]:
    """Return the matchings in which this judge has answers, newest first."""
    tasks = tasks_for_judge(judge, campaign)
    rows = list(tasks.order_by("place").values_list("pk", "matching", "matching__bank", "answer__topic"))
    if not rows:
        return []
    labelled, nuggets = label_counts(tasks), nugget_counts(bank for _, _, bank, _ in rows)
    found = []
    for each in campaign.matchings.all():
        own = [(key, nuggets[bank, topic]) for key, matching, bank, topic in rows if matching == each.pk]
        if own:
            done = [labelled.get(key, 0) for key, _ in own]
            waiting = [key for (key, count), have in zip(own, done, strict=True) if have < count]
            total = sum(count for _, count in own)
            found.append(MyMatching(each, len(own), total, sum(done), waiting))
    return found


def last_labelled(judge: User, matching: Matching, but: MatchingTask) -> int | None:
    """Return the key of the answer that this judge labelled last, another one than `but`."""
    given = NuggetLabel.objects.filter(task__judge=judge, task__matching=matching).exclude(task=but)
    return given.order_by("-pk").values_list("task", flat=True).first()


label_holders: list[Callable[[Matching], bool]] = []
"""Functions that tell whether a feature built upon this one has labels of a matching."""


def has_labels(matching: Matching) -> bool:
    """Whether a matching has labels: of people, also those taken back, or of another feature."""
    of_people = NuggetLabel.objects.filter(task__matching=matching).exists()
    return of_people or any(has_some(matching) for has_some in label_holders)


class MatcherProgress(NamedTuple):
    """A judge of a matching. total, labelled: nuggets of all answers, and those with a label."""

    judge: User
    answers: int
    total: int
    labelled: int


class MatchingProgress(NamedTuple):
    """A matching as an organiser sees it. withdrawn: tags of runs whose answers nobody sees any more."""

    matching: Matching
    total: int
    labelled: int
    answers: int
    judges: list[MatcherProgress]
    withdrawn: list[str]


def matching_progress(matching: Matching) -> MatchingProgress:
    """Return how far the judges are."""
    tasks = matching.tasks.filter(answer__run__withdrawn_at=None)
    labelled, nuggets = label_counts(tasks), nugget_counts([matching.bank_id])
    answers, total, done = Counter[int](), Counter[int](), Counter[int]()
    for key, judge, topic in tasks.order_by().values_list("pk", "judge", "answer__topic"):
        answers[judge] += 1
        total[judge] += nuggets[matching.bank_id, topic]
        done[judge] += labelled.get(key, 0)
    judges = User.objects.filter(pk__in=answers).order_by("username")
    withdrawn = matching.runs.exclude(withdrawn_at=None).values_list("tag", flat=True)
    return MatchingProgress(
        matching,
        total.total(),
        done.total(),
        answers.total(),
        [MatcherProgress(each, answers[each.pk], total[each.pk], done[each.pk]) for each in judges],
        list(withdrawn),
    )


def matchings_of(campaign: Campaign) -> QuerySet[Matching]:
    """Return the matchings with `run_count`, `judge_count` and `task_count`, newest first."""
    return campaign.matchings.select_related("bank").annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("tasks__judge", distinct=True),
        task_count=Count("tasks", distinct=True),
    )


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its labels of nuggets; "" if it can."""
    given = NuggetLabel.objects.filter(task__matching__campaign=campaign).count()
    if not given:
        return ""
    return f"It holds {given:,} label{pluralize(given)} of nuggets, and labels are never deleted."
