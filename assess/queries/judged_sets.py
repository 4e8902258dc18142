"""Sets of work for judges, as judges and organisers see them: battles, gradings, citations and others.

Each task of a set is one judge's: a battle, an answer to grade, a topic with its pairs. What is common to all
kinds of sets is here; a feature package describes its own kind by a subclass of `JudgedKind`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django.db.models import QuerySet

from accounts.models import User
from assess.models import AnswerRun
from assess.queries.answers import who_know
from assess.queries.extensions import PagePart
from assess.queries.people import judges_to_choose
from pooling.models import Campaign, Run
from pooling.refusals import Refused
from pooling.words import counted


@dataclass(frozen=True)
class MySet:
    """A set as one of its judges sees it.

    total, done: what there is to label, and what is labelled. waiting: keys of what is open, in its order.
    """

    about: Any
    total: int
    done: int
    waiting: list[int]


class JudgeProgress(NamedTuple):
    """How far a judge of a set is. has_open: whether something can be given to others."""

    judge: User
    total: int
    done: int

    @property
    def has_open(self) -> bool:
        return self.done < self.total


class SetProgress(NamedTuple):
    """A set as an organiser sees it. withdrawn: tags of runs whose answers nobody sees any more."""

    about: Any
    judges: list[JudgeProgress]
    withdrawn: list[str]

    @property
    def total(self) -> int:
        return sum(each.total for each in self.judges)

    @property
    def done(self) -> int:
        return sum(each.done for each in self.judges)

    @property
    def is_finished(self) -> bool:
        """Whether there is something to label, and all of it is labelled."""
        return 0 < self.total <= self.done


def sets_of_judge(sets: Iterable[Any], items: Iterable[tuple[int, int]], done: Container[int]) -> list[MySet]:
    """Return the sets in which a judge has items. items: (key, key of the set), in their order."""
    own: dict[int, list[int]] = {}
    for key, of_set in items:
        own.setdefault(of_set, []).append(key)
    if not own:
        return []
    own_sets = []
    for each in sets:
        if keys := own.get(each.pk):
            waiting = [key for key in keys if key not in done]
            own_sets.append(MySet(each, len(keys), len(keys) - len(waiting), waiting))
    return own_sets


def progress_of(about: Any, total: Mapping[int, int], done: Mapping[int, int]) -> SetProgress:
    """Return how far the judges are. total, done: key of a judge -> what is to label, and is labelled."""
    judges = User.objects.filter(pk__in=total).order_by("username")
    rows = [JudgeProgress(judge, total[judge.pk], done.get(judge.pk, 0)) for judge in judges]
    return SetProgress(about, rows, withdrawn_tags(about))


def progress_by_item(about: Any, items: Iterable[tuple[int, int]], done: Container[int]) -> SetProgress:
    """Return how far the judges are. items: (key, key of the judge). done: keys of what is labelled."""
    total, labelled = Counter[int](), Counter[int]()
    for key, judge in items:
        total[judge] += 1
        labelled[judge] += key in done
    return progress_of(about, total, labelled)


def withdrawn_tags(about: Any) -> list[str]:
    """Return the tags of the runs of a set that were withdrawn since."""
    if not hasattr(about, "runs"):
        return []
    return list(about.runs.exclude(withdrawn_at=None).values_list("tag", flat=True))


def refuse_knowing_judges(
    campaign: Campaign, runs: Iterable[AnswerRun | Run], judges: Iterable[User]
) -> None:
    """Raise Refused if a judge sees the name of one of these runs: they are judged blind."""
    knowing = who_know(campaign, runs).filter(pk__in=[judge.pk for judge in judges])
    if names := [judge.username for judge in knowing.order_by("username")]:
        raise Refused(f"Choose other judges: {', '.join(names)} can see the name of one of the runs.")


class Handover(NamedTuple):
    """What becomes of the open tasks of a judge who leaves.

    given: tasks and who gets them. dropped: tasks that mean something for this judge only. kept: how many
    stay with the judge, because the judge has begun them or nobody else can take them.
    """

    given: list[tuple[Any, User]]
    dropped: list[Any]
    kept: int

    @property
    def shares(self) -> list[tuple[User, int]]:
        """How many tasks each of the others gets, by name."""
        counts = Counter(judge for _, judge in self.given)
        return sorted(counts.items(), key=lambda each: each[0].username)


class JudgedKind(ABC):
    """A kind of sets. Feature packages register theirs in `assess.queries.extensions.judged_kinds`.

    name: in names of URLs, as in "grading_setup". title: of its pages, as in "Gradings". item: what a judge
    labels, as in "battle". label: what a judge gives, as in "vote". task: what is one judge's; an item,
    unless it says otherwise. open_words: what a judge with open items reads after their number, as in
    "to grade".
    """

    name: ClassVar[str]
    title: ClassVar[str]
    item: ClassVar[str]
    label: ClassVar[str] = "label"
    task: ClassVar[str] = ""
    open_words: ClassVar[str]

    @property
    def items(self) -> str:
        return f"{self.item}s"

    @property
    def not_stored(self) -> str:
        """The end of a refusal, as in "The vote was not stored."."""
        return f"The {self.label} was not stored."

    @property
    def tasks(self) -> str:
        return f"{self.task or self.item}s"

    def counted(self, number: int) -> str:
        """Return a number of tasks with its noun, as in "3 battles"."""
        return counted(number, self.task or self.item)

    def my_topics_part(self, judge: User, campaign: Campaign) -> PagePart | None:
        """Return the part of a judge's page that leads to the sets, if the judge has some."""
        sets = self.mine(judge, campaign)
        left = counted(sum(len(mine.waiting) for mine in sets), self.item)
        text = f"{left} {self.open_words}" if any(mine.waiting for mine in sets) else "All done"
        page = "assess/judged_sets/parts/_my_topics.html"
        return PagePart(page, {"kind": self, "text": text}) if sets else None

    @property
    def urls(self) -> dict[str, str]:
        """The names of the URLs of its pages: of a set, of its results, of the list of a judge, and so on."""
        pages = {
            page: f"assess:{self.name}_{page}" for page in ("setup", "set", "discard", "handover", "list")
        }
        return pages | {"result": f"metrics:{self.name}_result", "item": f"assess:{self.name}"}

    @abstractmethod
    def sets(self, campaign: Campaign) -> QuerySet[Any]:
        """Return the sets of a campaign."""

    @abstractmethod
    def mine(self, judge: User, campaign: Campaign) -> Sequence[MySet]:
        """Return the sets in which a judge has items, newest first."""

    @abstractmethod
    def all_tasks(self, about: Any) -> QuerySet[Any]:
        """Return the tasks of a set, of all its judges."""

    @abstractmethod
    def open_tasks(self, about: Any, judge: User) -> Sequence[Any]:
        """Return the tasks of a set that a judge has not finished, in their order."""

    @abstractmethod
    def begun(self, tasks: Sequence[Any]) -> Collection[int]:
        """Return the keys of the tasks in which the judge has said something: they stay with the judge."""

    def group_of(self, task: Any) -> Hashable:
        """Return what a task is about: tasks of a group stay together, and no judge has a group twice."""
        return task.answer.topic_id  # type: ignore[no-any-return]

    def is_personal(self, task: Any) -> bool:
        """Whether a task means something for its own judge only, as a repeated battle does."""
        return False

    def runs(self, about: Any) -> Iterable[AnswerRun | Run]:
        """Return the runs whose names the judges must not see."""
        return about.runs.all()  # type: ignore[no-any-return]

    def successors(self, about: Any, judge: User) -> QuerySet[User]:
        """Return who could take over from a judge: judges of the campaign who see no name of a run."""
        knowing = who_know(about.campaign, self.runs(about))
        others = judges_to_choose(about.campaign).exclude(pk__in=knowing.values("pk")).exclude(pk=judge.pk)
        return others.distinct()

    def handover(self, about: Any, judge: User, others: Sequence[User]) -> Handover:
        """Return who of the others gets what: of those without the same group, who has fewest open tasks."""
        tasks, load, has = list(self.open_tasks(about, judge)), Counter[int](), set[tuple[int, Hashable]]()
        begun = set(self.begun(tasks))
        for other in others:
            load[other.pk] = len(self.open_tasks(about, other))
            has.update((other.pk, self.group_of(task)) for task in self.all_tasks(about).filter(judge=other))
        given, dropped, kept = [], [], 0
        takers: dict[Hashable, User] = {}
        for task in tasks:
            group = self.group_of(task)
            free = [other for other in others if (other.pk, group) not in has]
            if task.pk in begun or not (self.is_personal(task) or group in takers or free):
                kept += 1
            elif self.is_personal(task):
                dropped.append(task)
            else:
                if group not in takers:
                    takers[group] = min(free, key=lambda other: (load[other.pk], other.username))
                    has.add((takers[group].pk, group))
                load[takers[group].pk] += 1
                given.append((task, takers[group]))
        return Handover(given, dropped, kept)
