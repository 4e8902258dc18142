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
    assert written == PAN.replace(b'<part label="A sloop\'s mast is', b'<part label="A sloop\'s mast&#10;is')
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
    pyramid = read_pyr(PYR.replace(b"<startDocumentRegEx><![CDATA[" + HEADER.encode() + b"]]></startDocumentRegEx>", b""))
    assert (pyramid.order, pyramid.models, pyramid.weights) == (None, (), {4: 2, 9: 2, 11: 1})
    assert read_pyr(write_pyr(pyramid)) == pyramid


def line_of(content: bytes, words: bytes) -> int:
    return content[: content.index(words)].count(b"\n") + 1


BAD_PYRAMIDS = [  # what is replaced, by what, the line, what is said
    (b'start="44"', b'start="43"', b'start="44"', "SCU 4, contributor 1, part 1: expected 'wood float' at 43 to 54, found ' wood float'; they are at 44"),
    (b'start="146" end="154"', b'start="145" end="153"', b'start="146"', "SCU 9, contributor 2, part 2: expected 'one mast' at 145 to 153, found ' one mas'; they are at 146"),
    (b'label="Sloops" start', b'label="Sloop" start', b'label="Sloops" start', "SCU 9, contributor 2, part 1: expected 'Sloop' at 128 to 134, found 'Sloops'; they are at 128"),
    (b'label="Sloops" start', b'label="Brigs" start', b'label="Sloops" start', "expected 'Brigs' at 128 to 134, found 'Sloops'"),
    (b'end="167"', b'end="1670"', b'end="167"', "SCU 4, contributor 2, part 1: expected a start before its end, within the 168 characters of the text, found 156 to 1670"),
    (b'start="56" end="71"', b'start="71" end="71"', b'start="56"', "SCU 11, contributor 1, part 1: expected a start before its end"),
    (b'start="56"', b'start="-60"', b'start="56"', "expected a whole number of at most 9 digits as start of part, found '-60'"),
    (b'uid="9"', b'uid="4"', b'uid="9"', "SCU 4: expected a uid once, found it again"),
    (b'uid="9"', b'uid="nine"', b'uid="9"', "expected a whole number of at most 9 digits as uid of scu, found 'nine'"),
    (b'uid="9"', b'uid="0"', b'uid="9"', "SCU 0: expected a uid from 1; 0 is for spans without a unit"),
    (b'label="The Mast is a paper"', b'label=" "', b'uid="11"', "SCU 11: expected a label, found none"),
    (b'<part label="wood float" start="44" end="54"/>', b"", b'<contributor label="wood float">', "SCU 4, contributor 1: expected a part, found none"),
    (b'uid="11"', b'uid="12" label="a"></scu><scu uid="11"', b'uid="11"', "SCU 12: expected a contributor, found none"),
    (b'label="wood float" start="44" end="54"', b'label="#2" start="0" end="2"', b'label="wood float" start', "SCU 4, contributor 1: expected all parts in one model summary, found one in none"),
    (b'label="one mast" start="146" end="154"', b'label="one mast" start="85" end="93"', b'start="146"', "SCU 9, contributor 2: expected all parts in one model summary, found parts in two"),
    (b'label="Wood floats" start="156" end="167"', b'label="A sloop" start="73" end="80"', b'label="Wood floats">\n', "SCU 4, contributor 2: expected one contributor from a model summary, found another, 1"),
    (b"[-]*\\n D", b"(-*)*\\n D", b"<startDocumentRegEx>", "headers of model summaries: expected an expression of at most 200 characters"),
    (b"[-]*\\n D", b"[-]*\\n E", b"<startDocumentRegEx>", "in the text, found none"),
    (b"<![CDATA[" + HEADER.encode() + b"]]>", b"", b"<startDocumentRegEx>", "expected a regular expression in startDocumentRegEx, found none"),
    (b"<scu uid", b"<SCU uid", b'<scu uid="4"', "expected startDocumentRegEx or text or scu in pyramid, found 'SCU'"),
    (b"<line>#2</line>", b"<line>#<b>2</b></line>", b"<line>#2", "expected no element in line, found 'b'"),
    (b"<line>#2</line>", b"<line>#2</line>#3", b"<line>-----", "expected elements in text, found the text '#3'"),
    (b' uid="4" label', b" label", b'uid="4"', "expected uid in the attributes of scu, found none"),
    (b'uid="4" label', b'uid="4" colour="red" label', b'uid="4"', "expected comment, label, uid in scu, found the attribute 'colour'"),
    (b' <scu uid="4"', b' <text/><scu uid="4"', b'uid="4"', "expected one text in pyramid, found another, first on line 23"),
    (b"</scu>\n</pyramid>", b"</pyramid>", b"</pyramid>", "expected well-formed XML, found an error: mismatched tag"),
    (b"wood float,", b"w\xf6\xf6d float,", b"of wood float,", "expected UTF-8 text, found the byte 0xf6"),
    (b"#2", b"#\x00", b"#2", "expected well-formed XML, found an error: not well-formed (invalid token)"),
    (b"#2", b"&nosuch;", b"#2", "expected well-formed XML, found an error: undefined entity"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "message"), BAD_PYRAMIDS, ids=range(len(BAD_PYRAMIDS)))
