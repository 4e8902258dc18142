"""What the name of an annotation says of its peer, and whether it is of a pyramid."""

from __future__ import annotations

import re
from pathlib import PurePath

from assess.pyramids.model import PeerAnnotation, Pyramid
from pooling.formats.files import BadFile
from pooling.formats.text import quoted
from pooling.limits import is_valid_name

MOST_CHARACTERS = 60  # of the name of a peer
_ENDINGS = re.compile(r"(\.pan)?(\.(gz|bz2|xz))?$", re.IGNORECASE)
_DUC = re.compile(r"D\d+[^.]*\.M\.\d+\.[^.]+\.(.+)")  # cluster, multi-document, size, assessor, peer


def peer_of(file_name: str) -> str:
    """Return the peer of an annotation by its file name: without endings, of a name of DUC the last part.

    Raises BadFile for a name that has no peer.

    >>> peer_of("D0601-A.M.250.C.12.pan"), peer_of("bm25.rm3.pan.gz")
    ('12', 'bm25.rm3')
    """
    stem = _ENDINGS.sub("", PurePath(file_name).name)
    named = _DUC.fullmatch(stem)
    peer = named[1] if named else stem
    if not is_valid_name(peer) or len(peer) > MOST_CHARACTERS:
        wish = f"expected a file named after its peer, of 1 to {MOST_CHARACTERS} characters without blanks"
        raise BadFile(f"{wish}, found {quoted(peer)}", name=file_name)
    return peer


def check_pyramid_of(annotation: PeerAnnotation, pyramid: Pyramid, file_name: str) -> None:
    """Raise BadFile, with the first unit that differs, unless an annotation is of this pyramid.

    Units, their labels and weights count; comments and the text of the model summaries do not.
    """
    units = {unit.uid: unit for unit in annotation.pyramid.units}
    for unit in pyramid.units:
        expected = f"expected SCU {unit.uid} of weight {len(unit.contributors)}, {quoted(unit.label)}"
        other = units.pop(unit.uid, None)
        if other is None:
            raise BadFile(f"{expected}, in the pyramid of the annotation, found none", name=file_name)
        if (other.label, len(other.contributors)) != (unit.label, len(unit.contributors)):
            difference = f"found weight {len(other.contributors)}, {quoted(other.label)}"
            raise BadFile(f"{expected}, in the pyramid of the annotation, {difference}", name=file_name)
    if units:
        message = f"expected the units of the pyramid in the annotation, found another one, SCU {min(units)}"
        raise BadFile(message, name=file_name)
