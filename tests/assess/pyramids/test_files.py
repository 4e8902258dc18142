"""Files of pyramids: what is read and written, and the place of what is refused."""

from __future__ import annotations

import gzip
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.pyramids.files import read_pan, read_pyr, write_pan, write_pyr
from assess.pyramids.model import (
    Contributor,
    Part,
    PeerAnnotation,
    Pyramid,
    Unit,
    annotate,
    contributor_of,
    in_attribute,
)
from pooling.formats.files import BadFile
from tests.assess.pyramids.files import HEADER, PAN, PYR, peer_with, pyramid_with


def test_a_pyramid_is_read() -> None:
    pyramid = read_pyr(PYR)
    assert (pyramid.order, pyramid.weights, pyramid.header) == (2, {4: 2, 9: 2, 11: 1}, HEADER)
    first, second = (pyramid.text[start:end].strip() for start, end in pyramid.models)
    assert first == 'Boats of wood float, says "The Mast".\nA sloop has one mast.'
    assert second == "Sloops & cutters: one mast.\nWood floats."
    assert pyramid.units[0] == Unit(
        4,
        "Wood floats",
        (Contributor("wood float", (Part(44, 54),)), Contributor("Wood floats", (Part(156, 167),))),
        "boats or not",
    )
    assert pyramid.units[1].contributors[1].comment == 'and "cutters"'
    assert [pyramid.model_of(part) for part in (Part(44, 54), Part(156, 167), Part(0, 2), Part(90, 140))] == [
        0, 1, None, None,
    ]  # fmt: skip


def test_an_annotation_is_read_with_a_part_over_two_lines() -> None:
    annotation = read_pan(PAN)
    assert annotation.pyramid == read_pyr(PYR)
    assert annotation.spans == {9: 2, 0: 1}
    [part] = annotation.units[1].contributors[0].parts
    assert annotation.text[part.start : part.end] == "A sloop's mast\nis one"


def test_files_of_ducview_come_back_byte_for_byte() -> None:
    assert write_pyr(read_pyr(PYR)) == PYR
    written = write_pan(read_pan(PAN))
    assert written == PAN.replace(b"<part label=\"A sloop's mast is", b"<part label=\"A sloop's mast&#10;is")
    assert write_pan(read_pan(written)) == written


def test_packed_files_and_other_white_space_are_read() -> None:
    assert read_pyr(gzip.compress(PYR)) == read_pyr(PYR)
    assert read_pyr(b"\xef\xbb\xbf" + PYR.replace(b"\n", b"\r\n")) == read_pyr(PYR)
    bare = PAN[PAN.index(b"<peerAnnotation>") :]
    assert read_pan(bare.replace(b"\n <scu", b"<!-- a -->\n\n <scu")) == read_pan(PAN)


def test_a_score_of_later_versions_is_skipped() -> None:
    score = b"<score><totalscu>3</totalscu><deep><er>4</er></deep></score></peerAnnotation>"
    assert read_pan(PAN.replace(b"</peerAnnotation>", score)) == read_pan(PAN)


def test_without_an_expression_the_order_is_not_known() -> None:
    pyramid = read_pyr(
        PYR.replace(b"<startDocumentRegEx><![CDATA[" + HEADER.encode() + b"]]></startDocumentRegEx>", b"")
    )
    assert (pyramid.order, pyramid.models, pyramid.weights) == (None, (), {4: 2, 9: 2, 11: 1})
    assert read_pyr(write_pyr(pyramid)) == pyramid


def test_what_could_not_be_read_back_is_not_written() -> None:
    pyramid = pyramid_with({2: 1, 1: 2}, order=2)
    text = pyramid.text
    bad = [
        (replace(pyramid, text=text[:-9]), "expected a start before its end"),
        (replace(pyramid, text=text.replace("-----\n D", "-----\x0b D")), "found none"),
        (replace(pyramid, text=f"{text}\x0b"), "expected characters that XML can hold, found '\\\\x0b'"),
        (replace(pyramid, header="(a|b)"), "headers of model summaries"),
        (replace(pyramid, units=(*pyramid.units, pyramid.units[0])), "expected a uid once"),
        (replace(pyramid, units=(Unit(1 << 40, "a"),)), "expected a uid from 0"),
    ]
    for other, message in bad:
        with pytest.raises(BadFile, match=message):
            write_pyr(other)
    annotation = peer_with(pyramid, {1: 1})
    with pytest.raises(BadFile, match="SCU 1, contributor 1, part 1: expected a start before its end"):
        write_pan(replace(annotation, text=""))
    with pytest.raises(BadFile, match="SCU 5 of the peer: expected the uid of a unit of the pyramid, or 0"):
        annotate(pyramid, "Nothing.", {5: [contributor_of("Nothing.", [Part(0, 7)])]})


