"""XML and SGML with other element names than TREC's; a mapping assigns the elements to fields.

As for TREC's mark-up, no XML parser is used: entities that a file defines are not expanded, nothing is
downloaded, and missing or superfluous tags do not stop the reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from pooling.formats.documents.facts import Facts, facts_of
from pooling.formats.files import BadFile, BadLine
from pooling.formats.text import TextLength, TextLines, resolve_entities

FIELDS = ("docno", "title", "text", "url")
FACTS = ("date", "author", "source", "section")
Choice = tuple[tuple[str, ...], ...]  # first choice first; the elements of one choice belong together
_NAME = r"[A-Za-z_][\w.:-]*"
_SPEC = re.compile(rf"{_NAME}(?:@{_NAME})?")
_TOKEN = re.compile(
    rf"<!--.*?(?:-->|\Z)|<!\[CDATA\[(?P<raw>.*?)(?:\]\]>|\Z)|<[!?][^<>]*>"
    rf"|<(?P<closes>/?)(?P<name>{_NAME})(?=[\s/>])(?P<attributes>[^<>]*)>",
    re.DOTALL,
)
_ATTRIBUTE = re.compile(rf"""(?<![\w.:-])({_NAME})\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
# A line ends where one of these elements begins or ends; other elements do not end a line.
_LINES = re.compile(
    r"p|para|abs[te]\.p|ip[12]|sec|ss[12]|section|title|st|atl|head|header|headline|byline|dateline|body|bdy|text"
    r"|br|item|li|list|row|tr|table|figure|fig|caption|h[1-6]|div"
)
MAX_ELEMENTS = 100_000  # that the mapping names, in one document


