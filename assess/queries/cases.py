"""What a release made now would say of each document: the rule is applied once to each case that occurs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from accounts.models import User
from assess.consensus import MAJORITY
from assess.event_columns import REFUSED, EventColumns, Ints, distinct
from assess.queries.event_logs import standing_of
from assess.queries.pooled_columns import pooled_columns, pools_of
from assess.queries.releases import (
    grades_read,
    moment_of,
    pools_in,
    settled_grades,
    topics_in,
)
from assess.release_lines import Label, Labelled, Line, Settled, line_of
from assess.release_plan import ReleasePlan
from pooling.columns import Docnos
from pooling.models import Campaign

NOTHING = REFUSED - 1  # where a grade would stand: this judge has no label there


class Agreed(NamedTuple):
    """The grade of one pooled document after a rule was applied to its judges' grades."""

    topic: str
    docno: str
    relevance: int
    votes: int


class TopicCases(NamedTuple):
    """The documents of a topic with a label in the scope of a plan, by key.

    lines: one for each case that occurs, with the docno of one such document. line: of each document, the
    place of its case among them. docno: of each document.
    """

    topic: str
    lines: list[Line]
    line: Ints
    docno: Docnos


def agreed_grades(campaign: Campaign, rule: str = MAJORITY) -> list[Agreed]:
    """Apply a rule to the labels of people; topics in campaign order, docnos ascending."""
    return [
        Agreed(line.document.topic, line.document.docno, line.relevance, grades_read(line))
        for line in current_lines(campaign, ReleasePlan(rule))
        if line.relevance is not None
    ]


def current_lines(campaign: Campaign, plan: ReleasePlan) -> Iterator[Line]:
    """Yield the lines of a release made now, as `release_lines` does, without the times and the history."""
    for cases in current_cases(campaign, plan):
        for docno, place in sorted(zip(cases.docno.tolist(), cases.line.tolist(), strict=True)):
            line = cases.lines[place]
            yield line._replace(document=line.document._replace(docno=docno.decode()))


def current_cases(campaign: Campaign, plan: ReleasePlan) -> Iterator[TopicCases]:
    """Yield every topic in the scope of a plan, with or without a label; topics in campaign order."""
    scale, made = [grade.value for grade in campaign.grades], moment_of(campaign)
    settled, judges = settled_grades(campaign, made.at), _admitted(campaign, plan)
    pools, documents = dict(pools_in(campaign, plan).values_list("pk", "number")), pooled_columns(campaign)
    labels = standing_of(campaign)
    labels = labels.where(np.isin(labels.judge, list(judges)))
    labels = labels.where(np.isin(pools_of(campaign, labels.pooled), list(pools)))
    known: dict[tuple[bytes, str, Settled | None], Line] = {}
    for topic in topics_in(campaign, plan):
        said = _said(labels.where(labels.topic == topic.pk), list(judges))
        row = np.searchsorted(documents.pk, said.pooled)
        docno, pool = documents.docno[row], documents.pool[row]
        is_settled = np.isin(said.pooled, list(settled))
        line, examples = _alike(np.column_stack([said.grades, pool, np.where(is_settled, said.pooled, 0)]))
        lines = []
        for place in examples:
            number, grades = pools[int(pool[place])], said.grades[place]
            primary = made.primary.get((topic.number, number), "")
            grade = settled.get(int(said.pooled[place]))
            told = {"topic": topic.number, "docno": docno[place].decode(), "pool": number}
            case = grades.tobytes(), primary, grade
            if case not in known:
                given = zip(judges.values(), grades.tolist(), strict=True)
                votes = [_label(*each) for each in given if each[1] != NOTHING]
                known[case] = line_of(
                    Labelled(**told, labels=votes, primary=primary, settled=grade), plan, scale
                )
            lines.append(known[case]._replace(document=known[case].document._replace(**told)))
        yield TopicCases(topic.number, lines, line, docno)


class _Said(NamedTuple):
    """pooled: the documents with a label, by key. grades: of shape (documents, judges); REFUSED or NOTHING
    where there is none."""

    pooled: Ints
    grades: Ints


def _said(labels: EventColumns, judges: list[int]) -> _Said:
    """labels: of one topic, as they stand: by document. judges: ascending; every label is one of theirs."""
    pooled, document = distinct(labels.pooled)
    grades = np.full((len(pooled), len(judges)), NOTHING)
    grades[document, np.searchsorted(judges, labels.judge)] = labels.relevance
    return _Said(pooled, grades)


def _alike(rows: Ints) -> tuple[Ints, list[int]]:
    """Return the number of each row, the same for equal rows, and for each number the first such row."""
    numbers: dict[bytes, int] = {}
    whole = np.ascontiguousarray(rows).view(f"V{rows.itemsize * rows.shape[1]}").ravel()
    number = [numbers.setdefault(row, len(numbers)) for row in whole.tolist()]
    _, first = np.unique(number, return_index=True)
    return np.array(number, dtype=np.int64), first.tolist()


def _label(judge: Label, relevance: int) -> Label:
    return judge._replace(relevance=None if relevance == REFUSED else relevance)


def _admitted(campaign: Campaign, plan: ReleasePlan) -> dict[int, Label]:
    """Return judge -> a label of theirs without a grade, for all whose labels the plan reads, by key."""
    given = np.unique(standing_of(campaign).judge).tolist()
    people = User.objects.filter(pk__in=given).order_by("pk").values_list("pk", "username", "machine")
    labels = {pk: Label(username, machine is not None, None) for pk, username, machine in people}
    return {pk: label for pk, label in labels.items() if plan.admits(label.judge, label.machine)}
