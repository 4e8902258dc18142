"""What a document's file says besides its title and text: date, author, source, section and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pooling.formats.text import one_line, resolve_entities

Facts = tuple[tuple[str, str], ...]
"""(name, value), names in lower case where the form has names of its own."""

MAX_FACTS = 12  # of a document: they stand above its text
MAX_FACT_NAME = 60
MAX_FACT_VALUE = 300  # characters

_HEAD = 1 << 16  # characters of a page in which its <meta> are looked for
_META = re.compile(r"<meta\b([^<>]{0,2000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"""\b(name|property|itemprop|content)\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.I
)
_META_NAMES = {
    "author": "author", "article:author": "author", "dc.creator": "author", "citation_author": "author",
    "date": "date", "dc.date": "date", "article:published_time": "date", "datepublished": "date",
    "citation_publication_date": "date", "og:site_name": "source", "dc.publisher": "source",
    "publisher": "source", "article:section": "section",
}  # fmt: skip


def facts_of(pairs: Iterable[tuple[str, str]]) -> Facts:
    """Return names and values on one line each: the first 12 that are not empty, a pair once, cut to length.

    >>> facts_of([("date", " May\\n1991"), ("author", ""), ("date", "May 1991")])
    (('date', 'May 1991'),)
    """
    clean = (
        (_cut(one_line(name), MAX_FACT_NAME), _cut(one_line(value), MAX_FACT_VALUE)) for name, value in pairs
    )
    return tuple(dict.fromkeys((name, value) for name, value in clean if name and value))[:MAX_FACTS]


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def facts_of_row(row: Mapping[str, Any], known: Iterable[str]) -> Facts:
    """Return the short fields of a row that are none of the `known`: texts, numbers, lists of texts.

    What is longer than a line or two is another text, no fact, and left out.
    """
    rest = ((name, _written(row[name])) for name in row.keys() - set(known))
    short = {name: value for name, value in rest if len(value) <= MAX_FACT_VALUE}
    return facts_of((name, short[name]) for name in row if name in short)


def _written(value: object) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value)


def facts_of_page(source: str) -> Facts:
    """Return what the <meta> elements at the head of a web page say of its author, date, source, section."""
    found: dict[str, str] = {}
    for match in _META.finditer(source, 0, _HEAD):
        attributes = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(match[1])}
        kind = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        if name := _META_NAMES.get(kind.strip().lower()):
            found.setdefault(name, resolve_entities(attributes.get("content", "")))
    return facts_of(found.items())
