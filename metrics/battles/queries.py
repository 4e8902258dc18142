"""Votes on battles, and their result."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC
from typing import Any, NamedTuple

from django.db.models import Max, Min, QuerySet
from django.db.models.functions import Length

from accounts.models import User
from assess.battles.queries.sets import sets_of
from assess.battles.queries.votes import standing
from assess.models import Answer, AnswerRun, BattleRelease, BattleSet, BattleVote, QrelsRelease
from assess.models.answers import StoredSentence
from assess.queries.release_plans import latest_visible_release
from assess.queries.releases import qrels_of
from metrics.battles.other_orders import (
    KEYS,
    NDCG,
    NO_PUBLIC_RELEASE,
    NO_RELEASE,
    AnswerCounts,
    CitedDocuments,
    OtherMeasure,
    OtherOrder,
    RelevantDocuments,
    answer_measures,
    other_orders,
)
from metrics.battles.result import BattleResult, battle_result
from metrics.battles.votes import Vote
from metrics.measures.names import parse_measure
from metrics.queries.scores import (
    mean_scores,
    public_runs,
    ranked_runs_for,
    threshold_of,
    without_late_runs,
)
from pooling.checksum import sha256_of_parts
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign, Run
from pooling.queries.caching import cached

MOST_REASONS = 30  # on the page; the file has all


def current_votes(battle_set: BattleSet) -> QuerySet[BattleVote]:
    """Return the standing votes of a set in the order of time. Not those on answers of withdrawn runs."""
    rows = BattleVote.objects.filter(battle__in=standing(battle_set.battles.order_by()))
    last = rows.order_by().values("battle").annotate(last=Max("pk")).values("last")
    return BattleVote.objects.filter(pk__in=last).exclude(choice="").order_by("pk")


NAMES = ("battle__judge", "battle__topic", "battle__left__run", "battle__right__run")
FIELDS = (
    "battle__topic__number", "battle__judge__username", "battle__left__run__tag", "battle__right__run__tag",
    "choice", "battle__is_repeat", "battle__left__words", "battle__right__words",
)  # fmt: skip


def with_names(votes: QuerySet[BattleVote]) -> QuerySet[BattleVote]:
    """Read the votes with judge, topic and runs, and without the texts of the answers."""
    fields = ("sentences", "references", "metadata")
    unread = [f"battle__{side}__{field}" for side in ("left", "right") for field in fields]
    return votes.select_related(*NAMES).defer(*unread)


def vote_of(vote: BattleVote) -> Vote:
    """Return a vote as the statistics read it."""
    battle = vote.battle
    tags, words = (battle.left.run.tag, battle.right.run.tag), (battle.left.words, battle.right.words)
    return Vote(battle.topic.number, battle.judge.username, *tags, vote.choice, battle.is_repeat, words)


def votes_of(battle_set: BattleSet) -> list[Vote]:
    """Return the standing votes as `vote_of` does, without models: there may be tens of thousands."""
    rows = current_votes(battle_set).values_list(*FIELDS)
    return [
        Vote(topic, judge, left, right, choice, is_repeat, (words, others))
        for topic, judge, left, right, choice, is_repeat, words, others in rows
    ]


class SetResult(NamedTuple):
    """The result of a set. reasons: the newest votes with a reason; reason_count: of all."""

    result: BattleResult
    reasons: list[BattleVote]
    reason_count: int


def set_result(battle_set: BattleSet, campaign: Campaign, prior: bool = False) -> SetResult:
    """Return the result of a set, computed once for each state of its votes."""
    votes = list(current_votes(battle_set).values_list("pk", Length("reason")))
    systems = list(battle_set.runs.filter(withdrawn_at=None).values_list("tag", flat=True))
    version = tuple(key for key, _ in votes), tuple(systems), prior
    name = f"battles-{battle_set.pk}-{'prior' if prior else 'plain'}"
    result = cached(campaign, name, version, lambda: battle_result(votes_of(battle_set), systems, prior))
    with_reason = [key for key, length in votes if length]
    newest = BattleVote.objects.filter(pk__in=with_reason[-MOST_REASONS:]).order_by("-pk")
    return SetResult(result, list(with_names(newest)), len(with_reason))


class OtherMeasures(NamedTuple):
    """Other measures of the answers of a set. release: whose qrels they use, None without one."""

    release: QrelsRelease | None
    measures: list[OtherMeasure]
    cited: CitedDocuments

    def orders(self, result: BattleResult) -> list[OtherOrder]:
        return other_orders(result.ranking, self.measures)


def measures_seen_by(user: User, battle_set: BattleSet) -> OtherMeasures:
    """Return the measures by the newest standing release that `campaign.my_roles` may see."""
    release = latest_visible_release(battle_set.campaign)
    if release is None:
        return _other_measures(battle_set, None, [])
    release.campaign = battle_set.campaign
    tags = _standing_runs(battle_set).values("tag")
    return _other_measures(
        battle_set, release, without_late_runs(ranked_runs_for(user, release).filter(tag__in=tags))
    )


def public_measures(battle_set: BattleSet) -> OtherMeasures:
    """Return the measures for files that leave the campaign: by the newest standing public release."""
    release = battle_set.campaign.releases.public().standing().first()
    if release is None:
        return _other_measures(battle_set, None, [], NO_PUBLIC_RELEASE)
    tags = set(_standing_runs(battle_set).values_list("tag", flat=True))
    runs = [run for run in public_runs(release) if run.tag in tags]
    return _other_measures(battle_set, release, without_late_runs(runs))


def _standing_runs(battle_set: BattleSet) -> QuerySet[AnswerRun]:
    return battle_set.runs.filter(withdrawn_at=None).order_by()


def _other_measures(
    battle_set: BattleSet, release: QrelsRelease | None, ranked: Sequence[Run], no_release: str = NO_RELEASE
) -> OtherMeasures:
    """Return the measures, computed once: answers, runs and releases never change.

    ranked: runs of documents, for nDCG. no_release: why there is no release.
    """
    runs = sorted(_standing_runs(battle_set).values_list("pk", flat=True))
    version = runs, [run.pk for run in ranked], release.sha256 if release else no_release

    def compute() -> tuple[list[OtherMeasure], CitedDocuments]:
        counts = _answer_counts(battle_set, runs)
        qrels = _relevant(release, {each.topic for each in counts})
        measures, cited = answer_measures(counts, qrels, no_release)
        if release and ranked:
            means = mean_scores(release, ranked, [parse_measure("nDCG")])[0].tolist()
            values = {run.tag: mean for run, mean in zip(ranked, means, strict=True)}
            measures.append(OtherMeasure(NDCG, values))
        return measures, cited

    name = f"battles-{battle_set.pk}-measures-{release.number if release else 0}"
    return OtherMeasures(release, *cached(battle_set.campaign, name, version, compute))


def _answer_counts(battle_set: BattleSet, runs: Sequence[int]) -> list[AnswerCounts]:
    """Return the answers of runs to the topics of the battles."""
    topics = battle_set.battles.order_by().values("topic")
    answers = Answer.objects.filter(run__in=runs, topic__in=topics).order_by("run", "topic")
    rows = answers.values_list("run__tag", "topic__number", "words", "sentences").iterator(chunk_size=500)
    counts = []
    for tag, topic, words, stored in rows:
        citations = [StoredSentence(*sentence).citations for sentence in stored]
        counts.append(
            AnswerCounts(
                tag,
                topic,
                words,
                len(citations),
                sum(bool(own) for own in citations),
                sum(len(own) for own in citations),
                frozenset(docno for own in citations for docno in own),
            )
        )
    return counts


def _relevant(release: QrelsRelease | None, topics: set[str]) -> RelevantDocuments | None:
    """Return what the qrels of a release say on some topics."""
    if release is None:
        return None
    qrels, threshold = qrels_of(release), threshold_of(release)
    relevant = RelevantDocuments({}, {})
    for place, topic in enumerate(qrels.topics):
        if topic in topics:
            rows = slice(*qrels.offsets[place : place + 2])
            docnos, grades = qrels.docnos[rows], qrels.grades[rows]
            for of_topic, chosen in (
                (relevant.relevant, grades >= threshold),
                (relevant.judged, grades >= 0),
            ):
                of_topic[topic] = frozenset(docno.decode() for docno in docnos[chosen].tolist())
    return relevant


def battle_release_faults(campaign: Campaign) -> Iterator[Faults]:
    """Check the archive of every release of battles against its checksum."""
    for release in BattleRelease.objects.filter(battle_set__campaign=campaign).order_by("pk"):
        try:
            with release.file.open("rb") as file:
                yield differing(
                    "battles", str(release), {"archive": (release.sha256, sha256_of_parts(file.chunks()))}
                )
        except OSError as error:
            yield [Fault("archive of battles", str(release), f"the file {release.file.name}", str(error))]


CHECKS = (Check("releases of battles", battle_release_faults),)


def results_of(campaign: Campaign) -> list[BattleSet]:
    """Return the sets of a campaign with their counts, newest first."""
    return list(sets_of(campaign))


def judge_numbers(battle_set: BattleSet) -> dict[str, str]:
    """Return username -> "judge 1", "judge 2" and so on, in the order of their first votes."""
    votes = BattleVote.objects.filter(battle__battle_set=battle_set).order_by()
    first = votes.values_list("battle__judge__username").annotate(first=Min("pk")).order_by("first")
    return {username: f"judge {place}" for place, (username, _) in enumerate(first, start=1)}


VOTE_COLUMNS = (
    "topic", "judge", "place", "left", "right", "choice", "winner", "is_repeat", "reason", "source",
    "pressed_at",
)  # fmt: skip


def vote_rows(battle_set: BattleSet) -> Iterator[dict[str, Any]]:
    """Yield every standing vote as a row of a file. winner: "" for a tie. Times are in UTC."""
    for vote in with_names(current_votes(battle_set)):
        named = vote_of(vote)
        pressed = vote.pressed_at.astimezone(UTC).isoformat(timespec="milliseconds")
        values = (
            named.topic, named.judge, vote.battle.place, named.left, named.right, vote.choice,
            named.winner or "", vote.battle.is_repeat, vote.reason, vote.source, pressed,
        )  # fmt: skip
        yield dict(zip(VOTE_COLUMNS, values, strict=True))


PUBLIC_COLUMNS = tuple(column for column in VOTE_COLUMNS if column != "reason")


def public_vote_rows(battle_set: BattleSet) -> Iterator[dict[str, Any]]:
    """Yield the rows of `vote_rows` with numbers for the names of judges, and without reasons."""
    numbers = judge_numbers(battle_set)
    for row in vote_rows(battle_set):
        yield row | {"judge": numbers[row["judge"]]}


RESULT_COLUMNS = (
    "system", "rank", "rank_best", "rank_worst", "log_strength", "low", "high", "elo", "win_rate", "battles",
    *KEYS,
)  # fmt: skip


def result_rows(result: BattleResult, others: OtherMeasures) -> Iterator[dict[str, Any]]:
    """Yield every system as a row of a file, best first. None where a figure is undefined."""
    values = {measure.key: measure.values for measure in others.measures}
    for row in result.rows:
        own = [values.get(key, {}).get(row.system) for key in KEYS]
        yield dict(zip(RESULT_COLUMNS, [*row[: len(RESULT_COLUMNS) - len(KEYS)], *own], strict=True))


def result_json(battle_set: BattleSet, result: BattleResult, others: OtherMeasures) -> dict[str, Any]:
    """Return the result of a set for JSON."""
    bias, length, swap = result.bias, result.length, result.swap
    agreement, model = result.agreement, result.ranking.model
    intervals = result.ranking.intervals
    return {
        "campaign": battle_set.campaign.slug,
        "battles": battle_set.number,
        "seed": battle_set.seed,
        "verdict": [*result.verdict],
        "votes": result.choices._asdict(),
        "judges": result.judges,
        "topics": result.topics,
        "prior": model.has_prior,
        "undefined": model.reason,
        "undefined_systems": result.about,
        "no_interval": result.ranking.no_interval,
        "draws": intervals.bootstrap.draws if intervals else 0,
        "systems": list(result_rows(result, others)),
        "wins": [
            {
                "row": name,
                "shares": [cell.share for cell in cells],
                "battles": [cell.battles for cell in cells],
            }
            for name, cells in result.matrix
        ],
        "neighbours": [
            {**pair._asdict(), "still_needed": pair.still_needed} for pair in result.neighbours
        ],
        "position": {
            "left": bias.left, "right": bias.right, "ties": bias.ties, "share": bias.share,
            "interval": bias.interval, "p": bias.test.p, "undefined": bias.test.reason,
        },
        "length": {
            "longer": length.left, "shorter": length.right, "ties": length.ties, "share": length.share,
            "interval": length.interval, "p": length.test.p, "undefined": length.test.reason,
        },
        "swap": swap._asdict(),
        "agreement": {
            "battles": agreement.share.n,
            "share": agreement.share.value,
            "kappa": agreement.kappa.value,
            "undefined": agreement.kappa.reason,
            "counts": agreement.counts.tolist(),
        },
        "transitivity": {**result.transitivity._asdict(), "share": result.transitivity.share},
        "davidson": {
            "nu": result.davidson.nu,
            "equal_tie_share": result.equal_tie_share,
            "undefined": result.davidson.reason,
        },
        "other_measures": {
            "qrels": others.release.number if others.release else None,
            "cited": others.cited._asdict(),
            "measures": [_order_json(order) for order in others.orders(result)],
        },
    }  # fmt: skip


def _order_json(order: OtherOrder) -> dict[str, Any]:
    values, ranks = order.measure.values, order.ranks
    return {
        "measure": order.measure.key,
        "name": order.measure.name,
        "undefined": order.measure.reason,
        "systems": {system: {"value": values[system], "rank": ranks[system]} for system in values},
        "tau_b": order.tau.value,
        "tau_systems": order.tau.n,
        "tau_undefined": order.tau.reason,
    }