def test_a_bad_pyramid_is_refused_with_its_place(old: bytes, new: bytes, at: bytes, message: str) -> None:
    assert old in PYR
    with pytest.raises(BadFile) as caught:
        read_pyr(PYR.replace(old, new), "a.pyr")
    assert message in caught.value.message
    body = PYR.index(b"<pyramid>")
    expected = PYR[:body].count(b"\n") + line_of(PYR[body:], at)
    # An expat error about an end tag is on the line before: one line was taken out.
    assert caught.value.line == (expected - 1 if b"</scu>\n" in old else expected)
    assert str(caught.value).startswith(f"a.pyr, line {caught.value.line}: ")


BAD_ANNOTATIONS = [
    (b'start="27" end="35"', b'start="28" end="36"', b'start="27"', "SCU 9, contributor 2, part 1: expected 'only one' at 28 to 36, found 'nly one.'; they are at 27"),
    (b'start="0" end="21"', b'start="0" end="20"', b'end="21"', "found \"A sloop's mast\\nis on\"; they are at 0"),
    (b'peerscu uid="11"', b'peerscu uid="12"', b'peerscu uid="11"', "SCU 12 of the peer: expected the uid of a unit of the pyramid, or 0"),
    (b'peerscu uid="11"', b'peerscu uid="4"', b'peerscu uid="11"', "SCU 4: expected a uid once, found it again"),
    (b'"(2) Wood floats"', b'"(3) Wood floats"', b'"(2) Wood', "SCU 4 of the peer: expected the label '(2) Wood floats', found '(3) Wood floats'"),
    (b'start="156"', b'start="155"', b'start="156"', "SCU 4, contributor 2, part 1: expected 'Wood floats' at 155 to 167"),
    (b"<annotation>", b"<annotation><pyramid/>", b"<annotation>", "expected text or peerscu in annotation, found 'pyramid'"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "at", "message"), BAD_ANNOTATIONS, ids=range(len(BAD_ANNOTATIONS)))
def test_a_bad_annotation_is_refused_with_its_place(old: bytes, new: bytes, at: bytes, message: str) -> None:
    assert old in PAN
    with pytest.raises(BadFile) as caught:
        read_pan(PAN.replace(old, new))
    assert message in caught.value.message
    assert caught.value.line == line_of(PAN, at)


def test_the_other_kind_of_file_is_refused() -> None:
    for read, content, expected in (
        (read_pyr, PAN, "expected an element pyramid, found 'peerAnnotation'"),
        (read_pan, PYR, "expected an element peerAnnotation, found 'pyramid'"),
        (read_pyr, b" \n", "expected an element pyramid, found an empty file"),
        (read_pan, b"<peerAnnotation/>", "expected an element pyramid in peerAnnotation, found none"),
        (read_pyr, b"<pyramid/>", "expected an element text in pyramid, found none"),
        (read_pyr, b"docno,text\n", "expected well-formed XML"),
    ):
        with pytest.raises(BadFile, match=expected):
            read(content)


