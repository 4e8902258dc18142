"""Files of pyramids that are refused, with the line and the place: mistakes and attacks."""

from __future__ import annotations

import gzip

import pytest

from assess.pyramids.files import read_pan, read_pyr
from pooling.formats.files import BadFile
from tests.assess.pyramids.files import HEADER, PAN, PYR


def line_of(content: bytes, words: bytes) -> int:
    return content[: content.index(words)].count(b"\n") + 1


BAD_PYRAMIDS = [  # what is replaced, by what, a mark of the line, the message
    (
        b'start="44"',
        b'start="43"',
        b'start="44"',
        "SCU 4, contributor 1, part 1: expected 'wood float' at 43 to 54, found ' wood float'; they "
        "are at 44",
    ),
    (
        b'start="146" end="154"',
        b'start="145" end="153"',
        b'start="146"',
        "SCU 9, contributor 2, part 2: expected 'one mast' at 145 to 153, found ' one mas'; they are at 146",
    ),
    (
        b'label="Sloops" start',
        b'label="Sloop" start',
        b'label="Sloops" start',
        "SCU 9, contributor 2, part 1: expected 'Sloop' at 128 to 134, found 'Sloops'; they are at 128",
    ),
    (
        b'label="Sloops" start',
        b'label="Brigs" start',
        b'label="Sloops" start',
        "expected 'Brigs' at 128 to 134, found 'Sloops'",
    ),
    (
        b'end="167"',
        b'end="1670"',
        b'end="167"',
        "within the 168 characters of the text, found 156 to 1670",
    ),
    (
        b'start="56" end="71"',
        b'start="71" end="71"',
        b'start="56"',
        "SCU 11, contributor 1, part 1: expected a start before its end",
    ),
    (
        b'start="56"',
        b'start="-60"',
        b'start="56"',
        "expected a whole number of at most 9 digits as start of part, found '-60'",
    ),
    (b'uid="9"', b'uid="4"', b'uid="9"', "SCU 4: expected a uid once, found it again"),
    (
        b'uid="9"',
        b'uid="nine"',
        b'uid="9"',
        "expected a whole number of at most 9 digits as uid of scu, found 'nine'",
    ),
    (b'uid="9"', b'uid="0"', b'uid="9"', "SCU 0: expected a uid from 1; 0 is for spans without a unit"),
    (b'label="The Mast is a paper"', b'label=" "', b'uid="11"', "SCU 11: expected a label, found none"),
    (
        b'<part label="wood float" start="44" end="54"/>',
        b"",
        b'<contributor label="wood float">',
        "SCU 4, contributor 1: expected a part, found none",
    ),
    (
        b'uid="11"',
        b'uid="12" label="a"></scu><scu uid="11"',
        b'uid="11"',
        "SCU 12: expected a contributor, found none",
    ),
    (
        b'label="wood float" start="44" end="54"',
        b'label="#2" start="0" end="2"',
        b'label="wood float" start',
        "SCU 4, contributor 1: expected all parts in one model summary, found one in none",
    ),
    (
        b'label="one mast" start="146" end="154"',
        b'label="one mast" start="85" end="93"',
        b'start="146"',
        "SCU 9, contributor 2: expected all parts in one model summary, found parts in two",
    ),
    (
        b'label="Wood floats" start="156" end="167"',
        b'label="A sloop" start="73" end="80"',
        b'label="Wood floats">\n',
        "SCU 4, contributor 2: expected one contributor from a model summary, found another, 1",
    ),
    (
        b"[-]*\\n D",
        b"(-*)*\\n D",
        b"<startDocumentRegEx>",
        "headers of model summaries: expected an expression of at most 200 characters",
    ),
    (b"[-]*\\n D", b"[-]*\\n E", b"<startDocumentRegEx>", "in the text, found none"),
    (
        b"<![CDATA[" + HEADER.encode() + b"]]>",
        b"",
        b"<startDocumentRegEx>",
        "expected a regular expression in startDocumentRegEx, found none",
    ),
    (
        b"<scu uid",
        b"<SCU uid",
        b'<scu uid="4"',
        "expected startDocumentRegEx or text or scu in pyramid, found 'SCU'",
    ),
    (b"<line>#2</line>", b"<line>#<b>2</b></line>", b"<line>#2", "expected no element in line, found 'b'"),
    (
        b"<line>#2</line>",
        b"<line>#2</line>#3",
        b"<line>-----",
        "expected elements in text, found the text '#3'",
    ),
    (b' uid="4" label', b" label", b'uid="4"', "expected uid in the attributes of scu, found none"),
    (
        b'uid="4" label',
        b'uid="4" colour="red" label',
        b'uid="4"',
        "expected comment, label, uid in scu, found the attribute 'colour'",
    ),
    (
        b' <scu uid="4"',
        b' <text/><scu uid="4"',
        b'uid="4"',
        "expected one text in pyramid, found another, first on line 23",
    ),
    (
        b"</scu>\n</pyramid>",
        b"</pyramid>",
        b"</pyramid>",
        "expected well-formed XML, found an error: mismatched tag",
    ),
    (b"wood float,", b"w\xf6\xf6d float,", b"of wood float,", "expected UTF-8 text, found the byte 0xf6"),
    (b"#2", b"#\x00", b"#2", "expected well-formed XML, found an error: not well-formed (invalid token)"),
    (b"#2", b"&nosuch;", b"#2", "expected well-formed XML, found an error: undefined entity"),
]


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
    (
        b'start="27" end="35"',
        b'start="28" end="36"',
        b'start="27"',
        "SCU 9, contributor 2, part 1: expected 'only one' at 28 to 36, found 'nly one.'; they are at 27",
    ),
    (
        b'start="0" end="21"',
        b'start="0" end="20"',
        b'end="21"',
        'found "A sloop\'s mast\\nis on"; they are at 0',
    ),
    (
        b'peerscu uid="11"',
        b'peerscu uid="12"',
        b'peerscu uid="11"',
        "SCU 12 of the peer: expected the uid of a unit of the pyramid, or 0",
    ),
    (
        b'peerscu uid="11"',
        b'peerscu uid="4"',
        b'peerscu uid="11"',
        "SCU 4: expected a uid once, found it again",
    ),
    (
        b'"(2) Wood floats"',
        b'"(3) Wood floats"',
        b'"(2) Wood',
        "SCU 4 of the peer: expected the label '(2) Wood floats', found '(3) Wood floats'",
    ),
    (
        b'start="156"',
        b'start="155"',
        b'start="156"',
        "SCU 4, contributor 2, part 1: expected 'Wood floats' at 155 to 167",
    ),
    (
        b"<annotation>",
        b"<annotation><pyramid/>",
        b"<annotation>",
        "expected text or peerscu in annotation, found 'pyramid'",
    ),
]


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


