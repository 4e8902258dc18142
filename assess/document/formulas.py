"""Formulas (MathML) of web pages: the elements that a browser draws, and what stands for the rest."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape, unescape
from typing import NamedTuple

# MathML Core without maction and mphantom, which hide content, and annotations, which are no drawing.
_TOKENS = frozenset({"mi", "mn", "mo", "ms", "mtext"})
ELEMENTS = _TOKENS | {
    "math", "merror", "mfenced", "mfrac", "mmultiscripts", "mover", "mpadded", "mprescripts", "mroot", "mrow",
    "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtr", "munder", "munderover",
    "none",
}  # fmt: skip
_FENCES = {"open": "(", "close": ")", "separators": ","}  # <mfenced>, which no browser draws, becomes <mo>
_ACCENTS = frozenset({"accent", "accentunder"})
# None that moves or enlarges what it is on: a document must not be able to cover a part of the screen.
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "math": frozenset({"display", "displaystyle"}),
    "mstyle": frozenset({"displaystyle"}),
    "mtable": frozenset({"displaystyle"}),
    "mi": frozenset({"mathvariant"}),
    "mo": frozenset({
        "fence", "form", "largeop", "lspace", "movablelimits", "rspace", "separator", "stretchy", "symmetric",
    }),
    "mfrac": frozenset({"linethickness"}),
    "mspace": frozenset({"width"}),
    "mtd": frozenset({"columnspan", "rowspan"}),
    "mover": _ACCENTS,
    "munder": _ACCENTS,
    "munderover": _ACCENTS,
}  # fmt: skip
READ_ATTRIBUTES = {**ATTRIBUTES, "mfenced": frozenset(_FENCES)}  # of which the fences go on as text
_VALUE = re.compile(r"[a-z-]{1,20}|\d{1,3}|\d(?:\.\d{1,6})?e[mx]|\d{1,2}(?:\.\d{1,6})?p[tx]")

FORMULA = re.compile(
    r"<(?P<prefix>(?:m|mml):)?math(?P<attributes>\s[^<>]*+)?>(?P<inside>(?:[^<]|<(?!/?(?:m:|mml:)?math\b))*+)"
    r"</(?:m:|mml:)?math\s*>",
    re.IGNORECASE,
)
_PREFIX = re.compile(r"(?<=<)(/?)(?:m|mml):(?=[a-z])", re.IGNORECASE)
_ANNOTATION = re.compile(
    r"<(?P<name>annotation(?:-xml)?)(?P<attributes>\s[^<>]*+)?>(?P<inside>.*?)(?:</(?P=name)\s*>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TOKEN = re.compile(rf"<(?:{'|'.join(sorted(_TOKENS))})[\s>]", re.IGNORECASE)
_ALTERNATIVE = re.compile(r"""\salttext\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*>")


def with_drawable_formulas(source: str) -> str:
    """Return a page whose formulas have no annotations; those without a drawing are replaced by words.

    The words are the formula's alternative text, else its TeX annotation, else its text. Prefixes (mml:mi),
    which HTML does not know, are left out.

    >>> with_drawable_formulas('<math alttext="x^2"><apply><power/><ci>x</ci><cn>2</cn></apply></math>')
    '[Formula: x^2]'
    >>> with_drawable_formulas("<m:math><m:mi>x</m:mi><m:annotation>x</m:annotation></m:math>")
    '<math><mi>x</mi></math>'
    """
    return FORMULA.sub(_drawable, source)


def _drawable(formula: re.Match[str]) -> str:
    attributes, inside = formula["attributes"] or "", formula["inside"]
    if formula["prefix"]:
        inside = _PREFIX.sub(r"\1", inside)
    drawing = _ANNOTATION.sub("", inside)
    if _TOKEN.search(drawing):
        return f"<math{attributes}>{drawing}</math>"
    alternative = _ALTERNATIVE.search(attributes)
    notes = [note["inside"] for note in _ANNOTATION.finditer(inside) if "tex" in (note["attributes"] or "")]
    texts = [(alternative[1] or alternative[2] or "") if alternative else "", *notes, _TAG.sub(" ", drawing)]
    words = next((words for text in texts if (words := " ".join(unescape(text).split()))), "")
    return f"[Formula: {escape(words)}]" if words else ""


class Piece(NamedTuple):
    """html: a tag as it is written, or None for text. text: what the search sees."""

    html: str | None
    text: str


@dataclass
class _Element:
    """An open element. in_token: whether text may stand in it. separators: between its children."""

    end: Sequence[Piece]
    in_token: bool
    separators: str = ""
    children: int = 0


class Formula:
    """Writes a formula anew from balanced tags: ELEMENTS and ATTRIBUTES only, and text only in tokens."""

    def __init__(self) -> None:
        self._open: list[_Element] = []

    def __bool__(self) -> bool:
        """Return whether a formula is open."""
        return bool(self._open)

    def start(self, tag: str, attributes: Mapping[str, str | None]) -> Iterator[Piece]:
        """Open an element, which is left out inside of a token."""
        parent = self._open[-1] if self._open else None
        if parent:
            if parent.separators and parent.children:
                yield from _operator(parent.separators[min(parent.children, len(parent.separators)) - 1])
            parent.children += 1
        in_token = parent is not None and parent.in_token
        if in_token or tag not in ELEMENTS or (tag == "math") != (parent is None):
            self._open.append(_Element((), in_token))
        elif tag == "mfenced":
            fence = _FENCES | {name: value or "" for name, value in attributes.items() if name in _FENCES}
            yield from (Piece("<mrow>", ""), *_operator(fence["open"]))
            end = [*_operator(fence["close"]), Piece("</mrow>", "")]
            self._open.append(_Element(end, in_token, "".join(fence["separators"].split())))
        else:
            yield Piece(f"<{tag}{_written(tag, attributes)}>", "")
            self._open.append(_Element((Piece(f"</{tag}>", ""),), tag in _TOKENS))

    def end(self) -> Sequence[Piece]:
        """Close the element that was opened last."""
        return self._open.pop().end

    def data(self, text: str) -> Iterator[Piece]:
        """Add text; outside of tokens, where a browser does not show it, in a token of its own."""
        if self._open[-1].in_token:
            yield Piece(None, text)
        elif text.isspace():
            yield Piece(text, text)
        else:
            yield from (Piece("<mtext>", ""), Piece(None, text), Piece("</mtext>", ""))


def _operator(text: str) -> Iterator[Piece]:
    if text:
        yield from (Piece("<mo>", ""), Piece(None, text), Piece("</mo>", ""))


def _written(tag: str, attributes: Mapping[str, str | None]) -> str:
    allowed = ATTRIBUTES.get(tag, frozenset())
    values = {name: (value or "").strip().lower() for name, value in attributes.items() if name in allowed}
    return "".join(f' {name}="{value}"' for name, value in values.items() if _VALUE.fullmatch(value))
