"""The plan of a release: the rule, the scope, and what becomes of *cannot judge*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assess.consensus import MAJORITY, ONE_JUDGE, RULES, Decision, NoDecision
from assess.event_columns import Bools, Ints
from pooling.refusals import Refused

LEAVE_OUT = "leave out"
CANNOT_JUDGE_OPTIONS: dict[str, int | None] = {LEAVE_OUT: None, "-1": -1, "-2": -2}
"""The number in the qrels for a document that its judges cannot judge; None: it has no line."""

AS_JUDGES, FILL = "as judges", "only where no person labelled"
MACHINE_USES = (AS_JUDGES, FILL)
"""How the labels of named machine judges are used: one vote each, or only where no person has a label.

Only labels of people whom the release uses count; *cannot judge* is a label.
"""


class BadPlan(Refused):
    """An invalid plan for a release; says what was expected."""


@dataclass(frozen=True)
class ReleasePlan:
    """How grades of a release are derived from labels. An empty scope means everything of its kind.

    rule: a name in `consensus.RULES`. judge: the judge that the rule "one judge" follows. topics: numbers.
    judges: usernames of people; empty means all people. machines: usernames of machine judges, whose labels
    are used only if they are named here (or are the one judge). pools: numbers; every round has its own pool,
    so pools select rounds. cannot: a key of `CANNOT_JUDGE_OPTIONS`. threshold: the lowest relevant grade,
    None for the campaign's. machine_use: a key of `MACHINE_USES`; plans of early versions have none and mean
    "as judges". Raises BadPlan for an unknown rule, `cannot` or use, and for the rule "one judge" without a
    name. propagated: whether near duplicates that were not judged get labels, in files of their own.
    """

    rule: str = MAJORITY
    judge: str = ""
    topics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    pools: tuple[int, ...] = ()
    cannot: str = LEAVE_OUT
    threshold: int | None = None
    machine_use: str = AS_JUDGES
    propagated: bool = False

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BadPlan(f"expected a rule ({'; '.join(RULES)}), found {self.rule!r}")
        if self.cannot not in CANNOT_JUDGE_OPTIONS:
            raise BadPlan(f"expected one of {', '.join(CANNOT_JUDGE_OPTIONS)}, found {self.cannot!r}")
        if self.machine_use not in MACHINE_USES:
            raise BadPlan(f"expected one of {', '.join(MACHINE_USES)}, found {self.machine_use!r}")
        if (self.rule == ONE_JUDGE) != bool(self.judge):
            expected = (
                "the name of the judge" if self.rule == ONE_JUDGE else "a judge only for the rule 'one judge'"
            )
            raise BadPlan(f"expected {expected}, found {self.judge!r}")

    @property
    def named(self) -> frozenset[str]:
        """The people whose labels are used; empty means all people."""
        return frozenset({self.judge} if self.judge else self.judges)

    @property
    def named_machines(self) -> frozenset[str]:
        """The machine judges whose labels are used; no others are."""
        return frozenset({self.judge} if self.judge else self.machines)

    def admits(self, judge: str, machine: bool) -> bool:
        """Whether this judge's labels are used: people unless others are named, machines only by name."""
        if machine:
            return judge in self.named_machines
        return not self.named or judge in self.named

    def uses(self, document: Ints, machine: Bools) -> Bools:
        """Return which of these labels are used; all are of judges whom the plan admits.

        document: a number for each document. machine: whether the judge is a machine. All of shape (labels,).

        >>> uses = ReleasePlan(machine_use=FILL).uses(np.array([7, 7, 8]), np.array([False, True, True]))
        >>> uses.tolist()
        [True, False, True]
        """
        if self.machine_use == AS_JUDGES:
            return np.ones(len(document), dtype=bool)
        return ~machine | ~np.isin(document, document[~machine])

    def written(self, decision: Decision) -> int | None:
        """Return the number in the qrels; None when the document has no line."""
        if isinstance(decision, NoDecision):
            return CANNOT_JUDGE_OPTIONS[self.cannot] if decision is NoDecision.CANNOT else None
        return decision


def plan_to_json(plan: ReleasePlan) -> dict[str, Any]:
    """Return plain data for the database and for manifests."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(plan).items()}


def plan_from_json(stored: Mapping[str, Any]) -> ReleasePlan:
    """Return the plan from the output of `plan_to_json`. Raises BadPlan as `ReleasePlan`."""
    fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in stored.items()}
    return ReleasePlan(**fields)
