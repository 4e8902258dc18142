"""The mark-up of topics: TREC's SGML and the XML of its tracks, of CLEF and of NTCIR.

Known are the fields of ad hoc, Robust, Web, Microblog, TREC-COVID, Clinical Decision Support, Precision
Medicine, Clinical Trials, CLEF and NTCIR topics. What has no field in a topic of a campaign is kept as text:
subtopics and NTCIR's parts of a narrative in the narrative, the facts of a patient in title and description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pooling.formats.files import BadLine
from pooling.formats.markup import MarkupBlock, MarkupPart, markup_blocks
from pooling.formats.text import TextLines, one_line, paragraphs, resolve_entities
from pooling.intake.fields import UNUSED

MEANINGS = ("number", "title", "description", "narrative")
TAGS = {
    "num": "number",
    "number": "number",
    "identifier": "number",
    "title": "title",
    "query": "title",
    "desc": "description",
    "description": "description",
    "question": "description",
    "narr": "narrative",
    "narrative": "narrative",
    "note": "narrative",
}
NAMES_IN_CLEF = re.compile(r"[a-z]{2}-(num|title|desc|narr)")  # <EN-title>: the language, and TREC's name
INSIDE_NARRATIVE = ("back", "rele", "irel", "term")  # NTCIR's parts of a narrative
SUBTOPIC = "subtopic"
# Facts of a patient, of which the title is made; "field" has its name in an attribute.
FACTS = ("disease", "gene", "demographic", "treatment", "other", "field")
SUMMARY = "summary"  # of Clinical Decision Support: its description is the long form
# Fields of the first TRECs, of NTCIR and of Microblog. They end the field before them.
LEFT_OUT = (
    "head", "dom", "smry", "con", "conc", "fac", "nat", "time", "def", "slug", "querytime", "querytweettime"
)  # fmt: skip
# The words with which TREC's SGML repeats the tag: "<num> Number: 401".
PREFIXES = {"num": "Number", "title": "Topic", "desc": "Description", "narr": "Narrative"}
_NUMBER = re.compile(r"""(?:^|\s)(?:number|num|id)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""", re.IGNORECASE)
_ATTRIBUTES = {
    name: re.compile(rf"""(?:^|\s){name}\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""", re.IGNORECASE)
    for name in ("number", "type", "name", "template")
}
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?/?>")


class MarkedTopic(NamedTuple):
    """The texts of a topic in mark-up. line: of its number. texts: meaning -> text, not yet checked.

    left: the names of elements that were not read.
    """

    line: int
    texts: Mapping[str, str]
    left: tuple[str, ...]


def marked_topics(lines: TextLines, chosen: Mapping[str, str]) -> Iterator[MarkedTopic]:
    """Yield the topics of mark-up. chosen: element -> meaning, or UNUSED, as a person says it.

    Raises BadLine for a block that is not closed, for two texts of one meaning, and for a topic that has no
    known field but holds elements.
    """
    tags = TAGS | {name.lower(): meaning for name, meaning in chosen.items()}
    fields = [*map(re.escape, tags), "[a-z]{2}-(?:num|title|desc|narr)"]
    fields += [*INSIDE_NARRATIVE, SUBTOPIC, *FACTS, SUMMARY, *LEFT_OUT]
    for block in markup_blocks(_uncommented(lines), ("top", "topic"), fields):
        yield _topic(block, tags)


def _topic(block: MarkupBlock, tags: Mapping[str, str]) -> MarkedTopic:
    texts = dict.fromkeys(MEANINGS, "")
    lines: dict[str, int] = {}
    facts: list[tuple[str, str]] = []
    narrative: list[str] = []
    summary, left = "", dict[str, None]()
    if attribute := _NUMBER.search(block.attributes):
        texts["number"], lines["number"] = _value(attribute), block.line
    for part in block.parts:
        clef = NAMES_IN_CLEF.fullmatch(part.tag)
        meaning = tags.get(clef[1] if clef and part.tag not in tags else part.tag)
        if meaning == UNUSED or part.tag in LEFT_OUT and not meaning:
            left[part.tag] = None
        elif meaning in lines:
            raise BadLine(part.line, f"expected one {meaning} per topic, found a second, <{part.tag}>")
        elif meaning:
            texts[meaning], lines[meaning] = _text(part, clef[1] if clef else part.tag), part.line
        elif part.tag == SUMMARY:
            summary = _text(part)
        elif part.tag in FACTS:
            facts.append((_attribute(part, "name") or part.tag, _text(part)))
        elif part.tag in (*INSIDE_NARRATIVE, SUBTOPIC):
            narrative.append(_subtopic(part) if part.tag == SUBTOPIC else _text(part))
    texts["narrative"] = "\n\n".join(filter(None, [texts["narrative"], *narrative]))
    _fill_title(block, texts, facts, summary)
    return MarkedTopic(lines.get("number", block.line), texts, tuple(left))


def _fill_title(
    block: MarkupBlock, texts: dict[str, str], facts: list[tuple[str, str]], summary: str
) -> None:
    """Give a topic without a title its summary, the facts of its patient, its description or its own text."""
    facts = [(name, one_line(value)) for name, value in facts if value.strip()]
    if facts:
        lines = "\n".join(f"{name}: {value}" for name, value in facts)
        texts["description"] = "\n\n".join(filter(None, [texts["description"], lines]))
    if texts["title"] or any(part.tag in ("title", "query") for part in block.parts):
        texts["description"] = texts["description"] or summary
    elif summary:
        texts["title"] = summary
    elif facts:
        template = _attribute(block.parts[0]._replace(attributes=block.attributes), "template")
        texts["title"] = template or "; ".join(value for _, value in facts)
    elif texts["description"]:
        texts["title"], texts["description"] = texts["description"], ""
    else:
        texts["title"] = _own_text(block)


def _own_text(block: MarkupBlock) -> str:
    """Return the text that stands directly in a topic. Raises BadLine for elements with unknown names."""
    text = block.parts[0].text
    if unknown := dict.fromkeys(_ELEMENT.findall(text)):
        names = ", ".join(list(unknown)[:10])
        known = "<title>, <query>, <description> or the topic's own text"
        raise BadLine(block.line, f"expected a title for the topic ({known}), found the elements {names}")
    return resolve_entities(paragraphs(text))


def _subtopic(part: MarkupPart) -> str:
    number, kind = _attribute(part, "number"), _attribute(part, "type")
    name = " ".join(filter(None, ["Subtopic", number, f"({kind})" if kind else ""]))
    return f"{name}: {one_line(_text(part))}"


def _text(part: MarkupPart, tag: str = "") -> str:
    prefix = PREFIXES.get(tag)
    text = re.sub(rf"\A\s*{prefix}\s*:", "", part.text, flags=re.IGNORECASE) if prefix else part.text
    return resolve_entities(paragraphs(text))


def _attribute(part: MarkupPart, name: str) -> str:
    match = _ATTRIBUTES[name].search(part.attributes)
    return _value(match) if match else ""


def _value(match: re.Match[str]) -> str:
    return resolve_entities(match[1] or match[2] or match[3] or "").strip()


def _uncommented(lines: TextLines) -> Iterator[tuple[int, str]]:
    """Drop `<!-- ... -->`, which may hide whole topics; the lines keep their numbers."""
    opened = 0
    for number, line in lines:
        tokens = []
        for token in re.split("(<!--|-->)", line):
            if opened:
                opened = 0 if token == "-->" else opened
            elif token == "<!--":
                opened = number
            else:
                tokens.append(token)
        yield number, "".join(tokens)
    if opened:
        raise BadLine(opened, "expected --> at the end of this comment, the file ends before it")