class Elements(NamedTuple):
    """The element of a document and those of its fields. Names in lower case; `name@attribute`.

    facts: (name, choice), the names from FACTS.
    """

    document: str
    docno: Choice
    title: Choice
    text: Choice
    url: Choice
    facts: tuple[tuple[str, Choice], ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """Every element that is mapped to a field."""
        choices = (self.docno, self.title, self.text, self.url, *(choice for _, choice in self.facts))
        return frozenset(
            spec.partition("@")[0] for choice in choices for together in choice for spec in together
        )


def parse_mapping(spec: str) -> Elements:
    """Parse a mapping such as `document=DOC, docno=DOCNO, title=TITLE|HEADLINE, text=LEAD+BODY`.

    `a|b` is b where a is missing or empty, `a+b` is both, in the order of the file, and `name@id` is an
    attribute. document, docno and text are required; title, url, date, author, source and section are
    optional. Raises BadFile.

    >>> parse_mapping("document=REUTERS, docno=REUTERS@NEWID, text=BODY|TEXT").docno
    (('reuters@newid',),)
    """
    fields: dict[str, Choice] = {}
    for part in filter(None, re.split(r"[\s,]+", re.sub(r"\s*=\s*", "=", spec.strip()))):
        field, _, value = part.partition("=")
        choice = tuple(tuple(choice.split("+")) for choice in value.lower().split("|"))
        if field not in ("document", *FIELDS, *FACTS) or field in fields:
            raise BadFile(f"expected {EXPECTED_MAPPING}; found {part[:40]!r}")
        if not all(_SPEC.fullmatch(name) for names in choice for name in names):
            raise BadFile(f"expected {EXPECTED_MAPPING}; found {part[:40]!r}")
        fields[field] = choice
    if missing := [field for field in ("document", "docno", "text") if field not in fields]:
        raise BadFile(f"expected {EXPECTED_MAPPING}; found no {missing[0]}")
    if len(fields["document"]) > 1 or len(fields["document"][0]) > 1 or "@" in fields["document"][0][0]:
        raise BadFile(f"expected one element that encloses a document; found {spec[:80]!r}")
    facts = tuple((name, fields[name]) for name in FACTS if name in fields)
    docno, title, text, url = (fields.get(field, ()) for field in FIELDS)
    return Elements(fields["document"][0][0], docno, title, text, url, facts)


EXPECTED_MAPPING = "a mapping such as document=DOC, docno=DOCNO, title=TITLE, text=TEXT, url=URL"

PRESETS = {
    # Newspapers of the ad hoc tracks 2000 to 2009, and GIRT
    "clef": parse_mapping(
        "document=DOC docno=DOCNO|DOCID title=TITLE|HEADLINE|TI|TITLE-DE|TITLE-EN|TITLE-RU"
        " text=TEXT|LD+TX|TX|BODY|ABSTRACT|ABSTRACT-DE|ABSTRACT-EN|ABSTRACT-RU"
        " date=DATE author=BYLINE|AUTHOR|AU source=SOURCE|PUB section=SECTION"
    ),
    # NTCIR-1 and -2 (<REC>, Japanese before English); for <DOC> of the CLIR tasks TREC's form serves
    "ntcir": parse_mapping(
        "document=REC docno=ACCN title=TITL|TITE text=ABST|ABSE author=AUPK|AUPE source=CNFN|CNFE date=CNFD"
    ),
    # Wikipedia 2006 (<name id>), Wikipedia 2009 (<id>, <bdy>) and the IEEE journals (<fno>)
    "inex": parse_mapping(
        "document=article docno=name@id|id|fno|article@id title=name|title|atl text=body|bdy|sec"
    ),
    "reuters": parse_mapping(
        "document=REUTERS docno=REUTERS@NEWID title=TITLE text=BODY|TEXT date=DATE author=AUTHOR"
    ),
}


class ElementFields(NamedTuple):
    """The fields of a document; a field that it lacks is empty."""

    line: int
    docno: str
    title: str
    text: str
    url: str
    facts: Facts = ()


def documents_in(lines: TextLines, elements: Elements) -> Iterator[ElementFields]:
    """Yield the fields of every document. Raises BadLine for a document that is not closed."""
    for line, source in _sources(lines, elements.document):
        scanned = _scan(source, elements.names, line)
        docno, title, url = (
            _chosen(_first(scanned, together) for together in choice)
            for choice in (elements.docno, elements.title, elements.url)
        )
        text = _chosen("\n\n".join(filter(None, _texts(scanned, together))) for together in elements.text)
        facts = facts_of(
            (name, _chosen(_first(scanned, together) for together in choice))
            for name, choice in elements.facts
        )
        yield ElementFields(line, docno, title, text, url, facts)


def _sources(lines: TextLines, tag: str) -> Iterator[tuple[int, str]]:
    """Yield the line on which each document begins, and its source from the start tag on."""
    mark = re.compile(rf"<(/?){re.escape(tag)}(?=[\s/>]|$)", re.IGNORECASE)
    pieces: list[str] = []
    start, length = 0, TextLength(0)
    for number, line in lines:
        at = 0
        for match in mark.finditer(line):
            if not match[1] and start:
                raise BadLine(number, f"expected </{tag}> for line {start} before the next <{tag}>")
            if not match[1]:
                start, at, length = number, match.start(), TextLength(number)
            elif start:
                yield start, "".join([*pieces, line[at : match.start()]])
                start, pieces = 0, []
            else:
                raise BadLine(number, f"expected <{tag}> before </{tag}>")
        if start:
            length.add(line)
            pieces.append(line[at:] + "\n")
    if start:
        raise BadLine(start, f"expected </{tag}> for this <{tag}>, the file ends before it")


class _Occurrence:
    """One element of a document: its attributes and the range of its text pieces."""

    def __init__(self, name: str, attributes: str, start: int) -> None:
        self.name, self.start, self.end = name, start, -1
        self._attributes = attributes

    def attribute(self, name: str) -> str:
        values = {key.lower(): a or b or c for key, a, b, c in _ATTRIBUTE.findall(self._attributes)}
        return resolve_entities(values.get(name, ""))


class _Scanned(NamedTuple):
    pieces: list[str]
    occurrences: list[_Occurrence]


def _scan(source: str, names: frozenset[str], line: int) -> _Scanned:
    """Split a document into pieces of text without tags, and record the positions of the named elements."""
    pieces: list[str] = []
    occurrences: list[_Occurrence] = []
    opened: list[_Occurrence] = []
    depths: Counter[str] = Counter()
    at = 0
    for token in _TOKEN.finditer(source):
        pieces.append(resolve_entities(source[at : token.start()]))
        pieces.append(token["raw"] or "")
        at = token.end()
        name = (token["name"] or "").lower()
        if _LINES.fullmatch(name):
            pieces.append("\n")
        if name not in names:
            continue
        if token["closes"]:
            while depths[name]:
                closed = opened.pop()
                closed.end = len(pieces)
                depths[closed.name] -= 1
                if closed.name == name:
                    break
            continue
        occurrence = _Occurrence(name, token["attributes"], len(pieces))
        occurrences.append(occurrence)
        if len(occurrences) > MAX_ELEMENTS:
            raise BadLine(line, f"expected at most {MAX_ELEMENTS:,} elements in a document, found more")
        if token["attributes"].endswith("/"):
            occurrence.end = occurrence.start
        else:
            opened.append(occurrence)
            depths[name] += 1
    pieces.append(resolve_entities(source[at:]))
    for occurrence in opened:
        occurrence.end = len(pieces)
    return _Scanned(pieces, occurrences)


def _chosen(texts: Iterator[str]) -> str:
    return next(filter(None, texts), "")


def _first(scanned: _Scanned, together: tuple[str, ...]) -> str:
    return _chosen(_texts(scanned, together))


def _texts(scanned: _Scanned, together: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts of the elements in file order; a nested element is part of the outer one."""
    beyond = -1
    for occurrence in scanned.occurrences:
        for spec in together:
            name, _, attribute = spec.partition("@")
            if name != occurrence.name:
                continue
            if attribute:
                yield occurrence.attribute(attribute)
            elif occurrence.start >= beyond:
                beyond = occurrence.end
                yield normalise_lines("".join(scanned.pieces[occurrence.start : occurrence.end]))


def normalise_lines(text: str) -> str:
    """Strip the ends of lines and collapse repeated empty lines."""
    lines = "\n".join(line.rstrip() for line in text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")
