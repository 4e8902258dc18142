"""Pyramids that a person makes: model summaries as one text, and units with the words that express them.

The text has a header before each model summary, in the manner of DUCView, so that the file says where each
begins. A contributor of a unit is all that was marked for it in one summary.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from assess.pyramids.model import Part, Pyramid, Unit, contributor_of, in_attribute
from pooling.formats.text import quoted
from pooling.refusals import Refused

HEADER = r"-----\n Model summary [0-9]+\n-----\n\n"
SEPARATOR = re.compile(r"^[ \t]*-{3,}[ \t]*$", re.MULTILINE)
MAX_SUMMARIES = 50
MAX_UNITS = 500
MAX_LABEL = 400  # characters


class DraftUnit(NamedTuple):
    """A unit that is being made. parts: its words in the text, in the order of the text."""

    uid: int
    label: str
    parts: tuple[Part, ...]


def split_summaries(text: str) -> list[str]:
    """Return the summaries of a text, which lines of three or more hyphens separate; blank ones are left out.

    >>> split_summaries("Boats float.\\n---\\nWood floats.\\n")
    ['Boats float.', 'Wood floats.']
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return [part.strip() for part in SEPARATOR.split(lines) if part.strip()]


def joined_text(summaries: Sequence[str]) -> str:
    """Return model summaries as the text of a pyramid, each behind its header."""
    return "".join(
        f"-----\n Model summary {number}\n-----\n\n{summary}\n"
        for number, summary in enumerate(summaries, start=1)
    )


def pyramid_of(text: str, units: Sequence[DraftUnit]) -> Pyramid:
    """Return the pyramid of a text that `joined_text` made: of units in their order, with a contributor each.

    >>> text = joined_text(["Boats float.", "Boats of wood float."])
    >>> boats = DraftUnit(1, "Boats float", (Part(30, 41), Part(73, 78), Part(87, 92)))
    >>> [each.label for each in pyramid_of(text, [boats]).units[0].contributors]
    ['Boats float', 'Boats...float']
    """
    empty = Pyramid(text, (), HEADER)
    made = []
    for unit in units:
        by_model: dict[int | None, list[Part]] = {}
        for part in sorted(unit.parts):
            by_model.setdefault(empty.model_of(part), []).append(part)
        contributors = tuple(contributor_of(text, parts) for parts in by_model.values())
        made.append(Unit(unit.uid, unit.label, contributors))
    return Pyramid(text, tuple(made), HEADER)


def with_part(
    units: Sequence[DraftUnit], part: Part, text: str, uid: int = 0, label: str = ""
) -> list[DraftUnit]:
    """Return the units with words of the text added to one of them, or to a new one.

    uid: of the unit, 0 for a new one. label: of a new unit; without one it is the words. Raises Refused for
    words that a unit has already, an unknown uid, and too many units.
    """
    words = text[part.start : part.end]
    for unit in units:
        if any(part.start < own.end and own.start < part.end for own in unit.parts):
            raise Refused(
                f"Some of these words belong to unit {unit.uid}, {quoted(unit.label)}: {quoted(words)}"
            )
    if uid:
        if uid not in {unit.uid for unit in units}:
            raise Refused(f"There is no unit {uid} any more.")
        return [
            unit._replace(parts=tuple(sorted([*unit.parts, part]))) if unit.uid == uid else unit
            for unit in units
        ]
    if len(units) >= MAX_UNITS:
        raise Refused(f"A pyramid that is made here has at most {MAX_UNITS} units.")
    new = max((unit.uid for unit in units), default=0) + 1
    return [*units, DraftUnit(new, label_of(label) or label_of(words), (part,))]


def without_part(units: Sequence[DraftUnit], uid: int, part: Part) -> list[DraftUnit]:
    """Return the units without these words; a unit without any words is none. Raises Refused."""
    if not any(unit.uid == uid and part in unit.parts for unit in units):
        raise Refused(f"Unit {uid} does not have these words any more.")
    left = [
        unit._replace(parts=tuple(own for own in unit.parts if own != part)) if unit.uid == uid else unit
        for unit in units
    ]
    return [unit for unit in left if unit.parts]


def with_label(units: Sequence[DraftUnit], uid: int, label: str, before: str) -> list[DraftUnit]:
    """Return the units with another label of one. before: its label as it was shown. Raises Refused."""
    known = next((unit for unit in units if unit.uid == uid), None)
    if known is None:
        raise Refused(f"There is no unit {uid} any more.")
    if not label_of(label):
        raise Refused("A unit has a label.")
    if known.label not in (before, label_of(label)):
        raise Refused(f"Another person changed this label meanwhile to {quoted(known.label)}.")
    return [unit._replace(label=label_of(label)) if unit.uid == uid else unit for unit in units]


def label_of(text: str) -> str:
    """Return a text on one line, as the label of a unit."""
    return " ".join(in_attribute(text).split())[:MAX_LABEL]
