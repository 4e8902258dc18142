"""The answers of judges, and what they said of the nuggets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from django.db.models import Count, Max, QuerySet
from django.template.defaultfilters import pluralize

from accounts.models import User
from assess.models import BankNugget, Matching, MatchingTask, NuggetLabel
from assess.queries.answers import runs_unknown_to
from assess.queries.judged_sets import JudgedKind, MySet, SetProgress, progress_of
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


def my_matchings(judge: User, campaign: Campaign) -> list[MySet]:
    """Return the matchings in which this judge has answers, newest first. total, done: of labels.

    waiting: keys of the answers with a nugget without a label.
    """
    tasks = tasks_for_judge(judge, campaign)
    rows = list(tasks.order_by("place").values_list("pk", "matching", "matching__bank", "answer__topic"))
    if not rows:
        return []
    labelled, nuggets = label_counts(tasks), nugget_counts(bank for _, _, bank, _ in rows)
    sets = []
    for each in campaign.matchings.all():
        own = [(key, nuggets[bank, topic]) for key, matching, bank, topic in rows if matching == each.pk]
        if own:
            done = [labelled.get(key, 0) for key, _ in own]
            waiting = [key for (key, count), have in zip(own, done, strict=True) if have < count]
            sets.append(MySet(each, sum(count for _, count in own), sum(done), waiting))
    return sets


def last_labelled(judge: User, matching: Matching, but: MatchingTask) -> int | None:
    """Return the key of the answer that this judge labelled last, another one than `but`."""
    given = NuggetLabel.objects.filter(task__judge=judge, task__matching=matching).exclude(task=but)
    return given.order_by("-pk").values_list("task", flat=True).first()


def matching_progress(matching: Matching) -> SetProgress:
    """Return how far the judges are, in labels."""
    tasks = matching.tasks.filter(answer__run__withdrawn_at=None)
    labelled, nuggets = label_counts(tasks), nugget_counts([matching.bank_id])
    total, done = Counter[int](), Counter[int]()
    for key, judge, topic in tasks.order_by().values_list("pk", "judge", "answer__topic"):
        total[judge] += nuggets[matching.bank_id, topic]
        done[judge] += labelled.get(key, 0)
    return progress_of(matching, total, done)


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


class MatchingKind(JudgedKind):
    """Matchings, for the pages and services that all kinds of sets share."""

    name, title, item, open_words = "matching", "Matchings", "answer", "to match with nuggets"

    def sets(self, campaign: Campaign) -> QuerySet[Matching]:
        return campaign.matchings.all()

    def mine(self, judge: User, campaign: Campaign) -> list[MySet]:
        return my_matchings(judge, campaign)

    def all_tasks(self, about: Matching) -> QuerySet[MatchingTask]:
        return about.tasks.select_related("answer")

    def open_tasks(self, about: Matching, judge: User) -> list[MatchingTask]:
        own = self.all_tasks(about).filter(judge=judge, answer__run__withdrawn_at=None).order_by("place")
        labelled, nuggets = label_counts(own), nugget_counts([about.bank_id])
        return [
            task for task in own if labelled.get(task.pk, 0) < nuggets[about.bank_id, task.answer.topic_id]
        ]

    def begun(self, tasks: Sequence[MatchingTask]) -> set[int]:
        return set(NuggetLabel.objects.filter(task__in=tasks).values_list("task", flat=True))


MATCHINGS = MatchingKind()
