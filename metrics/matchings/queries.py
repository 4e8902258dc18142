"""The labels of a matching, and their result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from assess.matchings.queries.differences import CaseKey, standing_decisions
from assess.matchings.queries.tasks import standing_labels
from assess.models import Answer, BankNugget, Matching, NuggetDecision, NuggetLabel
from assess.nuggets.assignments import AssignedAnswer, Assignment
from metrics.matchings.result import (
    Bank,
    MatchedNugget,
    MatchingResult,
    Settled,
    answer_scores,
    assigned,
    matching_result,
    with_decisions,
)
from metrics.matchings.rubric import MEASURES as RUBRIC_MEASURES
from metrics.matchings.rubric import BankedNugget
from metrics.nuggets.scores import MEASURES
from pooling.queries.caching import cached


def labels_of(matching: Matching) -> list[NuggetLabel]:
    """Return the labels that count, in the order of time. Not those of answers of withdrawn runs."""
    tasks = matching.tasks.filter(answer__run__withdrawn_at=None)
    related = ("nugget", "task__judge", "task__answer__topic", "task__answer__run")
    defer = [f"task__answer__{field}" for field in ("sentences", "references", "metadata")]
    return list(standing_labels(tasks).select_related(*related).defer(*defer))


def matched_of(label: NuggetLabel) -> MatchedNugget:
    answer, given = label.task.answer, Assignment(label.assignment)
    return MatchedNugget(
        answer.topic.number, answer.run.tag, label.task.judge.username, label.nugget_id, given
    )


def answered_in(matching: Matching) -> set[tuple[str, str]]:
    """Return (topic, run) of the answers that judges got and that were not withdrawn."""
    tasks = matching.tasks.filter(answer__run__withdrawn_at=None).order_by()
    return set(tasks.values_list("answer__topic__number", "answer__run__tag"))


def bank_of(matching: Matching) -> Bank:
    """Return the nuggets of the topics of a matching, in the order of the campaign."""
    topics = matching.tasks.order_by().values("answer__topic")
    bank: dict[str, list[BankedNugget]] = {}
    own = BankNugget.objects.filter(bank=matching.bank_id, topic__in=topics).order_by("topic__place", "place")
    for key, topic, text, importance, extra in own.values_list(
        "pk", "topic__number", "text", "importance", "extra"
    ):
        question = extra.get("question", "")
        of_rubric = question if isinstance(question, str) else ""
        bank.setdefault(topic, []).append(BankedNugget(key, text, importance, of_rubric))
    return bank


def settled_in(labels: Iterable[NuggetLabel], decisions: Mapping[CaseKey, NuggetDecision]) -> Settled:
    """Return the decisions on the cases of these labels, as results name them.

    A decision counts while judges differ: once they agree, their labels count again.
    """
    said: dict[CaseKey, dict[str, MatchedNugget]] = {}
    for label in labels:
        said.setdefault((label.task.answer_id, label.nugget_id), {})[label.assignment] = matched_of(label)
    return {
        (each.topic, each.run, each.nugget): Assignment(decisions[key].assignment)
        for key, values in said.items()
        if key in decisions and len(values) > 1
        for each in [next(iter(values.values()))]
    }


def counting_labels(matching: Matching) -> list[MatchedNugget]:
    """Return the labels as they count in scores, with the decisions of adjudicators."""
    labels = labels_of(matching)
    settled = settled_in(labels, standing_decisions(matching))
    return with_decisions([matched_of(label) for label in labels], settled)


def found_result(matching: Matching) -> MatchingResult:
    """Return the result of a matching, computed once for each state of its labels."""
    labels = labels_of(matching)
    runs = list(matching.runs.filter(withdrawn_at=None).values_list("tag", flat=True))

    decisions = standing_decisions(matching)

    def compute() -> MatchingResult:
        matched, settled = [matched_of(label) for label in labels], settled_in(labels, decisions)
        bank, answered = bank_of(matching), answered_in(matching)
        return matching_result(matched, bank, answered, runs, matching.contradicts, settled)

    decided = tuple(sorted(decision.pk for decision in decisions.values()))
    version = tuple(label.pk for label in labels), tuple(runs), decided
    return cached(matching.campaign, f"matchings-{matching.pk}", version, compute)


def assigned_answers(matching: Matching) -> Iterator[AssignedAnswer]:
    """Yield the answers with their labels; of two judges, those of the one who began first."""
    own: dict[tuple[str, str], dict[int, Assignment]] = {}
    judges: dict[tuple[str, str], str] = {}
    for each in counting_labels(matching):
        place = each.topic, each.run
        if judges.setdefault(place, each.judge) == each.judge:
            own.setdefault(place, {})[each.nugget] = each.assignment
    bank = bank_of(matching)
    answers = Answer.objects.filter(pk__in=matching.tasks.order_by().values("answer"))
    for answer in answers.select_related("topic", "run").order_by("topic__place", "run__tag").iterator():
        place = answer.topic.number, answer.run.tag
        if labels := own.get(place):
            text = " ".join(sentence.text.strip() for sentence in answer.stored_sentences)
            extra = {"answer_text": text, "response_length": answer.words}
            nuggets = tuple(assigned(bank[place[0]], labels))
            yield AssignedAnswer(*place, nuggets, answer.topic.title, extra)


def score_columns(matching: Matching) -> tuple[str, ...]:
    rubric = RUBRIC_MEASURES if matching.contradicts else ()
    return ("topic", "run", "judges", *(measure.name for measure in (*MEASURES, *rubric)))


def score_rows(matching: Matching) -> Iterator[dict[str, Any]]:
    """Yield a row for each answer: its scores, "" where one is undefined."""
    for each in answer_scores(counting_labels(matching), bank_of(matching), answered_in(matching)):
        scores = [*each.scores, *(each.rubric if matching.contradicts else ())]
        values = ["" if score.value is None else f"{score.value:.6f}" for score in scores]
        yield dict(zip(score_columns(matching), (each.topic, each.run, each.judges, *values), strict=True))


LABEL_COLUMNS = (
    "topic", "run", "judge", "nugget", "importance", "assignment", "decision", "sentence", "pressed_at",
)  # fmt: skip


def label_rows(matching: Matching) -> Iterator[dict[str, Any]]:
    """Yield a row for each label. Judges have numbers, by their first labels. decision: of an adjudicator."""
    numbers, labels = dict[str, int](), labels_of(matching)
    settled = settled_in(labels, standing_decisions(matching))
    for label in labels:
        each, nugget = matched_of(label), label.nugget
        number = numbers.setdefault(each.judge, len(numbers) + 1)
        pressed = label.pressed_at.isoformat(timespec="seconds")
        importance = "" if nugget.importance is None else nugget.importance
        sentence = "" if label.sentence is None else label.sentence
        decision = settled.get((each.topic, each.run, each.nugget), "")
        values = (
            each.topic, each.run, number, nugget.text, importance, label.assignment, decision, sentence,
            pressed,
        )  # fmt: skip
        yield dict(zip(LABEL_COLUMNS, values, strict=True))
