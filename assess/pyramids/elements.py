"""The XML of DUCView's files as checked elements with their lines.

Entities that a file defines, and definitions outside of it, are refused: nothing is expanded or loaded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.parsers import expat

from pooling.formats.files import BadFile, BadLine, decode, unpack
from pooling.formats.text import quoted

MAX_BYTES = 1 << 22  # of an unpacked file: a hundred times a file of four summaries
MAX_ELEMENTS = 100_000
CHILDREN = {
    "peerAnnotation": ("pyramid", "annotation", "score"),
    "pyramid": ("startDocumentRegEx", "text", "scu"),
    "annotation": ("text", "peerscu"),
    "text": ("line",),
    "scu": ("contributor",),
    "peerscu": ("contributor",),
    "contributor": ("part",),
}
SEVERAL = {"line", "scu", "peerscu", "contributor", "part"}
ATTRIBUTES = {
    "scu": ("uid", "label"),
    "peerscu": ("uid", "label"),
    "contributor": ("label",),
    "part": ("label", "start", "end"),
}
COMMENTED = {"scu", "peerscu", "contributor"}  # may have a comment
WITH_TEXT = {"line", "startDocumentRegEx"}
SCORE = "score"  # written by later versions of DUCView: derived from the rest, and skipped


@dataclass
class Element:
    """An element. line: on which its start tag begins, from 1."""

    name: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    text: str = ""

    def child(self, name: str) -> Element | None:
        return next((child for child in self.children if child.name == name), None)

    def all(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]

    def required(self, name: str) -> Element:
        """Return the only child of this name. Raises BadLine where there is none."""
        child = self.child(name)
        if child is None:
            raise BadLine(self.line, f"expected an element {name} in {self.name}, found none")
        return child

    def number(self, name: str) -> int:
        """Return an attribute that is a whole number. Raises BadLine."""
        value = self.attributes[name]
        if not (value.isascii() and value.isdigit() and len(value) <= 9):
            message = (
                f"expected a whole number of at most 9 digits as {name} of {self.name}, found {quoted(value)}"
            )
            raise BadLine(self.line, message)
        return int(value)


def element_of(content: bytes, name: str, root: str) -> Element:
    """Return the root element of a file, which must be a `root`. Raises BadFile; name: of the file."""
    text = decode(unpack(content, name, MAX_BYTES), name)
    if not text.strip():
        raise BadFile(f"expected an element {root}, found an empty file")
    return _Builder(root).build(text)


class _Builder:
    """Builds the elements of one file. skipped: how deep the parser is in elements that are not read."""

    def __init__(self, root: str) -> None:
        self._root, self._count, self._skipped = root, 0, 0
        self._open: list[Element] = []
        self._found: Element | None = None
        self._parser = parser = expat.ParserCreate("utf-8")
        parser.buffer_text, parser.buffer_size = True, 1 << 16
        parser.specified_attributes = True  # no default values from definitions in the file
        parser.StartDoctypeDeclHandler = self._doctype
        parser.EntityDeclHandler = self._entity
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters

    @property
    def _line(self) -> int:
        return self._parser.CurrentLineNumber

    def build(self, text: str) -> Element:
        try:
            self._parser.Parse(text.encode(), True)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code)
            raise BadLine(error.lineno, f"expected well-formed XML, found an error: {reason}") from error
        if self._found is None:  # the parser refuses a file without elements
            raise BadFile(f"expected an element {self._root}, found none")
        return self._found

    def _doctype(self, name: str, system: str | None, public: str | None, has_subset: bool) -> None:
        if system is not None or public is not None:
            raise BadLine(self._line, "expected no definitions in another file, found a reference to one")

    def _entity(self, name: str, *_: object) -> None:
        raise BadLine(self._line, f"expected no definition of entities, found that of {quoted(name)}")

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._count += 1
        if self._count > MAX_ELEMENTS:
            raise BadLine(self._line, f"expected at most {MAX_ELEMENTS:,} elements, found more")
        if self._skipped or name == SCORE and self._open and name in CHILDREN.get(self._open[-1].name, ()):
            self._skipped += 1
            return
        element = Element(name, attributes, self._line)
        self._check_place(element)
        self._check_attributes(element)
        if self._open:
            self._open[-1].children.append(element)
        self._open.append(element)

    def _end(self, name: str) -> None:
        if self._skipped:
            self._skipped -= 1
        else:
            self._found = self._open.pop()

    def _characters(self, text: str) -> None:
        if self._skipped:
            return
        element = self._open[-1]
        if element.name in WITH_TEXT:
            element.text += text
        elif text.strip():
            message = f"expected elements in {element.name}, found the text {quoted(text.strip())}"
            raise BadLine(self._line, message)

    def _check_place(self, element: Element) -> None:
        if not self._open:
            if element.name != self._root:
                raise BadLine(element.line, f"expected an element {self._root}, found {quoted(element.name)}")
            return
        parent = self._open[-1]
        allowed = CHILDREN.get(parent.name, ())
        if element.name not in allowed:
            expected = " or ".join(allowed) or "no element"
            raise BadLine(element.line, f"expected {expected} in {parent.name}, found {quoted(element.name)}")
        earlier = None if element.name in SEVERAL else parent.child(element.name)
        if earlier:
            message = (
                f"expected one {element.name} in {parent.name}, found another, first on line {earlier.line:,}"
            )
            raise BadLine(element.line, message)

    def _check_attributes(self, element: Element) -> None:
        required = ATTRIBUTES.get(element.name, ())
        for name in required:
            if name not in element.attributes:
                raise BadLine(
                    element.line, f"expected {name} in the attributes of {element.name}, found none"
                )
        allowed = {*required, "comment"} if element.name in COMMENTED else {*required}
        if others := element.attributes.keys() - allowed:
            expected = ", ".join(sorted(allowed)) or "no attribute"
            message = f"expected {expected} in {element.name}, found the attribute {quoted(min(others))}"
            raise BadLine(element.line, message)
