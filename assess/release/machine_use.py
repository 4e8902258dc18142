"""The use that a release makes of the labels of a machine judge, and what an audit says about it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from assess.release.plan import FILL, ReleasePlan

HOLES, REPLACING = "Filling holes", "Replacing people"
NO_AUDIT = "no audit"
MEANINGS = {
    HOLES: "labels of programs only where no person labelled",
    REPLACING: "labels of programs count like those of people",
}
"""Use -> what it means, for readers who do not know the verdict."""


class AuditAnswer(StrEnum):
    ALLOWED = "allowed"
    NOT_ALLOWED = "not allowed"
    UNKNOWN = "not known yet"


class MachineUse(NamedTuple):
    """A machine judge whose labels a release uses, and what its audit says about this use.

    use: as the verdict names it. answer: of the newest audit with a verdict, *not known yet* if none has one,
    `NO_AUDIT` without an audit. audit: its number, None without one.
    """

    judge: str
    name: str
    use: str
    answer: str = NO_AUDIT
    audit: int | None = None
    because: str = ""

    @property
    def meaning(self) -> str:
        return MEANINGS[self.use]

    @property
    def is_allowed(self) -> bool:
        return self.answer == AuditAnswer.ALLOWED

    @property
    def warning(self) -> str:
        """What to read before the labels are used; "" if the audit allows it."""
        if self.answer == NO_AUDIT:
            return f"{self.name} has no audit: nothing says what its labels may be used for."
        return "" if self.is_allowed else f"Audit {self.audit} of {self.name}. {self.because}"


def use_of(plan: ReleasePlan) -> str:
    """Return the use that a plan makes of the labels of its machine judges."""
    return HOLES if plan.machine_use == FILL and not plan.judge else REPLACING


def accepted_uses(manifest: Mapping[str, Any]) -> set[tuple[str, str, int | None, str]]:
    """Return (judge, use, audit, answer) of the uses that the organiser of a release accepted.

    >>> robot = {"judge": "tiny/robot", "use": HOLES, "audit": None, "verdict": NO_AUDIT}
    >>> accepted_uses({"machines": [robot | {"accepted": True}, robot | {"accepted": False}]})
    {('tiny/robot', 'Filling holes', None, 'no audit')}
    """
    return {
        (machine["judge"], machine["use"], machine["audit"], machine["verdict"])
        for machine in manifest.get("machines", [])
        if machine.get("accepted")
    }