ATTACKS = {
    "laughs": b'<!DOCTYPE pyramid [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n<pyramid><text><line>&b;</line></text></pyramid>',
    "a file": b'<!DOCTYPE pyramid [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n<pyramid><text><line>&f;</line></text></pyramid>',
    "a parameter": b'<!DOCTYPE pyramid [<!ENTITY % p SYSTEM "http://127.0.0.1/p"> %p;]>\n<pyramid><text/></pyramid>',
    "definitions elsewhere": b'<!DOCTYPE pyramid SYSTEM "http://127.0.0.1/d">\n<pyramid><text>&a;</text></pyramid>',
    "public definitions": b'<!DOCTYPE pyramid PUBLIC "-//A//B" "http://127.0.0.1/d">\n<pyramid><text/></pyramid>',
    "elements": b"<pyramid><text>" + b"<line/>" * 100_001 + b"</text></pyramid>",
    "depth": b"<peerAnnotation><score>" + b"<a>" * 100_001,
    "a long text": b"<pyramid><text><line>" + b"a" * 200_001 + b"</line></text></pyramid>",
    "a long file": b"<pyramid><text><line>" + b"a" * (1 << 22) + b"</line></text></pyramid>",
    "a bomb": gzip.compress(b"<pyramid>" + b" " * (1 << 23) + b"</pyramid>"),
    "a slow expression": b"<pyramid><startDocumentRegEx>" + b"a*" * 11 + b"b</startDocumentRegEx><text/></pyramid>",
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(name: str) -> None:
    content = ATTACKS[name]
    with pytest.raises(BadFile, match="^(line|headers|expected)") as caught:
        (read_pan if b"<peerA" in content else read_pyr)(content)
    assert "passwd" not in caught.value.message.replace("file:///etc/passwd", "")
    if content.startswith(b"<!DOCTYPE"):
        assert caught.value.line == 1 and "expected no definition" in caught.value.message


def test_a_file_cannot_give_attributes_default_values() -> None:
    content = b'<!DOCTYPE pyramid [<!ATTLIST scu uid CDATA "7">]>\n<pyramid><text/>\n<scu label="a"/></pyramid>'
    with pytest.raises(BadFile, match="line 3: expected uid in the attributes of scu, found none"):
        read_pyr(content)


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
        text += "\n==>]]\n" if has_headers else ""
        bodies.append((len(text), len(text) + len(model)))
        text += model
    uids = draw(st.lists(st.integers(1, 999_999_999), unique=True, max_size=4))
    units = []
    for uid in uids:
        chosen = draw(st.lists(st.sampled_from(bodies), unique=True, min_size=1))
        own = tuple(draw(contributors_in(text, *body)) for body in chosen)
        units.append(Unit(uid, draw(labels), own, draw(comments)))
    return Pyramid(text, tuple(units), r"\n==>\]\]\n" if has_headers else "")


@st.composite
def annotations(draw: st.DrawFn) -> PeerAnnotation:
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
@given(annotations())
def test_an_annotation_that_was_written_is_read_again(annotation: PeerAnnotation) -> None:
    written = write_pan(annotation)
    assert read_pan(written) == annotation
    assert write_pan(read_pan(written)) == written


@settings(max_examples=40)
@given(annotations())
def test_another_reader_of_xml_finds_the_words_of_every_part(annotation: PeerAnnotation) -> None:
    root = ElementTree.fromstring(write_pan(annotation))
    for half in root:
        text = "\n".join(line.text or "" for line in half.iterfind("text/line"))
        for part in half.iterfind("*/contributor/part"):
            assert part.attrib["label"] == text[int(part.attrib["start"]) : int(part.attrib["end"])]
    assert len(list(root.iterfind("pyramid/scu"))) == len(annotation.pyramid.units)


@settings(max_examples=40)
@given(annotations(), st.data())
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
