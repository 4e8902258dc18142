"""How a program and people agree on the same nuggets of the same answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import NO_OVERLAP, ONE_CATEGORY, TOO_FEW, Coefficient
from assess.kappa.labels import labels_of
from assess.kappa.pairs import pair_report
from assess.nuggets.assignments import Assignment
from metrics.machine_audits.intervals import Estimate, undefined
from metrics.matchings.result import MatchedNugget

Cell = tuple[str, str, int]
"""Topic, run and key of a nugget."""

ORDER = (Assignment.CONTRADICTS, Assignment.NONE, Assignment.PARTIAL, Assignment.SUPPORT)
"""Assignments as places on a scale, ascending."""

METHOD = "bootstrap over topics"
NO_COMMON = "no label of people is on an answer and a nugget that the program labelled"
ONE_COMMON = "only one label of people is on an answer and a nugget that the program labelled"
SAME = "all labels are the same, so that chance alone could not disagree"
FEW_TOPICS = "fewer than 10 topics have labels of both"
REASONS = {NO_OVERLAP: NO_COMMON, TOO_FEW: ONE_COMMON, ONE_CATEGORY: SAME}


class ProgramAgreement(NamedTuple):
    """Labels of people beside those of a program; each label of a person counts.

    values: of the rows and columns, the best first. table: rows people, columns the program. topics: with
    common labels. share: of equal labels. kappa: Cohen's, of all values. strict: kappa of support or not.
    """

    values: list[Assignment]
    table: list[list[int]]
    topics: int
    share: Estimate
    kappa: Estimate
    strict: Estimate

    @property
    def labels(self) -> int:
        return sum(map(sum, self.table))

    @property
    def same(self) -> int:
        return sum(own[place] for place, own in enumerate(self.table))

    @property
    def rows(self) -> list[tuple[Assignment, list[tuple[int, float, bool]], int]]:
        """Value, (count, share of the row, whether both say the same) of each column, and the sum."""
        rows = []
        for place, (value, counts) in enumerate(zip(self.values, self.table, strict=True)):
            total = sum(counts)
            cells = [(count, count / total if total else 0.0, place == at) for at, count in enumerate(counts)]
            rows.append((value, cells, total))
        return rows


def program_agreement(
    program: Mapping[Cell, Assignment], people: Sequence[MatchedNugget], contradicts: bool = False
) -> ProgramAgreement:
    """Return the agreement of a program with people.

    contradicts: whether labels can say so. Intervals are at 95 %, by bootstrap over topics, since labels of a
    topic are not independent; there are none for fewer than ten topics. Coefficients are undefined for fewer
    than two common labels, kappas also where all labels are the same.
    """
    scale = ORDER if contradicts else ORDER[1:]
    common = [(each, program[cell]) for each in people if (cell := cell_of(each)) in program]
    places = [
        [scale.index(each.assignment) for each, _ in common],
        [scale.index(own) for _, own in common],
    ]
    grades = range(len(scale))
    topic = [each.topic for each, _ in common]
    labels = labels_of(places, grades, scale.index(Assignment.SUPPORT), topic, judges=("people", "program"))
    report = pair_report(labels, "people", "program", Bootstrap())
    share, kappa, strict = (
        estimate_of_coefficient(report.coefficients[key]) for key in ("percent", "cohen", "cohen-binary")
    )
    table = report.counts[::-1, ::-1].tolist()
    return ProgramAgreement([*reversed(scale)], table, len({*topic}), share, kappa, strict)


def cell_of(label: MatchedNugget) -> Cell:
    return label.topic, label.run, label.nugget


def estimate_of_coefficient(coefficient: Coefficient) -> Estimate:
    """Return a coefficient with its bootstrap interval over topics as an estimate."""
    if coefficient.value is None:
        return undefined(METHOD, coefficient.n, REASONS.get(coefficient.reason, coefficient.reason))
    low, high = coefficient.interval or (None, None)
    note = (
        ""
        if coefficient.interval
        else FEW_TOPICS
        if "topic" in coefficient.no_interval
        else coefficient.no_interval
    )
    return Estimate(coefficient.value, None, low, high, METHOD, coefficient.n, note)
