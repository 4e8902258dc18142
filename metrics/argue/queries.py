"""The labels of a matching and of a set of citations, together by answer, and their ARGUE scores."""

from __future__ import annotations

from collections.abc import Mapping

from django.db.models import QuerySet

from assess.matchings.queries.differences import standing_decisions
from assess.models import Matching, NuggetLabel, SupportLabel, SupportSet
from assess.nuggets.assignments import Assignment
from assess.support.labels import SupportWord
from metrics.argue.result import ArgueResult, LabelledReport, argue_result
from metrics.matchings import queries as matchings
from metrics.support import queries as support
from metrics.support.result import Citations
from pooling.models import Campaign
from pooling.queries.caching import cached

Answer = tuple[str, str]
"""Topic and run."""


def usable_sets(campaign: Campaign) -> QuerySet[SupportSet]:
    """Return the sets with all citations of a sentence, newest first."""
    return campaign.support_sets.filter(every=True)


def found_argue(matching: Matching, about: SupportSet) -> ArgueResult:
    """Return the result, computed once for each state of the labels."""
    nugget_labels, support_labels = matchings.labels_of(matching), support.labels_of(about)
    decisions = standing_decisions(matching)
    tags = [
        set(each.runs.filter(withdrawn_at=None).values_list("tag", flat=True)) for each in (matching, about)
    ]
    runs = sorted(tags[0] & tags[1])

    def compute() -> ArgueResult:
        cited, of_support = support.citations_of(about)
        bank = {topic: own for topic, own in matchings.bank_of(matching).items() if topic in of_support}
        attested = _attested(support_labels, cited)
        said = _said(nugget_labels, matchings.settled_in(nugget_labels, decisions))
        reports = {}
        for topic, run in matchings.answered_in(matching):
            if topic in bank and run in runs:
                place = topic, run
                labels = said.get(place, {})
                held = {
                    key: sentence for key, (value, sentence) in labels.items() if value == Assignment.SUPPORT
                }
                reports[place] = LabelledReport(attested.get(place, []), frozenset(labels), held)
        return argue_result(reports, bank, runs)

    decided = tuple(sorted(decision.pk for decision in decisions.values()))
    of_labels = [tuple(label.pk for label in labels) for labels in (nugget_labels, support_labels)]
    version = *of_labels, tuple(runs), decided
    return cached(matching.campaign, f"argue-{matching.pk}-{about.pk}", version, compute)


def _attested(labels: list[SupportLabel], cited: Citations) -> dict[Answer, list[list[bool | None]]]:
    """Return for each sentence of an answer whether each citation supports it in full; None if not judged.

    Of two judges, the one who has judged all citations counts; if both have, the one who began first.
    """
    given: dict[Answer, dict[int, dict[tuple[int, int], bool]]] = {}
    for label in labels:
        own = given.setdefault((label.task.answer.topic.number, label.task.answer.run.tag), {})
        by_place = own.setdefault(label.task.judge_id, {})
        if label.support != SupportWord.CANNOT:
            by_place[label.task.sentence, label.task.citation] = label.support == SupportWord.FULL
    attested = {}
    for place, counts in cited.items():
        judges = list(given.get(place, {}).values()) or [{}]
        best = max(judges, key=len)  # the first of those with as many
        attested[place] = [
            [best.get((sentence, citation)) for citation in range(1, count + 1)]
            for sentence, count in enumerate(counts, start=1)
        ]
    return attested


def _said(
    labels: list[NuggetLabel], settled: Mapping[tuple[str, str, int], Assignment]
) -> dict[Answer, dict[int, tuple[Assignment, int | None]]]:
    """Return for each answer the key of a nugget -> its label, and the sentence that decided.

    Of two judges as in `_attested`. Where an adjudicator decided, the decision counts, with a sentence of one
    of the judges.
    """
    given: dict[Answer, dict[int, dict[int, tuple[Assignment, int | None]]]] = {}
    sentences: dict[tuple[str, str, int], int] = {}
    for label in labels:
        each = matchings.matched_of(label)
        case = each.topic, each.run, each.nugget
        own = given.setdefault(case[:2], {}).setdefault(label.task.judge_id, {})
        own[each.nugget] = settled.get(case, each.assignment), label.sentence
        if label.sentence is not None:
            sentences.setdefault(case, label.sentence)
    claims = {}
    for place, judges in given.items():
        best = max(judges.values(), key=len)
        claims[place] = {
            key: (
                value,
                sentences.get((*place, key)) if (*place, key) in settled and sentence is None else sentence,
            )
            for key, (value, sentence) in best.items()
        }
    return claims
