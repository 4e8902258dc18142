"""Nuggets of answers on which judges differ, as an adjudicator settles them, and the decisions that stand."""

from __future__ import annotations

from typing import NamedTuple

from assess.document.answers import bare_text
from assess.matchings.queries.tasks import standing_labels
from assess.matchings.words import LABELS
from assess.models import Answer, BankNugget, Matching, NuggetDecision, NuggetLabel
from pooling.strategies.draws import draw_source, shuffle

CaseKey = tuple[int, int]
"""The keys of an answer and of a nugget."""


class CaseChange(NamedTuple):
    """A decision as a page submits it. shown: the one that the page showed. "" is an open case."""

    shown: str
    decided: str


class CaseSide(NamedTuple):
    """What one judge says. letter: A or B, drawn for each case. sentence: the place, if one decided."""

    letter: str
    label: str
    sentence: int | None
    text: str


class NuggetCase(NamedTuple):
    """A nugget of an answer on which judges differ. decision: the one that stands, if there is one."""

    answer: Answer
    nugget: BankNugget
    sides: list[CaseSide]
    decision: NuggetDecision | None

    @property
    def key(self) -> CaseKey:
        return self.answer.pk, self.nugget.pk

    @property
    def field(self) -> str:
        """The name of its field in a form."""
        return f"case_{self.answer.pk}_{self.nugget.pk}"

    @property
    def decided(self) -> str:
        """The decision in words, "" without one."""
        return LABELS[self.decision.assignment] if self.decision else ""


def standing_decisions(matching: Matching) -> dict[CaseKey, NuggetDecision]:
    """Return the decision that counts of each case that has one."""
    last = {(each.answer_id, each.nugget_id): each for each in matching.decisions.order_by("pk")}
    return {key: each for key, each in last.items() if each.assignment}


def nugget_cases(matching: Matching) -> list[NuggetCase]:
    """Return the nuggets on which judges differ, by topic; not of answers of withdrawn runs.

    Open ones first. An answer stands among others of its topic in a random order, without its run.
    """
    tasks = matching.tasks.filter(answer__run__withdrawn_at=None)
    given: dict[CaseKey, list[NuggetLabel]] = {}
    for label in standing_labels(tasks).select_related("nugget", "task__answer__topic"):
        given.setdefault((label.task.answer_id, label.nugget_id), []).append(label)
    decisions, cases = standing_decisions(matching), []
    for key, labels in given.items():
        if len({label.assignment for label in labels}) > 1:
            draw = draw_source(matching.seed, f"case {key[0]} {key[1]}")
            by_judge = {str(label.task.judge_id): label for label in labels}
            drawn = [by_judge[judge] for judge in shuffle(list(by_judge), draw, "sides")]
            sides = [_side(chr(65 + place), label) for place, label in enumerate(drawn)]
            cases.append(NuggetCase(labels[0].task.answer, labels[0].nugget, sides, decisions.get(key)))
    return sorted(
        cases,
        key=lambda case: (case.decision is not None, case.answer.topic.place, case.nugget.place, case.key),
    )


def _side(letter: str, label: NuggetLabel) -> CaseSide:
    sentences = label.task.answer.stored_sentences
    text = bare_text(sentences[label.sentence - 1].text) if label.sentence else ""
    return CaseSide(letter, LABELS[label.assignment], label.sentence, text)
