"""The labels of programs and of people on the same nuggets and answers, and what they say of the programs."""

from __future__ import annotations

from assess.machines.model_families import runs_of_family
from assess.matching_programs.queries.labels import labels_by_cell
from assess.matching_programs.queries.requests import cells_of
from assess.models import MatchingProgram
from assess.nuggets.assignments import Assignment
from metrics.matching_programs.agreement import Cell
from metrics.matching_programs.result import MatchingProgramResult, matching_program_result
from metrics.matchings.queries import answered_in, bank_of, labels_of, matched_of
from pooling.queries.caching import cached


def result_of(program: MatchingProgram) -> MatchingProgramResult:
    """Return the result of a program, computed once for each state of its files and of people's labels."""
    matching = program.matching
    labels = labels_of(matching)
    runs = list(matching.runs.filter(withdrawn_at=None).values_list("tag", flat=True))
    loads = program.loads.filter(withdrawn_at=None).values_list("pk", flat=True)  # a file never changes

    def compute() -> MatchingProgramResult:
        people = [matched_of(label) for label in labels]
        return matching_program_result(
            program_labels(program),
            people,
            bank_of(matching),
            answered_in(matching),
            runs,
            matching.contradicts,
        )

    version = tuple(loads), tuple(label.pk for label in labels), tuple(runs)
    return cached(program.campaign, f"matching-program-{program.pk}", version, compute)


def program_labels(program: MatchingProgram) -> dict[Cell, Assignment]:
    """Return the readable labels of a program."""
    labels = labels_by_cell(program)
    return {
        (cell.topic, cell.tag, cell.nugget): Assignment(label.assignment)
        for cell in cells_of(program.matching)
        if (label := labels.get((cell.answer, cell.nugget))) and label.assignment
    }


def runs_of_its_family(program: MatchingProgram) -> list[str]:
    """Return the tags of the matching's runs whose tag or description names the family of the model."""
    runs = program.matching.runs.filter(withdrawn_at=None).order_by("tag")
    return runs_of_family(program.model, runs.values_list("tag", "description"))
