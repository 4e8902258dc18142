"""The names by which files call their fields: one table for runs, judgments, labels, topics and documents.

Names are compared without upper case and without what is neither a letter nor a digit: `query_id`,
`query-id`, `Query ID` and `queryId` are one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pooling.refusals import Refused

Names = tuple[tuple[str, ...], ...]
"""Names in order of preference. Where a file has two names of one step, it is ambiguous which is meant."""

COMMON_WORDS = ("iteration", "rank", "tag", "stratum", "source")  # stand in lines of values, too: Q0, run
UNUSED = "unused"  # the meaning of a field that is given and shall not be read
MOST_NAMED = 20  # fields that a message names

TOPIC: Names = (
    ("topic", "topic_id", "topic_number", "topic_no", "query_id", "qid", "q_id", "query_number", "query_no"),
    ("query", "query_text", "question_id"),
)
DOCNO: Names = (
    ("docno", "doc_no"),
    ("pid", "passage_id"),
    ("docid", "doc_id", "document_id", "corpus_id", "document_number"),
    ("document", "doc", "d_id", "item_id"),
)
ITERATION: Names = (("iteration", "iter", "q0"), ("subtopic", "subtopic_id", "intent"))
GRADE: Names = (
    ("relevance", "grade", "rel", "rating", "label", "judgment", "judgement", "relevancy", "relevance_grade"),
    ("score", "value"),
)
JUDGE: Names = (
    ("judge", "assessor", "annotator", "rater", "coder", "user", "judge_id", "assessor_id", "annotator_id"),
    ("username", "worker", "worker_id", "user_id", "completed_by", "created_by", "email"),
)
SCORE: Names = (("score",), ("sim", "similarity", "rsv"))
RANK: Names = (("rank",), ("position", "doc_position"))
TAG: Names = (("tag", "run_tag", "run_id", "run"), ("system", "system_name", "name"))
STRATUM: Names = (("stratum",),)
SOURCE: Names = (("source",),)

OWN_ID = ("id", "number", "num", "no")  # of what the row itself describes
TITLE: Names = (("title", "headline"), ("name",))
TEXT: Names = (
    ("text",),
    ("contents", "content"),
    ("body", "passage", "segment", "body_text", "full_text", "document_text", "doc_text", "main_content"),
    ("passage_text", "paragraph", "article", "chunk", "raw", "document"),
    ("abstract", "summary", "description"),
)
URL: Names = (("url", "uri", "link"),)


class InputKind(NamedTuple):
    """A kind of file.

    fields: meaning -> its names. required: the meanings that a table must have. telling: how many meanings a
    first line must name to be a header.
    """

    what: str
    fields: Mapping[str, Names]
    required: tuple[str, ...]
    telling: int = 2


RUN = InputKind(
    "run",
    {
        "topic": TOPIC,
        "iteration": (("q0",), ("iteration",)),
        "docno": DOCNO,
        "rank": RANK,
        "score": SCORE,
        "tag": TAG,
    },
    ("topic", "docno", "score"),
)
QRELS = InputKind(
    "qrels",
    {"topic": TOPIC, "iteration": ITERATION, "docno": DOCNO, "stratum": STRATUM, "grade": GRADE},
    ("topic", "docno", "grade"),
)
LABELS = InputKind(
    "labels",
    {"topic": TOPIC, "docno": DOCNO, "judge": JUDGE, "label": GRADE, "source": SOURCE},
    ("topic", "docno", "judge", "label"),
)
JUDGES_AS_COLUMNS = InputKind("labels", {"topic": TOPIC, "docno": DOCNO[:3]}, ("docno",), telling=1)
TOPICS = InputKind(
    "topics",
    {
        "number": (
            (*TOPIC[0][1:], "question_id"),
            OWN_ID,
            ("topic",),
        ),
        "title": (
            ("title",),
            ("query", "text", "query_text"),
            ("question", "topic"),
        ),
        "description": (("description", "desc"), ("question",)),
        "narrative": (("narrative", "narr"), ("background",)),
    },
    ("number", "title"),
)
DOCUMENTS = InputKind(
    "documents",
    {"docno": (*DOCNO[:3], OWN_ID), "title": TITLE, "text": TEXT, "url": URL},
    ("docno",),
)  # fmt: skip


class Mapped(NamedTuple):
    """Which field holds what. columns: meaning -> the field that holds it, as the file spells it.

    left: the fields without a meaning, in their order. ambiguous: meaning -> the fields of which any may be
    meant; such a meaning is not in `columns`. missing: the required meanings that no field has.
    """

    columns: Mapping[str, str]
    left: tuple[str, ...]
    ambiguous: Mapping[str, tuple[str, ...]]
    missing: tuple[str, ...]


def map_fields(fields: Iterable[str], kind: InputKind, chosen: Mapping[str, str] | None = None) -> Mapped:
    """Return which of the given fields holds what.

    chosen: field -> meaning, as a person says it; UNUSED for a field that shall not be read. It comes before
    the known names. Raises Refused for a chosen field that is not given, a meaning that the kind does not
    have, and a meaning that is chosen twice.

    >>> mapped = map_fields(["query-id", "corpus-id", "score", "split"], QRELS)
    >>> mapped.columns, mapped.left
    ({'topic': 'query-id', 'docno': 'corpus-id', 'grade': 'score'}, ('split',))
    >>> map_fields(["qid", "docid", "docno", "score", "query"], RUN).columns["docno"]
    'docno'
    >>> map_fields(["topic", "docno", "rel", "rating"], QRELS).ambiguous
    {'grade': ('rel', 'rating')}
    >>> map_fields(["topic", "docno", "rel", "rating"], QRELS, {"rating": "grade"}).left
    ('rel',)
    """
    given = list(dict.fromkeys(fields))
    taken = _chosen(given, kind, chosen or {})
    columns = {meaning: field for field, meaning in taken.items() if meaning != UNUSED}
    ambiguous: dict[str, tuple[str, ...]] = {}
    free = [field for field in given if field not in taken]
    for meaning, names in kind.fields.items():
        if meaning in columns:
            continue
        for step in names:
            known = {plain_name(name) for name in step}
            if matches := tuple(field for field in free if plain_name(field) in known):
                if len(matches) == 1:
                    columns[meaning] = matches[0]
                else:
                    ambiguous[meaning] = matches
                free = [field for field in free if field not in matches]
                break
    missing = tuple(name for name in kind.required if name not in columns and name not in ambiguous)
    ordered = {meaning: columns[meaning] for meaning in kind.fields if meaning in columns}
    return Mapped(ordered, tuple(free), ambiguous, missing)


class UnclearField(Refused):
    """A meaning that no field has, or of which two fields may be meant. candidates: those fields."""

    def __init__(self, message: str, meaning: str, candidates: Sequence[str]) -> None:
        super().__init__(message)
        self.meaning, self.candidates = meaning, tuple(candidates)


def check_mapped(mapped: Mapped, kind: InputKind, fields: Sequence[str], choose: str = "") -> None:
    """Raise UnclearField, unless every required meaning has one field and none is ambiguous.

    choose: how the caller's user says which field is meant, such as "--map field=meaning".
    """
    how = f"; choose with {choose}" if choose else ""
    for meaning, several in mapped.ambiguous.items():
        message = f"expected one field with the {meaning}, found {', '.join(several)}{how}"
        raise UnclearField(message, meaning, several)
    if mapped.missing:
        meaning = mapped.missing[0]
        known = ", ".join(name for step in kind.fields[meaning] for name in step)
        message = f"expected a field with the {meaning} ({known}), found the fields {shortened(fields)}{how}"
        raise UnclearField(message, meaning, mapped.left)


def shortened(names: Sequence[str]) -> str:
    """Return the names as a list in a sentence: the first of them, and how many others there are.

    >>> shortened(["topic", "docno"]), shortened([str(n) for n in range(24)])[-13:]
    ('topic, docno', '19 and 4 more')
    """
    named = ", ".join(name[:40] for name in names[:MOST_NAMED]) or "none"
    return f"{named} and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else named


def is_header(cells: Iterable[str], kind: InputKind, chosen: Mapping[str, str] | None = None) -> bool:
    """Tell whether the cells of a first row name fields: `kind.telling` meanings, or one that is chosen.

    >>> is_header(["query", "docid", "rating"], QRELS), is_header(["101", "D1", "2"], QRELS)
    (True, False)
    >>> is_header(["1", "Q0", "doc", "1", "9.5", "run"], RUN)
    False
    """
    names = {plain_name(cell) for cell in cells}
    if chosen and not names.isdisjoint(map(plain_name, chosen)):
        return True
    telling = (steps for meaning, steps in kind.fields.items() if meaning not in COMMON_WORDS)
    known = ({plain_name(name) for step in steps for name in step} for steps in telling)
    return sum(not names.isdisjoint(some) for some in known) >= kind.telling


def parse_choices(texts: Iterable[str], kind: InputKind) -> dict[str, str]:
    """Return field -> meaning of texts `field=meaning`. Raises Refused.

    >>> parse_choices(["Rater 1=judge", "note=unused"], LABELS)
    {'Rater 1': 'judge', 'note': 'unused'}
    """
    chosen: dict[str, str] = {}
    for text in texts:
        field, equals, meaning = text.rpartition("=")
        if not (equals and field.strip() and meaning.strip()):
            raise Refused(f"expected field=meaning, found {text[:80]!r}")
        chosen[field.strip()] = meaning.strip()
    for meaning in chosen.values():
        _check_meaning(meaning, kind)
    return chosen


def plain_name(name: str) -> str:
    """Return a name as names are compared.

    >>> {plain_name(name) for name in ("query_id", "query-id", "Query ID", "queryId")}
    {'queryid'}
    """
    return re.sub(r"[\W_]", "", name).casefold()


def _chosen(given: Sequence[str], kind: InputKind, chosen: Mapping[str, str]) -> dict[str, str]:
    """Return field, as the file spells it -> meaning. Raises Refused."""
    taken: dict[str, str] = {}
    for name, meaning in chosen.items():
        _check_meaning(meaning, kind)
        field = name if name in given else next((f for f in given if plain_name(f) == plain_name(name)), None)
        if field is None:
            raise Refused(f"expected a field {name}, found the fields {shortened(given)}")
        if meaning != UNUSED and meaning in taken.values():
            raise Refused(f"expected one field with the {meaning}, found a second, {name}")
        taken[field] = meaning
    return taken


def _check_meaning(meaning: str, kind: InputKind) -> None:
    if meaning not in kind.fields and meaning != UNUSED:
        known = ", ".join([*kind.fields, UNUSED])
        raise Refused(f"expected a meaning of a field of {kind.what} ({known}), found {meaning[:40]!r}")
