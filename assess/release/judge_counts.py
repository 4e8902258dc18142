"""How many people, files judged elsewhere and programs labelled the documents of a release."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class JudgeCounts(NamedTuple):
    """elsewhere: files of judgments that were made outside this software."""

    people: int
    elsewhere: int
    programs: int

    def __str__(self) -> str:
        """Return the counts in words.

        >>> str(JudgeCounts(3, 1, 1)), str(JudgeCounts(1, 0, 2))
        ('3 people, 1 file judged elsewhere, 1 program', '1 person, 2 programs')
        """
        named = (
            (self.people, "person", "people"),
            (self.elsewhere, "file judged elsewhere", "files judged elsewhere"),
            (self.programs, "program", "programs"),
        )
        return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in named if n) or "none"

    @property
    def who(self) -> str:
        """The people in words."""
        return str(JudgeCounts(self.people, 0, 0))

    @property
    def about_elsewhere(self) -> str:
        """What is known about the files judged elsewhere; empty without any."""
        if not self.elsewhere:
            return ""
        files = f"{self.elsewhere} file{'' if self.elsewhere == 1 else 's'}"
        return f"Labels of {files} judged elsewhere are included; what those judges saw is not recorded here."


def labels_of_judges(manifest: Mapping[str, Any]) -> dict[str, int]:
    """Return judge -> labels that a release uses, without programs, which early versions have among them.

    >>> labels_of_judges({"judges": {"ada": 4, "cisi/gpt": 2}, "machines": [{"judge": "cisi/gpt"}]})
    {'ada': 4}
    """
    programs = programs_of(manifest)
    return {judge: count for judge, count in manifest.get("judges", {}).items() if judge not in programs}


def programs_of(manifest: Mapping[str, Any]) -> set[str]:
    """Return the usernames of the machine judges whose labels a release uses."""
    return {machine["judge"] for machine in manifest.get("machines", [])}


def judged_elsewhere(judges: Iterable[str]) -> list[str]:
    """Return the accounts of files judged elsewhere: these have a slash in their username, as no person has.

    >>> judged_elsewhere(["ada", "cisi/Expert"])
    ['cisi/Expert']
    """
    return sorted(judge for judge in judges if "/" in judge)


def judge_counts(manifest: Mapping[str, Any]) -> JudgeCounts:
    """Return the counts of a manifest as it was frozen, with usernames.

    >>> judges = {"ada": 4, "cisi/Expert": 9, "cisi/gpt": 2}
    >>> tuple(judge_counts({"judges": judges, "machines": [{"judge": "cisi/gpt"}]}))
    (1, 1, 1)
    """
    judges = labels_of_judges(manifest)
    elsewhere, programs = len(judged_elsewhere(judges)), len(manifest.get("machines", []))
    return JudgeCounts(len(judges) - elsewhere, elsewhere, programs)
