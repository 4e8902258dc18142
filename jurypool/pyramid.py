"""Pyramids of summary content units: files of DUCView, and the scores of summaries.

A summary content unit (SCU) weighs as much as the number of model summaries that hold it; the units of weight
i are tier i of the pyramid. A. Nenkova and R. Passonneau, Evaluating Content Selection in Summarization,
HLT-NAACL 2004.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import overload

from assess.pyramids.files import read_pan, read_pyr, write_pan, write_pyr
from assess.pyramids.model import PeerAnnotation, Pyramid
from metrics.pyramids.scores import (
    ROUNDINGS,
    OptimalSummaries,
    PyramidScores,
    Rounding,
    best_weight,
    pyramid_scores,
)
from metrics.pyramids.scores import optimal_summaries as best_summaries
from pooling.formats.files import read_file
from pooling.refusals import Refused

from .reading import Path, is_path
from .tables import shown

__all__ = [
    "best_weight", "optimal_summaries", "pyramid_score", "read_peer_annotation", "read_pyramid",
    "write_pyramid",
]  # fmt: skip


def read_pyramid(source: Path | bytes) -> Pyramid:
    """Return the pyramid of a file of DUCView (`.pyr`), checked.

    Parameters
    ----------
    source
        The path of a file, or its bytes, plain or packed (gz, bz2, xz).

    The result has ``units``, each with ``uid``, ``label`` and ``contributors``, whose ``parts`` are offsets
    into ``text``; ``weights``, uid -> number of contributors; and ``order``, the number of model summaries,
    None if the file does not say where they begin.

    Raises
    ------
    Refused
        For bad XML, for a part whose offsets do not give its words, and for two contributors of a unit
        from one model summary. The message names the line and the place.

    Examples
    --------
    >>> import jurypool as jp
    >>> pyramid = jp.read_pyramid(b'''<pyramid><text><line>Boats float.</line></text>
    ... <scu uid="1" label="Boats float"><contributor label="Boats float">
    ... <part label="Boats float" start="0" end="11"/></contributor></scu></pyramid>''')
    >>> pyramid.units[0].label, pyramid.weights, pyramid.order
    ('Boats float', {1: 1}, None)
    """
    content, name = _content_of(source, "pyramid")
    return read_pyr(content, name)


def read_peer_annotation(source: Path | bytes) -> PeerAnnotation:
    """Return the annotation of a peer summary, a file of DUCView (`.pan`), checked.

    Parameters
    ----------
    source
        The path of a file, or its bytes, plain or packed (gz, bz2, xz).

    The result has the ``pyramid``, the ``text`` of the peer, and ``units``, whose contributors are in the
    peer; unit 0 holds what matches no unit. ``spans`` is uid -> number of contributors.
    `pyramid_score` scores it.

    Raises
    ------
    Refused
        As `read_pyramid`, and for a unit that the pyramid does not have or that has another label there.

    Examples
    --------
    >>> import jurypool as jp
    >>> words = '''<contributor label="Boats float">
    ... <part label="Boats float" start="0" end="11"/></contributor>'''
    >>> annotation = jp.read_peer_annotation(f'''<peerAnnotation>
    ... <pyramid><text><line>Boats float.</line></text>
    ... <scu uid="1" label="Boats float">{words}</scu></pyramid>
    ... <annotation><text><line>Boats float well.</line></text>
    ... <peerscu uid="1" label="(1) Boats float">{words}</peerscu></annotation></peerAnnotation>'''.encode())
    >>> annotation.spans
    {1: 1}
    """
    content, name = _content_of(source, "annotation")
    return read_pan(content, name)


def write_pyramid(written: Pyramid | PeerAnnotation) -> bytes:
    """Return a pyramid as a file of DUCView (`.pyr`), or an annotated peer as one (`.pan`).

    `read_pyramid` and `read_peer_annotation` read it as the same again. Raises `Refused` for one that could
    not be read back, for example because offsets of a part are outside its text.
    """
    if isinstance(written, PeerAnnotation):
        return write_pan(written)
    if isinstance(written, Pyramid):
        return write_pyr(written)
    raise Refused(f"expected a pyramid or an annotation of a peer, found {shown(written)}")


def optimal_summaries(pyramid: Pyramid | Mapping[int, int], units: int, limit: int = 20) -> OptimalSummaries:
    """Return the summaries of so many units that weigh most.

    Parameters
    ----------
    pyramid
        What `read_pyramid` returned, or uid -> weight of its units.
    units
        How many units a summary has.
    limit
        The most summaries that are listed; all are counted.

    The result has ``number``, how many there are; ``weight``, of each of them; and ``summaries``, the first
    ones, each the uids of its units. All units above one tier are in each of them, and any choice from that
    tier fills it up. There is none with more units than the pyramid.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.optimal_summaries({1: 3, 2: 2, 3: 2, 4: 1}, units=2)
    OptimalSummaries(number=2, weight=5, summaries=[(1, 2), (1, 3)])
    """
    weights = pyramid.weights if isinstance(pyramid, Pyramid) else pyramid
    if not isinstance(weights, Mapping):
        raise Refused(f"expected a pyramid, or uid -> weight, found {shown(pyramid)}")
    for name, count in (("units", units), ("summaries as limit", limit)):
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise Refused(f"expected a number of {name} of 0 or more, found {shown(count)}")
    return best_summaries(weights, units, limit)


@overload
def pyramid_score(
    found: PeerAnnotation, tiers: None = None, units: None = None, *, rounding: Rounding = "floor"
) -> PyramidScores: ...


@overload
def pyramid_score(
    found: Iterable[int], tiers: Mapping[int, int], units: int | None = None, *, rounding: Rounding = "floor"
) -> float | None: ...


def pyramid_score(
    found: PeerAnnotation | Iterable[int],
    tiers: Mapping[int, int] | None = None,
    units: int | None = None,
    *,
    rounding: Rounding = "floor",
) -> PyramidScores | float | None:
    """Return the scores of an annotated peer, or the pyramid score of a list of weights.

    Parameters
    ----------
    found
        An annotation (`read_peer_annotation`): the result has ``original``, ``modified``, ``comprehensive``,
        what they are made of, and ``reasons`` for those that are None. Or the weight of every unit of the
        pyramid that a summary holds: the result is their sum over the best of as many units.
    tiers
        With weights: weight -> how many units of the pyramid have it.
    units
        With weights: how many units the best summary has; by default as many as this one. None is returned
        where the best summary weighs nothing. Source: Nenkova & Passonneau 2004.
    rounding
        With an annotation: how the mean number of units in a model summary is made whole for the modified
        score, ``"floor"`` as in DUCView, or ``"ceil"``.

    Examples
    --------
    >>> import jurypool as jp
    >>> jp.pyramid_score([4, 3, 2], {4: 2, 3: 4, 2: 5})
    0.8181818181818182
    """
    if rounding not in ROUNDINGS:
        raise Refused(f"expected a rounding ({', '.join(ROUNDINGS)}), found {shown(rounding)}")
    if isinstance(found, PeerAnnotation):
        if tiers is not None or units is not None:
            raise Refused("expected no tiers and no units with an annotation: they are those of its pyramid")
        return pyramid_scores(found.pyramid.weights, found.pyramid.order, found.spans, rounding)
    if tiers is None:
        raise Refused("expected tiers (weight -> number of units) with weights, found none")
    weights = list(found)
    for weight, count in Counter(weights).items():
        most = tiers.get(weight, 0)
        if count > most:
            raise Refused(f"expected at most {most} units of weight {weight}, found {count}")
    best = best_weight(tiers, len(weights) if units is None else units)
    return sum(weights) / best if best else None


def _content_of(source: Path | bytes, kind: str) -> tuple[bytes, str]:
    if is_path(source):
        return read_file(source), os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return bytes(source), kind
    raise Refused(f"expected a path or bytes, found {shown(source)}")
