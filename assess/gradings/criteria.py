"""Criteria as an organiser types them: one a line, its name, a colon, and the names of its grades."""

from __future__ import annotations

from typing import NamedTuple

from pooling.refusals import Refused

MOST_CRITERIA, MOST_GRADES = 8, 10
MOST_NAME, MOST_GRADE = 120, 60
FORM = "expected a name, a colon, and two or more grades with commas between them, the lowest first"


class PlannedCriterion(NamedTuple):
    """A criterion. levels: names of the grades, the lowest first."""

    name: str
    levels: list[str]


def criteria_in(text: str) -> list[PlannedCriterion]:
    """Return the criteria in a text. Raises Refused, which names the line; empty lines are left out.

    >>> criteria_in("Helpful: no, partly, yes")
    [PlannedCriterion(name='Helpful', levels=['no', 'partly', 'yes'])]
    """
    criteria: list[PlannedCriterion] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, colon, rest = (part.strip() for part in line.partition(":"))
        levels = [level.strip() for level in rest.split(",")]
        if not (name and colon and len(levels) > 1 and all(levels)):
            raise Refused(f"Line {number}: {FORM}; found “{line.strip()[:80]}”.")
        if len(name) > MOST_NAME or any(len(level) > MOST_GRADE for level in levels):
            raise Refused(
                f"Line {number}: a name has {MOST_NAME} characters at most, and a grade {MOST_GRADE}."
            )
        if len(levels) > MOST_GRADES:
            raise Refused(f"Line {number}: a scale has {MOST_GRADES} grades at most, found {len(levels)}.")
        if len({level.casefold() for level in levels}) < len(levels):
            raise Refused(f"Line {number}: two grades have the same name.")
        if name.casefold() in {each.name.casefold() for each in criteria}:
            raise Refused(f"Line {number}: there is a criterion “{name}” already.")
        criteria.append(PlannedCriterion(name, levels))
    if not 1 <= len(criteria) <= MOST_CRITERIA:
        raise Refused(f"Expected 1 to {MOST_CRITERIA} criteria, one a line, found {len(criteria)}.")
    return criteria
