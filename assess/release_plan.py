"""What a release is made from: the rule, the scope, and what becomes of *cannot judge*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from assess.consensus import MAJORITY, ONE_JUDGE, RULES, Decision, Open
from pooling.refusals import Refused

LEAVE_OUT = "leave out"
CANNOT_JUDGE_OPTIONS: dict[str, int | None] = {LEAVE_OUT: None, "-1": -1, "-2": -2}
"""What a line says of a document that its judges cannot judge; None: it has no line."""


class BadPlan(Refused):
    """A plan for a release that cannot be followed; says what was expected."""


@dataclass(frozen=True)
class ReleasePlan:
    """How a release is made of labels. An empty scope is everything of its kind.

    rule: a name in `consensus.RULES`. judge: whom the rule "one judge" follows. topics: numbers. judges:
    usernames of people; empty means all people. machines: usernames of machine judges, which take part only
    when they are named here (or are the one judge). pools: numbers; every round has a pool of its own, so
    rounds are chosen by their pools. cannot: a key of `CANNOT_JUDGE_OPTIONS`. threshold: the lowest grade
    that counts as relevant, None for the campaign's. Raises BadPlan for a rule or a `cannot` that does not
    exist, and for one judge without a name.
    """

    rule: str = MAJORITY
    judge: str = ""
    topics: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    machines: tuple[str, ...] = ()
    pools: tuple[int, ...] = ()
    cannot: str = LEAVE_OUT
    threshold: int | None = None

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise BadPlan(f"expected a rule ({'; '.join(RULES)}), found {self.rule!r}")
        if self.cannot not in CANNOT_JUDGE_OPTIONS:
            raise BadPlan(f"expected one of {', '.join(CANNOT_JUDGE_OPTIONS)}, found {self.cannot!r}")
        if (self.rule == ONE_JUDGE) != bool(self.judge):
            wish = (
                "the name of the judge" if self.rule == ONE_JUDGE else "a judge only for the rule 'one judge'"
            )
            raise BadPlan(f"expected {wish}, found {self.judge!r}")

    @property
    def named(self) -> frozenset[str]:
        """The people whose labels alone are read; empty means all people."""
        return frozenset({self.judge} if self.judge else self.judges)

    @property
    def named_machines(self) -> frozenset[str]:
        """The machine judges that may be read; whoever else is a machine is not."""
        return frozenset({self.judge} if self.judge else self.machines)

    def admits(self, judge: str, machine: bool) -> bool:
        """Whether this judge's labels are read: people unless others were named, machines only by name."""
        if machine:
            return judge in self.named_machines
        return not self.named or judge in self.named

    def written(self, decision: Decision) -> int | None:
        """Return the number that stands in the qrels; None when the document has no line."""
        if isinstance(decision, Open):
            return CANNOT_JUDGE_OPTIONS[self.cannot] if decision is Open.CANNOT else None
        return decision


def plan_to_json(plan: ReleasePlan) -> dict[str, Any]:
    """Return plain data for the database and for manifests."""
    return {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(plan).items()}


def plan_from_json(stored: Mapping[str, Any]) -> ReleasePlan:
    """Return the plan that `plan_to_json` wrote. Raises BadPlan as `ReleasePlan`."""
    fields: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in stored.items()}
    return ReleasePlan(**fields)
