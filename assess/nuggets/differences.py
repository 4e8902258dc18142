"""What differs between two versions of a nugget bank."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import NamedTuple

from assess.nuggets.banks import Importance, Nugget


class VersionedNugget(NamedTuple):
    """A nugget in a version. key: the same in all versions that have it."""

    topic: str
    key: Hashable
    nugget: Nugget


class BankDifference(NamedTuple):
    """What a version has otherwise than the one before.

    new, left_out: (topic, nugget). reworded: (topic, text before, text after). reweighed: (topic, text,
    importance before, importance after). answers: (topic, text) of questions with other answers.
    """

    new: list[tuple[str, Nugget]]
    left_out: list[tuple[str, Nugget]]
    reworded: list[tuple[str, str, str]]
    reweighed: list[tuple[str, str, Importance, Importance]]
    answers: list[tuple[str, str]]

    def __bool__(self) -> bool:
        return any((self.new, self.left_out, self.reworded, self.reweighed, self.answers))

    def __str__(self) -> str:
        """The counts in words.

        >>> str(BankDifference([], [], [("1", "a", "b")], [], []))
        '0 new, 0 left out, 1 worded again, 0 with other importance, 0 with other answers'
        """
        counts = {
            "new": len(self.new),
            "left out": len(self.left_out),
            "worded again": len(self.reworded),
            "with other importance": len(self.reweighed),
            "with other answers": len(self.answers),
        }
        return ", ".join(f"{count} {name}" for name, count in counts.items())


def difference(before: Iterable[VersionedNugget], after: Iterable[VersionedNugget]) -> BankDifference:
    """Return the difference of two versions.

    A nugget is the same one by its topic and key; of the others, by its topic and text.
    """
    before, change = list(before), BankDifference([], [], [], [], [])
    after = list(after)
    by_key = {(each.topic, each.key): each for each in before}
    pairs = [(each, by_key.pop((each.topic, each.key), None)) for each in after]
    by_text = {(each.topic, each.nugget.text): each for each in by_key.values()}
    gone = list(by_key.values())
    for each, known in pairs:
        earlier = known or by_text.pop((each.topic, each.nugget.text), None)
        if earlier is None:
            change.new.append((each.topic, each.nugget))
            continue
        if known is None:
            gone.remove(earlier)
        _compare(each.topic, earlier.nugget, each.nugget, change)
    change.left_out.extend((each.topic, each.nugget) for each in gone)
    return change


def _compare(topic: str, old: Nugget, new: Nugget, change: BankDifference) -> None:
    if old.text != new.text:
        change.reworded.append((topic, old.text, new.text))
    if old.importance != new.importance:
        change.reweighed.append((topic, new.text, old.importance, new.importance))
    if [answer.text for answer in old.answers] != [answer.text for answer in new.answers]:
        change.answers.append((topic, new.text))
