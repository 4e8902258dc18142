"""JSON values -> rows: plain rows, topic -> docno -> number, and what annotation tools export.

Known are the exports of Label Studio (JSON, JSON_MIN), doccano (JSON Lines), Argilla (records, nested or
flat) and Quepid (books and ratings), and the judgments of the OpenSearch Search Relevance Workbench.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pooling.formats.files import BadFile
from pooling.intake.fields import GRADE, TOPICS, InputKind, is_header, plain_name

Object = dict[str, Any]
GRADE_NAMES = {plain_name(name) for step in GRADE for name in step}
NOT_SCORES = ("mteb_model_meta",)  # beside the subsets of a task of MTEB
_LISTS = (
    "query_doc_pairs",
    "queries",
    "judgmentRatings",
    "judgmentScores",
    "ratings",
    "data",
    "rows",
    "results",
)


def whole_rows(value: Any, kind: InputKind, name: str) -> tuple[str, list[Object]]:
    """Return what a JSON value is, and its rows. Raises BadFile for one that holds no rows."""
    if isinstance(value, Mapping):
        if kind is TOPICS and (by_number := _of_numbers(value)):
            return "JSON number -> topic", by_number
        plain = [field for field, own in value.items() if not isinstance(own, Mapping | list)]
        is_row = _is_row(value) or is_header(plain, kind)
        if not is_row and is_header(value.keys() - set(plain), kind):
            return "JSON with a list for every field", _of_columns(value, name)
        scores = _scores(value, name)
        if scores is not None:
            return f"JSON topic -> docno -> {kind.required[-1]}", _of_scores(scores, kind, name)
        listed = next((key for key in _LISTS if isinstance(value.get(key), list | dict)), "")
        rows = _of_queries(value[listed]) if isinstance(value.get(listed), dict) else value.get(listed)
        value = [value] if is_row and rows is None else rows
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        expected = (
            f"expected JSON with topic -> docno -> {kind.required[-1]}, or with rows that name their fields"
        )
        raise BadFile(expected, name=name)
    return "JSON rows", [flat_rows(row) for outer in value for row in row_objects(outer)]


def row_objects(value: Object) -> Iterator[Object]:
    """Yield the rows of an object: one for every label of an annotated item, the object itself otherwise."""
    if isinstance(value.get("annotations"), list) and isinstance(value.get("data"), dict):
        yield from _of_label_studio(value)
    elif isinstance(value.get("responses"), dict) and isinstance(value.get("fields"), dict):
        yield from _of_argilla(value)
    elif any(key.endswith(".responses") for key in value):
        yield from _of_flat_argilla(value)
    elif isinstance(value.get("judgements"), list):
        yield from _of_parts(value, "judgements")
    elif turns := next((value[key] for key in ("turn", "turns") if isinstance(value.get(key), list)), None):
        yield from _of_turns(value, turns)
    elif isinstance(value.get("ratings"), list):
        yield from _of_parts(value, "ratings")
    elif isinstance(value.get("ratings"), dict):
        yield from (
            {"query": value.get("query"), "docid": key, "rating": own}
            for key, own in value["ratings"].items()
        )
    else:
        yield value


def flat_rows(row: Mapping[str, Any]) -> Object:
    """Return a row whose inner objects are fields of its own, and whose lists of one are their only value.

    An inner field has its own name where the row has no such field, else the name of both: `meta.docno`.

    >>> flat_rows({"id": 1, "meta": {"docno": "D1", "id": 2}, "label": ["2"]})
    {'id': 1, 'docno': 'D1', 'meta.id': 2, 'label': '2'}
    """
    flat: Object = {}
    for field, value in row.items():
        if isinstance(value, Mapping):
            for inner, own in flat_rows(value).items():
                flat[f"{field}.{inner}" if inner in row or inner in flat else inner] = own
        elif isinstance(value, list):
            flat[field] = (value[0] if value else None) if len(value) < 2 else value
        else:
            flat[field] = value
    return flat


def _is_row(value: Mapping[str, Any]) -> bool:
    return not any(isinstance(own, Mapping | list) for own in value.values())


def _scores(value: Mapping[str, Any], name: str) -> Mapping[str, Any] | None:
    """Return topic -> docno -> number, also from inside the subsets and splits of MTEB; None for others."""
    inner = {key: own for key, own in value.items() if key not in NOT_SCORES}
    if not inner or not all(isinstance(own, Mapping) for own in inner.values()):
        return None
    if all(_is_row(own) for own in inner.values()):
        numbers = (number for own in inner.values() for number in own.values())
        return inner if all(isinstance(number, int | float) for number in numbers) else None
    parts = {key: _scores(own, name) for key, own in inner.items()}
    if len(inner) > 1 and any(part is not None for part in parts.values()):
        raise BadFile(f"expected one set of topics, found several: {', '.join(list(inner)[:10])}", name=name)
    return next(iter(parts.values())) if len(parts) == 1 else None


def _of_scores(scores: Mapping[str, Any], kind: InputKind, name: str) -> list[Object]:
    value = kind.required[-1]
    if kind.what != "run" and (empty := next((topic for topic, own in scores.items() if not own), None)):
        raise BadFile(f"expected at least one docno of topic {empty}, found none", name=name)
    return [
        {"topic": topic, "docno": docno, value: number}
        for topic, own in scores.items()
        for docno, number in own.items()
    ]


def _of_numbers(value: Mapping[str, Any]) -> list[Object]:
    """Return the topics of number -> text, or of number -> fields; none for other objects."""
    if not value or is_header(value, TOPICS):
        return []
    if all(isinstance(own, str) for own in value.values()):
        return [{"number": number, "title": own} for number, own in value.items()]
    if all(isinstance(own, Mapping) and is_header(["number", *own], TOPICS) for own in value.values()):
        return [{"number": number} | flat_rows(own) for number, own in value.items()]
    return []


def _of_turns(conversation: Object, turns: Sequence[Any]) -> Iterator[Object]:
    """Yield a topic for every turn of a conversation (CAsT, iKAT), numbered as the tracks' qrels are.

    The title is the turn in words that need no context, if they are given; the narrative holds the turns
    before it.
    """
    number = next((conversation[key] for key in ("number", "topic_number") if key in conversation), "")
    about = [conversation.get("title"), conversation.get("description")]
    before: list[str] = []
    for position, turn in enumerate(turns, start=1):
        own = turn if isinstance(turn, dict) else {"raw_utterance": turn}
        place = next((own[key] for key in ("number", "turn_id") if key in own), position)
        said = own.get("raw_utterance") or own.get("utterance") or ""
        yield {
            "number": f"{number}_{place}",
            "title": own.get("manual_rewritten_utterance") or own.get("resolved_utterance") or said,
            "description": ". ".join(str(text) for text in about if text),
            "narrative": "\n".join(before),
        }
        before.append(f"Turn {place}: {said}")


def _of_columns(value: Mapping[str, Any], name: str) -> list[Object]:
    """Return the rows of field -> values, as pandas writes a frame: a list, or row number -> value."""
    columns = {
        field: list(own.values()) if isinstance(own, Mapping) else own
        for field, own in value.items()
        if isinstance(own, Mapping | list)
    }
    if len({len(own) for own in columns.values()}) > 1:
        counts = ", ".join(f"{field} {len(own)}" for field, own in columns.items())
        raise BadFile(f"expected as many values of every field, found {counts}", name=name)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _of_queries(queries: Mapping[str, Any]) -> list[Object]:
    return [{"query": query, "ratings": ratings} for query, ratings in queries.items()]


def _of_parts(value: Object, key: str) -> Iterator[Object]:
    shared = {field: own for field, own in value.items() if field not in (key, "document_fields")}
    for part in value[key]:
        yield shared | (part if isinstance(part, dict) else {})


def _of_label_studio(task: Object) -> Iterator[Object]:
    shared = {**task["data"], **(task.get("meta") or {})}
    for annotation in task["annotations"]:
        results = [] if annotation.get("was_cancelled") else annotation.get("result") or []
        judge = annotation.get("completed_by")
        if isinstance(judge, dict):
            judge = judge.get("email") or judge.get("id")
        labels = {str(result.get("from_name")): _value(result.get("value") or {}) for result in results}
        if len(labels) == 1 and plain_name(next(iter(labels))) not in GRADE_NAMES:
            labels = {"label": next(iter(labels.values()))}
        yield shared | {"annotator": judge} | (labels or {"label": None})


def _value(value: Mapping[str, Any]) -> Any:
    known = ("choices", "rating", "number", "taxonomy", "labels", "text")
    return next((value[key] for key in known if key in value), None)


def _of_argilla(record: Object) -> Iterator[Object]:
    shared = {**record["fields"], **(record.get("metadata") or {})}
    yield from _of_answers(
        shared,
        {
            question: [
                (answer.get("value"), answer.get("user_id"), answer.get("status")) for answer in answers
            ]
            for question, answers in record["responses"].items()
        },
    )


def _of_flat_argilla(record: Object) -> Iterator[Object]:
    questions = [key.removesuffix(".responses") for key in record if key.endswith(".responses")]
    inner = tuple(f"{question}.{part}" for question in questions for part in ("responses", "suggestion"))
    shared = {key: own for key, own in record.items() if not key.startswith(inner)}
    answers = {}
    for question in questions:
        values = record[f"{question}.responses"] or []
        users = record.get(f"{question}.responses.users") or [None] * len(values)
        status = record.get(f"{question}.responses.status") or [None] * len(values)
        answers[question] = list(zip(values, users, status, strict=False))
    yield from _of_answers(shared, answers)


def _of_answers(shared: Object, answers: Mapping[str, Sequence[tuple[Any, Any, Any]]]) -> Iterator[Object]:
    """Yield a row for every user with the answers to all questions; drafts and discarded ones are gaps."""
    users = dict.fromkeys(user for given in answers.values() for _, user, _ in given)
    only = len(answers) == 1
    for user in users:
        row = shared | {"annotator": user}
        for question, given in answers.items():
            field = "label" if only and plain_name(question) not in GRADE_NAMES else question
            values = [value for value, own, status in given if own == user and status in (None, "submitted")]
            row[field] = values[0] if values else None
        yield row
    if not users:
        yield shared | {"annotator": None, "label": None}
