"""Comparisons of two runs by interleaving: what their clicks say, beside the scores of both runs."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from django.core.exceptions import ObjectDoesNotExist
from django.db.models import Count, Q, QuerySet

from assess.models import QrelsRelease
from assess.queries.release_plans import latest_visible_release
from metrics.interleaving.agreement import BY_TOPIC, Finding, agreement_in_words
from metrics.interleaving.clicks import Comparison
from metrics.interleaving.lists import (
    ListPlan,
    MergedList,
    Rankings,
    as_json_lines,
    merged_lists,
    stored_lists,
)
from metrics.interleaving.merging import DEPTH
from metrics.interleaving.outcome import (
    OutcomeCounts,
    Preference,
    delta_of,
    preference,
    sign_preference,
    total,
)
from metrics.measures.names import usual_measures
from metrics.models import Interleaving, InterleavingClicks
from metrics.queries.scores import score_table
from metrics.significance.paired import PairedTest, paired_t_test
from pooling.checksum import sha256_of, sha256_of_parts
from pooling.integrity import Check, Fault, Faults, differing
from pooling.models import Campaign, Run, Topic
from pooling.queries.runs import docno_table, run_columns


def interleavings_with_clicks(campaign: Campaign) -> QuerySet[Interleaving]:
    """Return the comparisons with `file_count`, the number of files of clicks that count."""
    counts = Count("clicks", filter=Q(clicks__withdrawn_at=None))
    return campaign.interleavings.annotate(file_count=counts).select_related("run_a", "run_b")


def rankings_of(run: Run) -> dict[str, list[str]]:
    """Return topic -> the first DEPTH documents of a run, in scoring order."""
    columns, names = run_columns(run), docno_table(run.campaign)
    rankings = {}
    for topic, (start, end) in zip(columns.topics, pairwise(columns.offsets.tolist()), strict=True):
        ids = columns.scored_ids[start : min(end, start + DEPTH)].astype(np.int64)
        rankings[topic] = [docno.decode() for docno in names.docnos(ids).tolist()]
    return rankings


def lists_of(interleaving: Interleaving) -> list[MergedList]:
    with interleaving.file.open("rb") as file:
        return list(stored_lists(file.read()))


def comparison_of(interleaving: Interleaving) -> Comparison:
    """Return what a file of clicks is compared with."""
    plan, rankings = interleaving_plan_of(interleaving), comparison_rankings(interleaving)
    return Comparison((plan.run_a, plan.run_b), plan.method, rankings, lists_of(interleaving))


def comparison_rankings(interleaving: Interleaving) -> tuple[Rankings, Rankings]:
    return rankings_of(interleaving.run_a), rankings_of(interleaving.run_b)


def interleaving_plan_of(interleaving: Interleaving) -> ListPlan:
    """Return what the lists were merged by, with the tags that the runs had then."""
    chosen = {key: interleaving.parameters[key] for key in ("run_a", "run_b", "length", "seed", "lists")}
    return ListPlan(method=interleaving.method, **chosen)


class TopicOutcome(NamedTuple):
    """A topic of the comparison. delta: None without a session. winner: a tag, "" if both have as much."""

    topic: Topic
    counts: OutcomeCounts
    delta: float | None
    winner: str


class ScoreLine(NamedTuple):
    """The scores of both runs on one measure. test: of the first less the second."""

    measure: str
    a: float
    b: float
    test: PairedTest


class InterleavingResult(NamedTuple):
    """All that the clicks say. by_topic: the sign test over topics, each won by the run that leads there.

    counted: those of the files that are not withdrawn, of which the figures are. scores: empty where the runs
    have none. answer: whether users and qrels agree.
    """

    overall: Preference
    by_topic: Preference
    lines: list[TopicOutcome]
    files: list[InterleavingClicks]
    counted: list[InterleavingClicks]
    release: QrelsRelease | None
    scores: list[ScoreLine]
    answer: str


def interleaving_result(interleaving: Interleaving, campaign: Campaign) -> InterleavingResult:
    """Return the result of the files of clicks that count. campaign: with `my_roles`, for the release."""
    files = list(interleaving.clicks.select_related("loaded_by"))
    counted = [file for file in files if not file.withdrawn_at]
    tags = interleaving.run_a.tag, interleaving.run_b.tag
    lines = list(_lines(interleaving, campaign, counted, tags))
    whole = interleaving.method != Interleaving.Method.PROBABILISTIC
    overall = preference(total(line.counts for line in lines), whole)
    release = latest_visible_release(campaign)
    scores = score_lines(release, interleaving) if release else []
    users = None if overall.delta is None else Finding(overall.delta, overall.p)
    qrels = Finding(scores[0].a - scores[0].b, scores[0].test.p) if scores else None
    answer, by_topic = (
        agreement_in_words(tags, scores[0].measure if scores else "", users, qrels),
        _won(lines),
    )
    if users and users.is_significant and not Finding(0, by_topic.p).is_significant:
        answer = f"{answer} {BY_TOPIC}"
    return InterleavingResult(overall, by_topic, lines, files, counted, release, scores, answer)


def _lines(
    interleaving: Interleaving, campaign: Campaign, files: list[InterleavingClicks], tags: tuple[str, str]
) -> Iterator[TopicOutcome]:
    """Yield the topics that have lists or sessions."""
    listed = set(interleaving.parameters["topics"])
    for topic in campaign.topics.defer("description", "narrative"):
        counted = [OutcomeCounts(*file.counts[topic.number]) for file in files if topic.number in file.counts]
        if counted or topic.number in listed:
            counts = total(counted)
            delta = delta_of(counts)
            yield TopicOutcome(topic, counts, delta, tags[delta < 0] if delta else "")


def _won(lines: list[TopicOutcome]) -> Preference:
    deltas = [line.delta for line in lines if line.delta is not None]
    wins_a, wins_b = sum(delta > 0 for delta in deltas), sum(delta < 0 for delta in deltas)
    n = len(deltas)
    return sign_preference(OutcomeCounts(n, n, wins_a, wins_b, n - wins_a - wins_b, wins_a + wins_b))


def score_lines(release: QrelsRelease, interleaving: Interleaving) -> list[ScoreLine]:
    """Return the scores of both runs on the default measures; none if a run was withdrawn."""
    runs = [interleaving.run_a, interleaving.run_b]
    if any(run.withdrawn_at for run in runs):
        return []
    table = score_table(release, runs, usual_measures(len(release.manifest["scale"])))
    lines = []
    for measure in table.measures:
        values, (a, b) = table.of(measure.name)
        lines.append(ScoreLine(measure.name, a, b, paired_t_test(values[0], values[1])))
    return lines


def interleaving_faults(campaign: Campaign) -> Iterator[Faults]:
    """Yield the faults of every comparison by interleaving: a file, or lists, that differ."""
    for compared in campaign.interleavings.select_related("run_a", "run_b").order_by("number"):
        yield [*_list_file_faults(compared), *_merged_faults(compared)]


def _list_file_faults(compared: Interleaving) -> Faults:
    try:
        with compared.file.open("rb") as file:
            sides = {"file": (compared.sha256, sha256_of_parts(file.chunks()))}
    except OSError as error:
        return [Fault("interleaving file", str(compared), f"the file {compared.file.name}", str(error))]
    return differing("interleaving", str(compared), sides)


def _merged_faults(compared: Interleaving) -> Faults:
    try:
        plan, rankings = interleaving_plan_of(compared), comparison_rankings(compared)
        lists = merged_lists(plan, *rankings, compared.parameters["topics"])
        sides = {"lists": (sha256_of(as_json_lines(plan, lists)), compared.sha256)}
    except (ValueError, LookupError, ObjectDoesNotExist, TypeError, zlib.error) as error:
        return [Fault("interleaving lists", str(compared), "lists that can be merged again", str(error))]
    return differing("interleaving", str(compared), sides)


CHECKS = (Check("interleavings", interleaving_faults),)
