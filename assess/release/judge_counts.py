"""How many people, files judged elsewhere and programs labelled the documents of a release."""

from __future__ import annotations

from collections.abc import Mapping
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


def judge_counts(manifest: Mapping[str, Any]) -> JudgeCounts:
    """Return the counts of a manifest as it was frozen, with usernames.

    The account of a file has a slash in its username, which no person's has.

    >>> judges = {"ada": 4, "cisi/Expert": 9, "cisi/gpt": 2}
    >>> tuple(judge_counts({"judges": judges, "machines": [{"judge": "cisi/gpt"}]}))
    (1, 1, 1)
    """
    judges = manifest.get("judges", {}).keys()
    programs = judges & {machine["judge"] for machine in manifest.get("machines", [])}
    elsewhere = {judge for judge in judges - programs if "/" in judge}
    return JudgeCounts(len(judges) - len(programs) - len(elsewhere), len(elsewhere), len(programs))
