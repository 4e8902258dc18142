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

from assess.pyramids.files import read_pan, read_pyr
from assess.pyramids.model import PeerAnnotation, Pyramid
from metrics.pyramids.scores import ROUNDINGS, PyramidScores, Rounding, best_weight, pyramid_scores
from pooling.formats.files import read_file
from pooling.refusals import Refused

from .reading import Path, is_path
from .tables import shown

__all__ = ["best_weight", "pyramid_score", "read_peer_annotation", "read_pyramid"]


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
