"""Files of DUCView: pyramids (`.pyr`) and annotations of peer summaries (`.pan`), as XML.

    pyramid         startDocumentRegEx?, text, scu*
    peerAnnotation  pyramid, annotation (text, peerscu*), score?
    text            line*; the offsets of parts count in the lines joined by line feeds
    scu, peerscu    uid, label, comment?; contributor*
    contributor     label, comment?; part+
    part            label, the words; start, end, the characters from start to before end

What was written is read back as the same object, and what was read is written in the form of DUCView 1.4: a
file in that form comes back byte for byte. XML comments, other white space and `score`, which is
derived, do not come back. Offsets count characters (code points); those of DUCView differ after characters
beyond U+FFFF, and then the words of the parts do not fit and the file is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from assess.pyramids.elements import Element, element_of
from assess.pyramids.model import (
    Contributor,
    Part,
    PeerAnnotation,
    Place,
    Pyramid,
    Unit,
    check_peer,
    check_pyramid,
    in_attribute,
    place_of,
)
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import naming_file, quoted

PYRAMID_DEFINITIONS = """\
 <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>
 <!ELEMENT startDocumentRegEx (#PCDATA)>
 <!ELEMENT text (line*)>
 <!ELEMENT line (#PCDATA)>
 <!ELEMENT scu (contributor)+>
 <!ATTLIST scu uid CDATA #REQUIRED
               label CDATA #REQUIRED
               comment CDATA #IMPLIED>
 <!ELEMENT contributor (part)+>
 <!ATTLIST contributor label CDATA #REQUIRED
                       comment CDATA #IMPLIED>
 <!ELEMENT part EMPTY>
 <!ATTLIST part label CDATA #REQUIRED
                start CDATA #REQUIRED
                end   CDATA #REQUIRED>
"""
PEER_DEFINITIONS = """\
 <!ELEMENT peerAnnotation (pyramid,annotation)>
 <!ELEMENT annotation (text,peerscu+)>
 <!ELEMENT peerscu (contributor)*>
 <!ATTLIST peerscu uid CDATA #REQUIRED
                   label CDATA #REQUIRED
                   comment CDATA #IMPLIED>
"""
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def read_pyr(content: bytes, name: str = "") -> Pyramid:
    """Return the pyramid of a `.pyr` file, plain or packed. name: of the file, for messages.

    Raises BadFile, with the line and the place, for bad XML, for a part whose offsets do not give its
    words, and for what `check_pyramid` refuses.
    """
    with naming_file(name):
        return _pyramid(element_of(content, name, "pyramid"))


def read_pan(content: bytes, name: str = "") -> PeerAnnotation:
    """Return the annotation of a `.pan` file, plain or packed.

    Raises BadFile as `read_pyr` does, and for what `check_peer` refuses.
    """
    with naming_file(name):
        root = element_of(content, name, "peerAnnotation")
        pyramid = _pyramid(root.required("pyramid"))
        element = root.required("annotation")
        text, units = _text(element), _units(element.all("peerscu"))
        annotation = PeerAnnotation(pyramid, text, units)
        check_peer(annotation, _lines(element.all("peerscu")))
        _check_words(element.all("peerscu"), units, text)
        return annotation


def write_pyr(pyramid: Pyramid) -> bytes:
    """Return a pyramid as a `.pyr` file. Raises BadFile for one that could not be read back."""
    check_pyramid(pyramid)
    return _document("pyramid", PYRAMID_DEFINITIONS, _pyramid_lines(pyramid))


def write_pan(annotation: PeerAnnotation) -> bytes:
    """Return an annotation as a `.pan` file. Raises BadFile for one that could not be read back."""
    check_pyramid(annotation.pyramid)
    check_peer(annotation)
    lines = [
        "<peerAnnotation>",
        *_pyramid_lines(annotation.pyramid),
        "<annotation>",
        *_text_lines(annotation.text),
        *_unit_lines("peerscu", annotation.units, annotation.text),
        "</annotation>",
        "</peerAnnotation>",
    ]
    return _document("peerAnnotation", PEER_DEFINITIONS + PYRAMID_DEFINITIONS, lines)


def _pyramid(element: Element) -> Pyramid:
    header = element.child("startDocumentRegEx")
    if header and not header.text:
        raise BadLine(header.line, "expected a regular expression in startDocumentRegEx, found none")
    units = _units(element.all("scu"))
    pyramid = Pyramid(_text(element), units, header.text if header else "")
    check_pyramid(pyramid, _lines(element.all("scu")), header.line if header else None)
    _check_words(element.all("scu"), units, pyramid.text)
    return pyramid


def _text(element: Element) -> str:
    return "\n".join(line.text for line in element.required("text").children)


def _units(elements: Sequence[Element]) -> tuple[Unit, ...]:
    return tuple(
        Unit(
            element.number("uid"),
            element.attributes["label"],
            tuple(_contributor(child) for child in element.children),
            element.attributes.get("comment", ""),
        )
        for element in elements
    )


def _contributor(element: Element) -> Contributor:
    parts = tuple(Part(part.number("start"), part.number("end")) for part in element.children)
    return Contributor(element.attributes["label"], parts, element.attributes.get("comment", ""))


def _lines(elements: Sequence[Element], above: Place = ()) -> Mapping[Place, int]:
    """Return the line of every unit, contributor and part."""
    lines: dict[Place, int] = {}
    for index, element in enumerate(elements):
        place = (*above, index)
        lines[place] = element.line
        lines.update(_lines(element.children, place))
    return lines


def _check_words(elements: Sequence[Element], units: Sequence[Unit], text: str) -> None:
    """Raise BadLine at the first part whose offsets do not give its words."""
    for u, unit in enumerate(elements):
        for c, contributor in enumerate(unit.children):
            for p, part in enumerate(contributor.children):
                start, end = units[u].contributors[c].parts[p]
                words, marked = part.attributes["label"], text[start:end]
                if in_attribute(words) != in_attribute(marked):
                    message = (
                        f"{place_of(units, (u, c, p))}: expected {quoted(words)} at {start} to {end}, "
                        f"found {quoted(marked)}{_elsewhere(words, text, start)}"
                    )
                    raise BadLine(part.line, message)


def _elsewhere(words: str, text: str, start: int) -> str:
    """Return where else the words are, nearest to `start`, as the end of a message."""
    flat, words = in_attribute(text), in_attribute(words)
    places = [
        place for place in (flat.rfind(words, 0, start + len(words)), flat.find(words, start)) if place >= 0
    ]
    if not words or not places:
        return ""
    return f"; they are at {min(places, key=lambda place: abs(place - start))}"


def _document(root: str, definitions: str, lines: Iterable[str]) -> bytes:
    head = f'<?xml version="1.0"?>\n<!DOCTYPE {root} [\n{definitions}\n]>\n\n'
    return (head + "".join(f"{line}\n" for line in lines)).encode()


def _pyramid_lines(pyramid: Pyramid) -> Iterator[str]:
    yield "<pyramid>"
    if pyramid.header:
        header = pyramid.header.replace("]]>", "]]]]><![CDATA[>")
        yield f"<startDocumentRegEx><![CDATA[{_checked(header)}]]></startDocumentRegEx>"
    yield from _text_lines(pyramid.text)
    yield from _unit_lines("scu", pyramid.units, pyramid.text)
    yield "</pyramid>"


def _text_lines(text: str) -> Iterator[str]:
    yield " <text>"
    for line in text.split("\n"):
        yield f"  <line>{_escaped(line)}</line>"
    yield " </text>"


def _unit_lines(name: str, units: Sequence[Unit], text: str) -> Iterator[str]:
    for unit in units:
        yield f" <{name} {_attributes(uid=str(unit.uid), label=unit.label)}{_comment(unit.comment)}>"
        for contributor in unit.contributors:
            yield f"  <contributor {_attributes(label=contributor.label)}{_comment(contributor.comment)}>"
            for start, end in contributor.parts:
                yield f"   <part {_attributes(label=text[start:end], start=str(start), end=str(end))}/>"
            yield "  </contributor>"
        yield f" </{name}>"


def _comment(comment: str) -> str:
    return f" {_attributes(comment=comment)}" if comment else ""


def _attributes(**values: str) -> str:
    return " ".join(
        f'{name}="{_escaped(value).replace(chr(10), "&#10;").replace(chr(9), "&#9;")}"'
        for name, value in values.items()
    )


def _escaped(text: str) -> str:
    for character, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\r", "&#13;")):
        text = text.replace(character, entity)
    return _checked(text)


def _checked(text: str) -> str:
    if match := _NOT_XML.search(text):
        raise BadFile(f"expected characters that XML can hold, found {match[0]!r} in {quoted(text)}")
    return text
