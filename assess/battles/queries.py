"""Battles: two answers side by side. A judge sees no system's name and no vote of another judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from django.db.models import Count, Q, QuerySet
from django.template.defaultfilters import pluralize
from django.urls import reverse

from accounts.models import User
from assess.battles.design import BattlePlan, battle_design
from assess.document.answers import AnswerView, answer_view
from assess.models import Answer, AnswerRun, Battle, BattleSet, BattleVote
from assess.queries.answers import CitedText, cited_text, with_text
from assess.queries.people import judges_to_choose
from pooling.formats.images import ShownImage
from pooling.models import Campaign, Role, Topic
from pooling.queries.images import topic_images

LEFT, RIGHT = "left", "right"
NAMES = {LEFT: "A", RIGHT: "B"}
KNOW_NAMES = frozenset({Role.ORGANISER, Role.ADJUDICATOR})
WORDS_A_MINUTE = 200


class PlannedBattles(NamedTuple):
    """What an organiser asks for. double, repeated: per cent."""

    runs: Sequence[AnswerRun]
    judges: Sequence[User]
    topics: Sequence[Topic]
    per_topic: int
    double: int
    repeated: int
    seed: int
    better: str


class JudgeLoad(NamedTuple):
    """The battles of a judge. repeats: of them. words: of all answers in them."""

    judge: User
    battles: int
    repeats: int
    words: int

    @property
    def hours(self) -> float:
        """Hours of reading, citations not counted, at WORDS_A_MINUTE."""
        return self.words / WORDS_A_MINUTE / 60


class DesignPreview(NamedTuple):
    """A design in numbers. rows: as they are stored, (judge, place, topic, left, right, is_repeat) by keys.

    battles: different ones. double: those of two judges or more. fewest, most: votes on a pair of runs,
    without repeats. pairs: of runs. without: topics with answers of fewer than two of the runs.
    """

    rows: list[tuple[int, int, int, int, int, bool]]
    loads: list[JudgeLoad]
    topics: int
    without: list[str]
    pairs: int
    fewest: int
    most: int
    battles: int
    double: int
    repeats: int

    @property
    def votes(self) -> int:
        return len(self.rows)


def preview_of(asked: PlannedBattles) -> DesignPreview:
    """Return the design that a seed gives, and its numbers. Raises Refused where there is none."""
    found = Answer.objects.filter(run__in=asked.runs, topic__in=asked.topics)
    answers: dict[str, dict[str, tuple[int, int]]] = {topic.number: {} for topic in asked.topics}
    for key, number, tag, words in found.order_by().values_list("pk", "topic__number", "run__tag", "words"):
        answers[number][tag] = key, words
    judges = {judge.username: judge for judge in asked.judges}
    shares = asked.double / 100, asked.repeated / 100
    design = battle_design(BattlePlan(answers, list(judges), asked.per_topic, *shares, asked.seed))
    topic_keys = {topic.number: topic.pk for topic in asked.topics}
    rows, loads, met, of_pair = [], [], Counter[tuple[str, ...]](), Counter[tuple[str, ...]]()
    for username, judge in judges.items():
        words = 0
        for place, each in enumerate(design[username], start=1):
            (left, left_words), (right, right_words) = (answers[each.topic][tag] for tag in each[2:4])
            rows.append((judge.pk, place, topic_keys[each.topic], left, right, each.is_repeat))
            words += left_words + right_words
            if not each.is_repeat:
                pair = tuple(sorted((each.left, each.right)))
                met[each.topic, *pair] += 1
                of_pair[pair] += 1
        repeats = sum(each.is_repeat for each in design[username])
        loads.append(JudgeLoad(judge, len(design[username]), repeats, words))
    tags = sorted({tag for own in answers.values() for tag in own})
    pairs = len(tags) * (len(tags) - 1) // 2
    repeats = sum(load.repeats for load in loads)
    return DesignPreview(
        rows,
        loads,
        sum(len(own) > 1 for own in answers.values()),
        [number for number, own in answers.items() if len(own) < 2],
        pairs,
        min(of_pair.values()) if len(of_pair) == pairs else 0,
        max(of_pair.values()),
        len(met),
        sum(count > 1 for count in met.values()),
        repeats,
    )


def who_know(campaign: Campaign, runs: Iterable[AnswerRun]) -> QuerySet[User]:
    """Return the people who see the name of one of these runs: they may not judge its battles."""
    runs = list(runs)
    groups = {run.group for run in runs} - {""}
    members = campaign.memberships.filter(Q(role__in=KNOW_NAMES) | Q(group__in=groups))
    submitted = {run.submitted_by_id for run in runs}
    return User.objects.filter(Q(pk__in=members.values("user")) | Q(pk__in=submitted))


def battles_for_judge(judge: User, campaign: Campaign) -> QuerySet[Battle]:
    """Return the battles on which this judge may vote.

    Not those with a run that was withdrawn, or whose name the judge sees.
    """
    if campaign.my_roles & KNOW_NAMES:
        return Battle.objects.none()
    groups = campaign.memberships.filter(user=judge).exclude(group="").values("group")
    known = campaign.answer_runs.filter(Q(submitted_by=judge) | Q(group__in=groups)).values("pk")
    battles = standing(Battle.objects.filter(battle_set__campaign=campaign, judge=judge))
    return battles.exclude(left__run__in=known).exclude(right__run__in=known)


def standing(battles: QuerySet[Battle]) -> QuerySet[Battle]:
    """Leave out battles with an answer of a withdrawn run."""
    return battles.filter(left__run__withdrawn_at=None, right__run__withdrawn_at=None)


def standing_votes(battles: QuerySet[Battle] | Sequence[Battle]) -> dict[int, BattleVote]:
    """Return the key of a battle -> the vote that counts, for the battles that have one."""
    if isinstance(battles, QuerySet):
        battles = battles.order_by()
    votes = BattleVote.objects.filter(battle__in=battles).order_by("pk")
    last = {vote.battle_id: vote for vote in votes}
    return {key: vote for key, vote in last.items() if vote.choice}


class MyBattles(NamedTuple):
    """A set of battles as a judge sees it. waiting: keys of the battles without a vote, in their order."""

    battle_set: BattleSet
    total: int
    waiting: list[int]

    @property
    def voted(self) -> int:
        return self.total - len(self.waiting)


def my_battles(judge: User, campaign: Campaign) -> list[MyBattles]:
    """Return the sets in which this judge has battles, newest first."""
    own: dict[int, list[int]] = {}
    found = battles_for_judge(judge, campaign).order_by("place")
    voted = standing_votes(found)
    for key, battle_set in found.values_list("pk", "battle_set"):
        own.setdefault(battle_set, []).append(key)
    return [
        MyBattles(each, len(own[each.pk]), [key for key in own[each.pk] if key not in voted])
        for each in campaign.battle_sets.all()
        if each.pk in own
    ]


def last_voted(judge: User, battle_set: BattleSet) -> int | None:
    """Return the key of the battle on which this judge voted last."""
    votes = BattleVote.objects.filter(battle__judge=judge, battle__battle_set=battle_set).order_by("-pk")
    return votes.values_list("battle", flat=True).first()


class BattleSide(NamedTuple):
    """An answer as a judge sees it. source: the cited document that is open, if any. closed: without it."""

    side: str
    name: str
    view: AnswerView
    source: CitedText | None = None
    closed: str = ""

    @property
    def target(self) -> str:
        return f"#battle-source-{self.side}"

    @property
    def sentences(self) -> int:
        return sum(len(block.sentences) for block in self.view.blocks)


class BattleCard(NamedTuple):
    """A battle as a judge sees it: nothing here names a run. vote: of this judge, if there is one."""

    battle: Battle
    sides: list[BattleSide]
    vote: BattleVote | None
    topic_images: Sequence[ShownImage]

    @property
    def has_more(self) -> bool:
        """Whether the topic has more than a title."""
        topic = self.battle.topic
        return bool(topic.description or topic.narrative or self.topic_images)


OpenSource = tuple[str, int, int]
"""A side, and the places of a sentence and of a citation in it, from 1."""


def battle_cards(
    campaign: Campaign, battles: Iterable[Battle], shown: OpenSource | None = None
) -> list[BattleCard]:
    """Return battles laid out for their judge. shown: the cited document that is open in the first."""
    battles = list(battles)
    answers = [answer for battle in battles for answer in (battle.left, battle.right)]
    cited = {docno for answer in answers for each in answer.stored_sentences for docno in each.citations}
    texts, votes = with_text(campaign, cited), standing_votes(battles)
    cards = []
    for battle in battles:
        battle.topic.campaign = campaign
        sides = []
        for side, answer in ((LEFT, battle.left), (RIGHT, battle.right)):
            addresses = _addresses(campaign, battle, side)
            view = answer_view(answer.stored_sentences, texts, addresses, f"{side}-")
            closed = reverse("assess:battle", args=[campaign.slug, battle.pk])
            is_open = shown is not None and shown[0] == side
            source = source_of(campaign, battle, *shown) if shown and is_open else None
            sides.append(BattleSide(side, NAMES[side], view, source, closed))
        cards.append(BattleCard(battle, sides, votes.get(battle.pk), topic_images(battle.topic)))
        shown = None
    return cards


def _addresses(campaign: Campaign, battle: Battle, side: str) -> Callable[[int, int], tuple[str, str]]:
    return partial(_address, campaign.slug, battle.pk, side)


def _address(slug: str, pk: int, side: str, place: int, citation: int) -> tuple[str, str]:
    page = reverse("assess:battle", args=[slug, pk])
    fragment = reverse("assess:battle_source", args=[slug, pk, side, place, citation])
    return f"{page}?side={side}&sentence={place}&citation={citation}#{side}-sentence-{place}", fragment


def source_of(campaign: Campaign, battle: Battle, side: str, place: int, citation: int) -> CitedText | None:
    """Return the document that a sentence of an answer cites; None without such a citation."""
    answer = {LEFT: battle.left, RIGHT: battle.right}.get(side)
    if answer is None:
        return None
    answer.run.campaign = campaign
    return cited_text(answer, place, citation)


class SetProgress(NamedTuple):
    """A set as an organiser sees it. judges: (judge, battles, battles with a vote)."""

    battle_set: BattleSet
    total: int
    voted: int
    judges: list[tuple[User, int, int]]
    withdrawn: list[str]


def set_progress(battle_set: BattleSet) -> SetProgress:
    """Return how far the judges of a set are. withdrawn: tags of runs whose battles nobody sees any more."""
    battles = standing(battle_set.battles.order_by())
    counted, voted, votes = Counter[int](), Counter[int](), standing_votes(battles)
    for key, judge in battles.values_list("pk", "judge"):
        counted[judge] += 1
        voted[judge] += key in votes
    judges = User.objects.filter(pk__in=counted).order_by("username")
    withdrawn = battle_set.runs.exclude(withdrawn_at=None).values_list("tag", flat=True)
    rows = [(judge, counted[judge.pk], voted[judge.pk]) for judge in judges]
    return SetProgress(battle_set, counted.total(), voted.total(), rows, list(withdrawn))


class Handover(NamedTuple):
    """What becomes of the open battles of a judge who leaves.

    given: battles and who gets them. dropped: open repeats, which only this judge could have voted on. kept:
    how many stay open, because each of the others has the same pair already or a vote was taken back.
    """

    given: list[tuple[Battle, User]]
    dropped: list[Battle]
    kept: int

    @property
    def shares(self) -> list[tuple[User, int]]:
        """How many battles each of the others gets, by name."""
        counts = Counter(judge for _, judge in self.given)
        return sorted(counts.items(), key=lambda each: each[0].username)


def open_battles(battle_set: BattleSet, judge: User) -> QuerySet[Battle]:
    """Return the battles of a judge that have no standing vote, in their order."""
    own = standing(battle_set.battles.filter(judge=judge))
    return own.exclude(pk__in=standing_votes(own)).order_by("place")


def successors(battle_set: BattleSet, judge: User) -> QuerySet[User]:
    """Return who could take over battles of a judge: judges who see no name of a run of the set."""
    campaign = battle_set.campaign
    knowing = who_know(campaign, battle_set.runs.all())
    return judges_to_choose(campaign).exclude(pk__in=knowing.values("pk")).exclude(pk=judge.pk).distinct()


def handover(battle_set: BattleSet, judge: User, others: Sequence[User]) -> Handover:
    """Return who of the others gets which battle: of those without the same pair, who has fewest to do."""
    battles = list(open_battles(battle_set, judge))
    with_events = set(BattleVote.objects.filter(battle__in=battles).values_list("battle", flat=True))
    has, load = set[tuple[int, frozenset[int]]](), Counter[int]()
    for other in others:
        load[other.pk] = open_battles(battle_set, other).count()
        own = battle_set.battles.filter(judge=other).order_by().values_list("left", "right")
        has.update((other.pk, frozenset(pair)) for pair in own)
    given, dropped, kept = [], [], 0
    for battle in battles:
        pair = frozenset((battle.left_id, battle.right_id))
        free = [other for other in others if (other.pk, pair) not in has]
        if battle.pk in with_events or not (battle.is_repeat or free):
            kept += 1
        elif battle.is_repeat:
            dropped.append(battle)
        else:
            taker = min(free, key=lambda other: (load[other.pk], other.username))
            has.add((taker.pk, pair))
            load[taker.pk] += 1
            given.append((battle, taker))
    return Handover(given, dropped, kept)


def sets_of(campaign: Campaign) -> QuerySet[BattleSet]:
    """Return the sets with `run_count`, `judge_count`, `battle_count` and `voted_count`, newest first."""
    return campaign.battle_sets.annotate(
        run_count=Count("runs", distinct=True),
        judge_count=Count("battles__judge", distinct=True),
        battle_count=Count("battles", distinct=True),
        voted_count=Count("battles", filter=Q(battles__votes__isnull=False), distinct=True),
    )


def has_votes(battle_set: BattleSet) -> bool:
    return BattleVote.objects.filter(battle__battle_set=battle_set).exists()


def why_not_deleted(campaign: Campaign) -> str:
    """Return why a campaign cannot be deleted because of its battles; "" if it can."""
    votes = BattleVote.objects.filter(battle__battle_set__campaign=campaign).count()
    return (
        f"It holds {votes:,} vote{pluralize(votes)} on battles, and labels are never deleted."
        if votes
        else ""
    )
