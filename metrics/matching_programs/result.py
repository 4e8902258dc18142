"""What a program is worth in place of people: its labels beside theirs on the same nuggets and answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from assess.kappa.doubled import DoubledLabels
from assess.nuggets.assignments import Assignment
from metrics.matching_programs.agreement import Cell, ProgramAgreement, program_agreement
from metrics.matching_programs.differences import MeasureDifferences, differences
from metrics.matching_programs.favours import RunError, run_errors
from metrics.matching_programs.verdict import MatchingVerdict, verdict
from metrics.matchings.result import Bank, MatchedNugget, two_judges


@dataclass(frozen=True, eq=False)
class MatchingProgramResult:
    """What the page of results of a program shows.

    labels: of the program. runs: by people's mean of the lead measure, the best first. favours: in that
    order.
    """

    labels: int
    runs: list[str]
    measures: list[MeasureDifferences]
    agreement: ProgramAgreement
    people: DoubledLabels[Assignment]
    favours: list[RunError]
    verdict: MatchingVerdict

    @property
    def lead(self) -> MeasureDifferences:
        """The first measure by which an answer has scores of both, else the first."""
        return lead_of(self.measures)

    @property
    def people_share(self) -> float | None:
        """The share of equal labels of two people."""
        return self.people.same / self.people.kappa.n if self.people.kappa.n else None


def matching_program_result(
    program: Mapping[Cell, Assignment],
    people: Sequence[MatchedNugget],
    bank: Bank,
    answered: Collection[tuple[str, str]],
    runs: Collection[str],
    contradicts: bool = False,
) -> MatchingProgramResult:
    """Return what is known of a program.

    program: its label of each nugget and answer. people: their labels, in the order of time. bank, answered,
    contradicts: as of `metrics.matchings.result.matching_result`.
    """
    names = sorted(runs)
    measures = differences(program, people, bank, answered, names)
    lead = lead_of(measures)
    means = {name: own.people for name, own in zip(names, lead.runs, strict=True)}
    order = sorted(names, key=lambda name: -1.0 if (mean := means[name]) is None else mean, reverse=True)
    places = [names.index(name) for name in order]
    measures = [each._replace(runs=[each.runs[place] for place in places]) for each in measures]
    lead = lead_of(measures)
    agreement, pairs = program_agreement(program, people, contradicts), two_judges(people, contradicts)
    favours = run_errors(program, people, order)
    return MatchingProgramResult(
        len(program),
        order,
        measures,
        agreement,
        pairs,
        favours,
        verdict(agreement, pairs, favours, lead.overall, lead.tau),
    )


def lead_of(measures: Sequence[MeasureDifferences]) -> MeasureDifferences:
    return next((each for each in measures if each.overall.value is not None), measures[0])