def test_white_space_and_markup_in_labels_come_back() -> None:
    words = "a\tb\nc\rd <&> \"e\" 'f'"
    unit = Unit(1, words, (Contributor(words, (Part(0, len(words)),), words),), words)
    pyramid = Pyramid(words, (unit,))
    assert read_pyr(write_pyr(pyramid)) == pyramid


characters = st.one_of(st.sampled_from("\n\t\r <>&\"'-]é🚤\u2028"), st.characters(exclude_categories=["C"]))
texts = st.text(characters, min_size=1, max_size=40)
labels = texts.filter(lambda text: bool(text.strip()))
comments = st.one_of(st.just(""), texts)


@st.composite
def contributors_in(draw: st.DrawFn, text: str, start: int, end: int) -> Contributor:
    """A contributor with parts anywhere from `start` to `end` of a text."""
    starts = draw(st.lists(st.integers(start, end - 1), min_size=1, max_size=3))
    parts = [Part(at, draw(st.integers(at + 1, end))) for at in starts]
    return contributor_of(text, parts)._replace(comment=draw(comments))


@st.composite
def pyramids(draw: st.DrawFn) -> Pyramid:
    """A pyramid whose models, with or without headers, hold any text."""
    models, has_headers = draw(st.lists(texts, min_size=1, max_size=4)), draw(st.booleans())
    text, bodies = draw(texts) if has_headers else "", list[tuple[int, int]]()
    for model in models:
        text += "\n==]>\n" if has_headers else ""
        bodies.append((len(text), len(text) + len(model)))
        text += model
    uids = draw(st.lists(st.integers(1, 999_999_999), unique=True, max_size=4))
    units = []
    for uid in uids:
        chosen = draw(st.lists(st.sampled_from(bodies), unique=True, min_size=1))
        own = tuple(draw(contributors_in(text, *body)) for body in chosen)
        units.append(Unit(uid, draw(labels), own, draw(comments)))
    return Pyramid(text, tuple(units), r"\n==[\]]>\n" if has_headers else "")


@st.composite
def peers(draw: st.DrawFn) -> PeerAnnotation:
    pyramid, text = draw(pyramids()), draw(texts)
    held = draw(st.lists(st.sampled_from([0, *pyramid.weights]), unique=True))
    own = contributors_in(text, 0, len(text))
    return annotate(pyramid, text, {uid: draw(st.lists(own, max_size=2)) for uid in held})


@settings(max_examples=60)
@given(pyramids())
def test_a_pyramid_that_was_written_is_read_again(pyramid: Pyramid) -> None:
    written = write_pyr(pyramid)
    assert read_pyr(written) == pyramid
    assert write_pyr(read_pyr(written)) == written


@settings(max_examples=60)
@given(peers())
def test_an_annotation_that_was_written_is_read_again(annotation: PeerAnnotation) -> None:
    written = write_pan(annotation)
    assert read_pan(written) == annotation
    assert write_pan(read_pan(written)) == written


@settings(max_examples=40)
@given(peers())
def test_another_reader_of_xml_finds_the_words_of_every_part(annotation: PeerAnnotation) -> None:
    root = ElementTree.fromstring(write_pan(annotation))
    for half in root:
        text = "\n".join(line.text or "" for line in half.iterfind("text/line"))
        for part in half.iterfind("*/contributor/part"):
            assert part.attrib["label"] == text[int(part.attrib["start"]) : int(part.attrib["end"])]
    assert len(list(root.iterfind("pyramid/scu"))) == len(annotation.pyramid.units)


@settings(max_examples=40)
@given(peers(), st.data())
def test_a_part_moved_to_other_words_is_refused(annotation: PeerAnnotation, data: st.DataObject) -> None:
    """Whichever part gets offsets that do not give its words, the file is refused and the part is named."""
    root = ElementTree.fromstring(write_pan(annotation))
    parts = list(root.iter("part"))
    if not parts:
        return
    place = data.draw(st.integers(0, len(parts) - 1))
    part, is_peer = parts[place], place >= len(list(root.iterfind("pyramid//part")))
    text = annotation.text if is_peer else annotation.pyramid.text
    start = data.draw(st.integers(0, len(text)))
    end = start + int(part.attrib["end"]) - int(part.attrib["start"])
    if in_attribute(text[start:end]) == in_attribute(part.attrib["label"]):
        return
    part.set("start", str(start))
    part.set("end", str(end))
    with pytest.raises(BadFile, match="SCU [0-9]+, contributor [0-9]+"):
        read_pan(ElementTree.tostring(root))