LINE = b"<pyramid><text><line>ha</line></text></pyramid>"
ATTACKS = {
    "laughs": b'<!DOCTYPE pyramid [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>\n' + LINE.replace(b"ha", b"&b;"),
    "a file": b'<!DOCTYPE pyramid [<!ENTITY f SYSTEM "file:///etc/passwd">]>\n' + LINE.replace(b"ha", b"&f;"),
    "a parameter": b'<!DOCTYPE pyramid [<!ENTITY % p SYSTEM "http://127.0.0.1/p"> %p;]>\n' + LINE,
    "definitions elsewhere": b'<!DOCTYPE pyramid SYSTEM "http://127.0.0.1/d">\n'
    + LINE.replace(b"ha", b"&a;"),
    "public definitions": b'<!DOCTYPE pyramid PUBLIC "-//A//B" "http://127.0.0.1/d">\n' + LINE,
    "elements": b"<pyramid><text>" + b"<line/>" * 100_001 + b"</text></pyramid>",
    "depth": b"<peerAnnotation><score>" + b"<a>" * 100_001,
    "a long text": b"<pyramid><text><line>" + b"a" * 200_001 + b"</line></text></pyramid>",
    "a long file": b"<pyramid><text><line>" + b"a" * (1 << 22) + b"</line></text></pyramid>",
    "a bomb": gzip.compress(b"<pyramid>" + b" " * (1 << 23) + b"</pyramid>"),
    "a slow expression": b"<pyramid><startDocumentRegEx>"
    + b"a*" * 11
    + b"b</startDocumentRegEx><text/></pyramid>",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_is_refused(name: str) -> None:
    content = ATTACKS[name]
    with pytest.raises(BadFile, match="^(line|headers|expected)") as caught:
        (read_pan if b"<peerA" in content else read_pyr)(content)
    assert "passwd" not in caught.value.message.replace("file:///etc/passwd", "")
    if content.startswith(b"<!DOCTYPE"):
        assert caught.value.line == 1 and "expected no definition" in caught.value.message


def test_a_file_cannot_give_attributes_default_values() -> None:
    content = (
        b'<!DOCTYPE pyramid [<!ATTLIST scu uid CDATA "7">]>\n<pyramid><text/>\n<scu label="a"/></pyramid>'
    )
    with pytest.raises(BadFile, match="line 3: expected uid in the attributes of scu, found none"):
        read_pyr(content)
