"""Which topic a query of a click log belongs to: by a mapping, by number, or by title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assess.clicks.click_table import normalised_query
from pooling.formats.files import BadLine, decode


def read_query_mapping(content: bytes, topics: Iterable[str], name: str = "") -> dict[str, str]:
    """Return normalised query -> number of a topic, from lines of a query, a TAB and a number.

    Raises BadLine for another form, for a topic that is not among `topics`, and for a query twice.
    """
    known = set(topics)
    topic_of: dict[str, str] = {}
    for number, line in enumerate(decode(content, name).splitlines(), start=1):
        if not line.strip():
            continue
        if "\0" in line:
            raise BadLine(number, "expected text without NUL characters", name)
        query, _, topic = (part.strip() for part in line.rpartition("\t"))
        if not query or not topic:
            raise BadLine(number, "expected a query, a TAB and the number of a topic", name)
        if topic not in known:
            raise BadLine(number, "expected the number of a topic of this campaign", name)
        if topic_of.setdefault(normalised_query(query), topic) != topic:
            raise BadLine(number, "expected each query once, found it with another topic before", name)
    return topic_of


def queries_of_topics(titles: Mapping[str, str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Return normalised query -> topic. titles: topic -> title.

    A mapping counts before numbers, and numbers before titles. A title of several topics is that of none.
    """
    of_title: dict[str, set[str]] = {}
    for topic, title in titles.items():
        of_title.setdefault(normalised_query(title), set()).add(topic)
    unique = {title: min(topics) for title, topics in of_title.items() if title and len(topics) == 1}
    return unique | {normalised_query(topic): topic for topic in titles} | dict(mapping)
