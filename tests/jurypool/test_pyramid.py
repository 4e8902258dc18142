"""Pyramids in the library: files from paths and bytes, the three scores, and the score of weights."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import pytest

import jurypool as jp
from assess.pyramids.files import write_pan
from tests.assess.pyramids.files import PAN, PYR, peer_with, pyramid_with


def test_files_are_read_from_a_path_and_from_bytes(tmp_path: Path) -> None:
    pyr, pan = tmp_path / "a.pyr", tmp_path / "a.pan.gz"
    pyr.write_bytes(PYR)
    pan.write_bytes(gzip.compress(PAN))
    for source in (pyr, str(pyr), PYR, bytearray(PYR)):
        assert jp.read_pyramid(source).weights == {4: 2, 9: 2, 11: 1}  # type: ignore[arg-type]
    for other in (pan, PAN):
        annotation = jp.read_peer_annotation(other)
        assert annotation.pyramid == jp.read_pyramid(PYR) and annotation.spans == {9: 2, 0: 1}


def test_the_three_scores_of_an_annotation() -> None:
    pyramid = pyramid_with({4: 5, 3: 6, 2: 7, 1: 26}, order=4)
    annotation = jp.read_peer_annotation(
        write_pan(peer_with(pyramid, dict.fromkeys((1, 2, 3, 6, 12, 19, 0), 1)))
    )
    floor, ceil = jp.pyramid_score(annotation), jp.pyramid_score(annotation, rounding="ceil")
    assert f"{floor.original:.4f} {floor.modified:.4f} {ceil.modified:.4f}" == "0.6923 0.3396 0.3333"
    assert floor.comprehensive == pytest.approx(2 / (26 / 18 + 53 / 18))
    assert (floor.expected_units, ceil.expected_units) == (19, 20)


def test_the_score_of_weights_is_as_before() -> None:
    assert jp.pyramid_score([4, 4], {4: 2}) == 1.0
    assert jp.pyramid_score([4, 3], {4: 2, 3: 4}, 4) == 0.5
    assert jp.pyramid_score([], {4: 2}) is None
    with pytest.raises(jp.Refused, match="at most 1 units of weight 4"):
        jp.pyramid_score([4, 4], {4: 1})


def test_what_is_refused_says_what_was_expected(tmp_path: Path) -> None:
    path = tmp_path / "bad.pyr"
    path.write_bytes(PYR.replace(b'start="44"', b'start="43"'))
    with pytest.raises(
        jp.BadFile, match=r"bad\.pyr, line 41: SCU 4, contributor 1, part 1: expected 'wood float'"
    ):
        jp.read_pyramid(path)
    with pytest.raises(
        jp.Refused, match="annotation, line 21: expected an element peerAnnotation, found 'pyramid'"
    ):
        jp.read_peer_annotation(PYR)
    annotation = jp.read_peer_annotation(PAN)
    read, score = cast(Any, jp.read_pyramid), cast(Any, jp.pyramid_score)
    with pytest.raises(jp.Refused, match="expected a path or bytes, found 7 of type int"):
        read(7)
    with pytest.raises(jp.Refused, match="expected a file that can be read"):
        read(tmp_path / "none")
    with pytest.raises(jp.Refused, match=r"expected a rounding \(floor, ceil\), found 'up'"):
        score(annotation, rounding="up")
    with pytest.raises(jp.Refused, match="expected no tiers and no units with an annotation"):
        score(annotation, {4: 2})
    with pytest.raises(jp.Refused, match="expected tiers"):
        score([4])


def test_the_readers_need_no_django() -> None:
    code = "import jurypool, sys; jurypool.read_pyramid; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_pyramids_and_annotations_are_written_as_they_are_read() -> None:
    pyramid, annotation = jp.read_pyramid(PYR), jp.read_peer_annotation(PAN)
    assert jp.read_pyramid(jp.write_pyramid(pyramid)) == pyramid
    assert jp.read_peer_annotation(jp.write_pyramid(annotation)) == annotation
    with pytest.raises(jp.Refused, match="expected a pyramid or an annotation of a peer"):
        jp.write_pyramid(cast(Any, b""))


def test_the_optimal_summaries_of_the_lecture() -> None:
    pyramid = pyramid_with({4: 2, 3: 4}, order=4)
    found = jp.optimal_summaries(pyramid, 4, limit=2)
    assert (found.number, found.weight, len(found.summaries)) == (6, 14, 2)
    assert jp.optimal_summaries(pyramid.weights, 4).number == 6
    assert jp.optimal_summaries(pyramid, 7).number == 0
    for wrong in (-1, 1.5, True):
        with pytest.raises(jp.Refused, match="a number of units of 0 or more"):
            jp.optimal_summaries(pyramid, cast(Any, wrong))
