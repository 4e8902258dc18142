"""Short metadata of a document besides title and text: date, author, source, section and the like."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from pooling.formats.text import one_line, resolve_entities

Facts = tuple[tuple[str, str], ...]
"""Pairs (name, value). Names are in lower case, except names that come from the file."""

MAX_FACTS = 12  # per document; the page shows them above the text
MAX_FACT_NAME = 60
MAX_FACT_VALUE = 300  # characters

_HEAD = 1 << 16  # characters of a page that are searched for <meta> elements
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
    """Return the first 12 distinct, non-empty pairs, each name and value on one line and cut to length.

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
    """Return the short fields of a row except the `known` ones: texts, numbers, lists of texts.

    A value of more than MAX_FACT_VALUE characters is left out.
    """
    rest = ((name, _as_text(row[name])) for name in row.keys() - set(known))
    short = {name: value for name, value in rest if len(value) <= MAX_FACT_VALUE}
    return facts_of((name, short[name]) for name in row if name in short)


def _as_text(value: object) -> str:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return "; ".join(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value)


def facts_of_page(source: str) -> Facts:
    """Return author, date, source and section from the <meta> elements of a web page."""
    facts: dict[str, str] = {}
    for match in _META.finditer(source, 0, _HEAD):
        attributes = {name.lower(): a or b or c for name, a, b, c in _ATTRIBUTE.findall(match[1])}
        kind = attributes.get("name") or attributes.get("property") or attributes.get("itemprop") or ""
        if name := _META_NAMES.get(kind.strip().lower()):
            facts.setdefault(name, resolve_entities(attributes.get("content", "")))
    return facts_of(facts.items())
