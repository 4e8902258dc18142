"""Pyramids of summary content units (SCUs), and peer summaries annotated with those units.

A unit has a label and contributors, at most one from each model summary; a contributor is one or several
parts of the text. The weight of a unit is the number of its contributors. A. Nenkova and R. Passonneau,
Evaluating Content Selection in Summarization, HLT-NAACL 2004.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from assess.pyramids.headers import header_pattern
from pooling.formats.files import BadFile
from pooling.formats.text import quoted
from pooling.notebook import fields_html

UNMATCHED = 0  # the uid of what a peer says and no unit of the pyramid holds
UNMATCHED_LABEL = "All non-matching SCUs go here"  # as DUCView writes it
EXPECTED_UNIT = "expected the uid of a unit of the pyramid, or 0"
MAX_UID = 999_999_999
MAX_TEXT = 200_000  # characters of a text: a hundred summaries
Place = tuple[int, ...]  # index of a unit, of its contributor, and of its part
NOWHERE: Mapping[Place, int] = {}


class Part(NamedTuple):
    """A span of a text: characters (code points) from `start` to before `end`, counted from 0."""

    start: int
    end: int


class Contributor(NamedTuple):
    """Words of one summary that express a unit. label, parts: as in the file, and in its order."""

    label: str
    parts: tuple[Part, ...]
    comment: str = ""


class Unit(NamedTuple):
    """A summary content unit. In an annotation the label begins with the weight: "(3) Boats float"."""

    uid: int
    label: str
    contributors: tuple[Contributor, ...] = ()
    comment: str = ""


@dataclass(frozen=True)
class Pyramid:
    """A pyramid: its units, and the text of all model summaries, lines joined by line feeds.

    header: a regular expression that finds the header before each model summary; "" if the file has none.
    """

    text: str
    units: tuple[Unit, ...]
    header: str = ""

    def _repr_html_(self) -> str:
        return fields_html(self)

    @cached_property
    def models(self) -> tuple[Part, ...]:
        """Where each model summary stands in the text; none if the file does not say so."""
        headers = list(header_pattern(self.header).finditer(self.text)) if self.header else []
        ends = [match.start() for match in headers[1:]] + [len(self.text)]
        return tuple(Part(match.end(), end) for match, end in zip(headers, ends, strict=False))

    @property
    def order(self) -> int | None:
        """The number of model summaries; None if the file does not say where they begin."""
        return len(self.models) or None

    @property
    def weights(self) -> dict[int, int]:
        """uid -> weight, the number of contributors."""
        return {unit.uid: len(unit.contributors) for unit in self.units}

    def model_of(self, part: Part) -> int | None:
        """Return the index of the model summary that holds the part, None if there is none."""
        place = bisect_right([model.start for model in self.models], part.start) - 1
        return place if place >= 0 and part.end <= self.models[place].end else None


@dataclass(frozen=True)
class PeerAnnotation:
    """A peer summary, and what it says of each unit of the pyramid. Unit 0 holds what matches no unit."""

    pyramid: Pyramid
    text: str
    units: tuple[Unit, ...]

    def _repr_html_(self) -> str:
        return fields_html(self)

    @property
    def spans(self) -> dict[int, int]:
        """uid -> number of contributors in the peer; without units that the peer does not express."""
        return {unit.uid: len(unit.contributors) for unit in self.units if unit.contributors}


def contributor_of(text: str, parts: Sequence[Part]) -> Contributor:
    """Return a contributor with the label that DUCView gives it.

    >>> contributor_of("Boats of wood\\nfloat.", [Part(0, 5), Part(9, 19)]).label
    'Boats...wood float'
    """
    label = "...".join(in_attribute(text[part.start : part.end]) for part in parts)
    return Contributor(label, tuple(parts))


def peer_label(unit: Unit) -> str:
    """Return the label of a unit of a pyramid in an annotation: its weight and its words."""
    return f"({len(unit.contributors)}) {unit.label}"


def annotate(
    pyramid: Pyramid, text: str, contributors: Mapping[int, Sequence[Contributor]]
) -> PeerAnnotation:
    """Return the annotation of a peer. contributors: uid -> those of the peer.

    As in DUCView it lists all units, the heaviest first, and unit 0 last. Raises BadFile as `check_peer`.
    """
    if strangers := contributors.keys() - {UNMATCHED, *pyramid.weights}:
        raise BadFile(f"SCU {min(strangers)} of the peer: {EXPECTED_UNIT}")
    known = sorted(pyramid.units, key=lambda unit: -len(unit.contributors))
    listed = [Unit(unit.uid, peer_label(unit), tuple(contributors.get(unit.uid, ()))) for unit in known]
    listed.append(Unit(UNMATCHED, UNMATCHED_LABEL, tuple(contributors.get(UNMATCHED, ()))))
    annotation = PeerAnnotation(pyramid, text, tuple(listed))
    check_peer(annotation)
    return annotation


def in_attribute(text: str) -> str:
    """Return a text as an XML reader gives it back from an attribute: tabs and line ends become blanks."""
    return text.replace("\t", " ").replace("\n", " ").replace("\r", " ")


def place_of(units: Sequence[Unit], place: Place) -> str:
    """Return the words for a place.

    >>> place_of([Unit(7, "Boats float")], (0, 1, 0))
    'SCU 7, contributor 2, part 1'
    """
    names = (f"{name} {index + 1}" for name, index in zip(("contributor", "part"), place[1:], strict=False))
    return ", ".join([f"SCU {units[place[0]].uid}", *names])


def check_pyramid(
    pyramid: Pyramid, lines: Mapping[Place, int] = NOWHERE, header_line: int | None = None
) -> None:
    """Raise BadFile at the first part that is not in its text, or unit that breaks a rule of pyramids.

    Every unit has a uid of its own above 0, a label and a contributor. If the pyramid says where its model
    summaries begin, the parts of a contributor are in one of them, and each has one contributor to a unit.
    lines: place -> line in the file. header_line: that of the regular expression.
    """
    _check_text(pyramid.text)
    try:
        has_models = bool(pyramid.models)
    except ValueError as error:
        raise BadFile(f"headers of model summaries: {error}", header_line) from error
    if pyramid.header and not has_models:
        raise BadFile(
            f"expected a header that {quoted(pyramid.header)} finds in the text, found none", header_line
        )
    _check_units(pyramid.units, pyramid.text, lines)
    for u, unit in enumerate(pyramid.units):
        if unit.uid == UNMATCHED:
            raise BadFile("SCU 0: expected a uid from 1; 0 is for spans without a unit", lines.get((u,)))
        if not unit.contributors:
            raise BadFile(
                f"{place_of(pyramid.units, (u,))}: expected a contributor, found none", lines.get((u,))
            )
        if has_models:
            _check_models(pyramid, u, lines)


def check_peer(annotation: PeerAnnotation, lines: Mapping[Place, int] = NOWHERE) -> None:
    """Raise BadFile at the first part that is not in the text of the peer, or unit not of the pyramid.

    Labels of units are those of the pyramid with the weight before them.
    """
    _check_text(annotation.text)
    _check_units(annotation.units, annotation.text, lines)
    labels = {unit.uid: peer_label(unit) for unit in annotation.pyramid.units}
    for u, unit in enumerate(annotation.units):
        expected = labels.get(unit.uid)
        if unit.uid == UNMATCHED:
            continue
        if expected is None:
            raise BadFile(f"SCU {unit.uid} of the peer: {EXPECTED_UNIT}", lines.get((u,)))
        if in_attribute(unit.label) != in_attribute(expected):
            difference = f"expected the label {quoted(expected)}, found {quoted(unit.label)}"
            raise BadFile(f"SCU {unit.uid} of the peer: {difference}", lines.get((u,)))


def overlapping_parts(units: Sequence[Unit]) -> Iterator[tuple[int, int, Part]]:
    """Yield (uid, other uid, common span) where text belongs to two units, or twice to one.

    The method gives a span to one unit only, but public files break that rule, so it is no refusal. Each
    part is compared with the one before it that reaches furthest.
    """
    parts = sorted((part, unit.uid) for unit in units for own in unit.contributors for part in own.parts)
    furthest, owner = 0, UNMATCHED
    for part, uid in parts:
        if part.start < furthest:
            yield owner, uid, Part(part.start, min(part.end, furthest))
        if part.end > furthest:
            furthest, owner = part.end, uid


def _check_text(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise BadFile(f"expected a text of at most {MAX_TEXT:,} characters, found {len(text):,}")


def _check_units(units: Sequence[Unit], text: str, lines: Mapping[Place, int]) -> None:
    first_with: dict[int, int] = {}
    for u, unit in enumerate(units):
        where = place_of(units, (u,))
        if not 0 <= unit.uid <= MAX_UID:
            raise BadFile(f"{where}: expected a uid from 0 to {MAX_UID:,}", lines.get((u,)))
        if first_with.setdefault(unit.uid, u) != u:
            raise BadFile(f"{where}: expected a uid once, found it again", lines.get((u,)))
        if not unit.label.strip() and unit.uid != UNMATCHED:
            raise BadFile(f"{where}: expected a label, found none", lines.get((u,)))
        for c, contributor in enumerate(unit.contributors):
            if not contributor.parts:
                message = f"{place_of(units, (u, c))}: expected a part, found none"
                raise BadFile(message, lines.get((u, c)))
            for p, part in enumerate(contributor.parts):
                if not 0 <= part.start < part.end <= len(text):
                    wish = f"expected a start before its end, within the {len(text):,} characters of the text"
                    message = f"{place_of(units, (u, c, p))}: {wish}, found {part.start} to {part.end}"
                    raise BadFile(message, lines.get((u, c, p)))


def _check_models(pyramid: Pyramid, u: int, lines: Mapping[Place, int]) -> None:
    contributor_in: dict[int, int] = {}  # model -> contributor
    for c, contributor in enumerate(pyramid.units[u].contributors):
        models = [pyramid.model_of(part) for part in contributor.parts]
        where = place_of(pyramid.units, (u, c))
        for p, model in enumerate(models):
            if model is None or model != models[0]:
                places = "one in none" if model is None else "parts in two"
                message = f"{where}: expected all parts in one model summary, found {places}"
                raise BadFile(message, lines.get((u, c, p)))
        other = contributor_in.setdefault(models[0] or 0, c)
        if other != c:
            message = f"{where}: expected one contributor from a model summary, found another, {other + 1}"
            raise BadFile(message, lines.get((u, c)))
