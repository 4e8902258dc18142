"""Read a choice of topics as a person writes it: numbers, ranges, or all."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pooling.refusals import Refused

ALL = "all"
_SPACED_DASH = re.compile(r"\s+[-–—]\s+")
_RANGE = re.compile(r"[-–—]")
_DIGITS = re.compile(r"[0-9]{1,60}")


def chosen_topics(text: str, numbers: Sequence[str], usable: Collection[str] | None = None) -> list[str]:
    """Return the topics that a text chooses, in the order of the campaign. Raises Refused.

    text: topic numbers and ranges of them, separated by blanks or commas, or "all". A range of whole numbers
    goes by number, another by the order of the campaign. numbers: of all topics of the campaign, in order.
    usable: those that can be chosen, by default all. A range leaves out what is not usable; a topic that is
    named by itself and not usable is refused.

    >>> chosen_topics("1-3, 7", ["1", "2", "4", "7", "A-1"])
    ['1', '2', '7']
    >>> chosen_topics("A-1", ["1", "2", "4", "7", "A-1"])
    ['A-1']
    >>> chosen_topics("all", ["1", "2"], usable=["2"])
    ['2']
    """
    can = set(numbers if usable is None else usable)
    parts = re.split(r"[\s,;]+", _SPACED_DASH.sub("-", text).strip(" ,;\t\r\n"))
    if parts == [""]:
        raise Refused("Choose at least one topic, or write “all”.")
    known = {number: index for index, number in enumerate(numbers)}
    chosen: set[str] = set()
    for part in parts:
        chosen.update(_of_part(part, numbers, known, can))
    return [number for number in numbers if number in chosen]


def _of_part(part: str, numbers: Sequence[str], known: dict[str, int], can: set[str]) -> list[str]:
    if part in known:
        if part not in can:
            raise Refused(f"Topic {part} has no pooled document. Choose another topic.")
        return [part]
    if part.lower() == ALL:
        topics = list(numbers)
    else:
        topics = next(filter(None, (_of_range(*ends, numbers, known) for ends in _splits(part))), [])
        if not topics:
            raise Refused(_unknown(part, known))
    usable = [number for number in topics if number in can]
    if not usable:
        raise Refused(f"No topic of “{part[:60]}” has a pooled document.")
    return usable


def _splits(part: str) -> list[tuple[str, str]]:
    """Return every way to read a text as two ends of a range: topic numbers may contain dashes."""
    return [(part[: dash.start()], part[dash.end() :]) for dash in _RANGE.finditer(part)]


def _of_range(first: str, last: str, numbers: Sequence[str], known: dict[str, int]) -> list[str]:
    if _DIGITS.fullmatch(first) and _DIGITS.fullmatch(last):
        low, high = int(first), int(last)
        return [number for number in numbers if _DIGITS.fullmatch(number) and low <= int(number) <= high]
    if first in known and last in known:
        return list(numbers[known[first] : known[last] + 1])
    return []


def _unknown(part: str, known: dict[str, int]) -> str:
    """Return the sentence about a part that names no topic; of a range it names the unknown end."""
    for first, last in _splits(part):
        if first and last and not (_DIGITS.fullmatch(first) and _DIGITS.fullmatch(last)):
            if unknown := [end for end in (first, last) if end not in known]:
                if len(unknown) == 1:
                    return f"This campaign has no topic {unknown[0][:60]}, an end of the range {part[:60]}."
            else:
                return f"The range {part[:60]} has no topic: its first end comes after its last one."
    return f"This campaign has no topic {part[:60]}. Write numbers such as “1 2 73”, a range such as “1-50”."
