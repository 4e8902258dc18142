"""ARGUE scores of runs from the labels of citations and of nuggets.

A citation attests its sentence if it supports it in full. A nugget is credited if the answer holds it in full
in a sentence that all of its citations attest. Nobody says which sentences without a citation need one, so
these do not count; nobody says here which cited documents are relevant, so citation relevance is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from assess.nuggets.banks import AVOID, Nugget, NuggetBank
from metrics.matchings.rubric import BankedNugget
from metrics.nuggets.argue import (
    COLUMNS,
    ArgueCounts,
    JudgedCitation,
    JudgedSentence,
    argue_counts,
    micro,
    score_rows,
)
from metrics.nuggets.argue import MEASURES as ALL_MEASURES
from metrics.nuggets.columns import measure_column
from metrics.nuggets.scores import NOT_WEIGHED, TO_AVOID, weight_of
from metrics.nuggets.values import NuggetMeasure, NuggetScore
from metrics.rankings.measure_columns import OrderedRuns, ordered_runs
from pooling.refusals import Refused

FIRST = "argue_f1"  # orders the runs
BY_NAME = {measure.name: measure for measure in ALL_MEASURES if measure.name != "argue_citation_relevance"}
MEASURES = (BY_NAME[FIRST], *(measure for name, measure in BY_NAME.items() if name != FIRST))
HEADINGS = {
    "f1": "F1",
    "f1_weighted": "F1, weighted",
    "sentence_support": "sentence support",
    "citation_support": "citation support",
    "nugget_coverage": "nugget coverage",
    "nugget_coverage_weighted": "nugget coverage, weighted",
}
NOT_ALL_ANSWERS = "not all answers have all labels"
ZERO = NuggetScore(0.0)


class LabelledReport(NamedTuple):
    """What judges say of the answer of a run to a topic.

    attested: for each sentence, whether each of its citations supports it in full; None where nobody can say.
    labelled: keys of the nuggets with a label. held: key of a nugget that the answer holds in full -> the
    place of the sentence that decided, from 1, or None.
    """

    attested: Sequence[Sequence[bool | None]]
    labelled: frozenset[int]
    held: Mapping[int, int | None]


class ScoredReport(NamedTuple):
    """counts: of the answer; None if labels are missing. scores: by the name of a measure."""

    counts: ArgueCounts | None
    scores: dict[str, NuggetScore]


class RunCounts(NamedTuple):
    """A run over all topics together. counts: of its answers with all labels. scores: micro averages."""

    run: str
    counts: ArgueCounts
    scores: dict[str, NuggetScore]

    @property
    def averages(self) -> list[NuggetScore]:
        """The micro averages in the order of the measures."""
        return list(self.scores.values())


@dataclass(frozen=True, eq=False)
class ArgueResult:
    """Everything that the page of results shows. by_run: run -> topic -> scores by short names.

    complete: answers with all labels of nuggets and citations, of `answers`.
    """

    ordered: OrderedRuns
    together: list[RunCounts]
    by_run: dict[str, dict[str, dict[str, NuggetScore]]]
    answers: int
    complete: int

    def rows(self) -> list[dict[str, str]]:
        """Return the scores of all runs as Auto-ARGUE writes those of one, the best run first."""
        tables = [score_rows(self.by_run[each.run], each.scores, each.run) for each in self.together]
        return [dict(zip(COLUMNS, row, strict=True)) for own in tables for row in own]


def short(measure: NuggetMeasure) -> str:
    return measure.name.removeprefix("argue_")


def scored_report(report: LabelledReport, nuggets: Sequence[BankedNugget]) -> ScoredReport:
    """Return the scores of an answer. nuggets: of its topic."""
    reason = _missing(report, nuggets)
    counts = None if reason else _counts(report, nuggets)
    scores = {}
    for measure in MEASURES:
        why_not = reason or _why_undefined(short(measure), report, nuggets)
        is_defined = counts is not None and not why_not
        scores[short(measure)] = measure.compute(counts) if is_defined else NuggetScore(None, why_not)
    return ScoredReport(counts, scores)


def _missing(report: LabelledReport, nuggets: Sequence[BankedNugget]) -> str:
    """Return which labels are missing, in words; "" if none is."""
    citations = [attested for sentence in report.attested for attested in sentence]
    without = [nugget for nugget in nuggets if nugget.key not in report.labelled]
    missing = []
    if count := citations.count(None):
        missing.append(f"{count:,} of {len(citations):,} citations are not judged")
    if without:
        missing.append(f"{len(without):,} of {len(nuggets):,} nuggets have no label")
    return "; ".join(missing)


def _counts(report: LabelledReport, nuggets: Sequence[BankedNugget]) -> ArgueCounts:
    """Return the counts. A question is one nugget: its label is on all of its answers together."""
    texts = {nugget.key: nugget.text for nugget in nuggets}
    of_sentence: dict[int | None, list[tuple[str, str]]] = {}
    for key, place in report.held.items():
        of_sentence.setdefault(place, []).append((texts[key], ""))
    sentences = [
        JudgedSentence(
            tuple(JudgedCitation("", bool(attested)) for attested in sentence),
            tuple(of_sentence.get(place, ())),
        )
        for place, sentence in enumerate(report.attested, start=1)
    ]
    weighed = not _not_weighed(nuggets)
    bank = tuple(Nugget(nugget.text, nugget.importance if weighed else None) for nugget in nuggets)
    return argue_counts(sentences, NuggetBank("", bank))


def _why_undefined(name: str, report: LabelledReport, nuggets: Sequence[BankedNugget]) -> str:
    """Return why an answer with all labels has no score by a measure; "" if its counts say."""
    if not name.startswith(("nugget", "f1")):
        return ""
    if any(nugget.importance == AVOID for nugget in nuggets):
        return TO_AVOID
    if unplaced := sum(place is None for place in report.held.values()):
        return f"{unplaced:,} of {len(report.held):,} nuggets in the answer have no sentence"
    return _not_weighed(nuggets) if name.endswith("weighted") else ""


def _not_weighed(nuggets: Sequence[BankedNugget]) -> str:
    """Return that the nuggets have no weights, "" if they have. Without an importance each weighs 1."""
    try:
        for nugget in nuggets:
            weight_of(1 if nugget.importance is None else nugget.importance)
    except Refused:
        return NOT_WEIGHED
    return ""


def argue_result(
    reports: Mapping[tuple[str, str], LabelledReport],
    bank: Mapping[str, Sequence[BankedNugget]],
    runs: Sequence[str],
) -> ArgueResult:
    """Return the result. reports: (topic, run) -> labels of an answer. bank: topic -> its nuggets.

    A topic that a run does not answer counts 0. A mean is over the topics in which every run has a score.
    """
    scored = {place: scored_report(report, bank[place[0]]) for place, report in reports.items()}
    by_run = {run: {topic: _scores_of(scored.get((topic, run))) for topic in bank} for run in sorted(runs)}
    columns = [
        measure_column(
            measure,
            short(measure),
            {topic: [by_run[run][topic][short(measure)] for run in by_run] for topic in bank},
            NOT_ALL_ANSWERS,
        )._replace(heading=HEADINGS[short(measure)])
        for measure in MEASURES
    ]
    ordered = ordered_runs(list(by_run), columns)
    together = [
        _together(run, [scored.get((topic, run), _unanswered(own)) for topic, own in bank.items()])
        for run in ordered.runs
    ]
    complete = sum(report.counts is not None for report in scored.values())
    return ArgueResult(ordered, together, by_run, len(scored), complete)


def _scores_of(report: ScoredReport | None) -> dict[str, NuggetScore]:
    return report.scores if report else {short(measure): ZERO for measure in MEASURES}


def _unanswered(nuggets: Sequence[BankedNugget]) -> ScoredReport:
    """Return the scores of a topic without an answer: in micro averages only its nuggets count."""
    every = frozenset(nugget.key for nugget in nuggets)
    return scored_report(LabelledReport([], every, {}), nuggets)


def _together(run: str, reports: Sequence[ScoredReport]) -> RunCounts:
    """Return micro averages: each over the answers whose counts say something of it."""
    averages = {}
    for measure in MEASURES:
        name = short(measure)
        usable = [each.counts for each in reports if each.counts and not _is_refused(each, name)]
        averages[name] = measure.compute(micro(usable))
    return RunCounts(run, micro(each.counts for each in reports if each.counts), averages)


def _is_refused(report: ScoredReport, name: str) -> bool:
    """Return whether an answer has counts and yet no score by a measure, because they do not hold."""
    of_counts: NuggetScore = getattr(report.counts, name)
    return report.scores[name].reason != of_counts.reason
