"""The same rows in every form that the Python API takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Rows = Sequence[tuple[str, str, float]]
FORMS = ("dict", "tuples", "pandas", "polars", "arrow", "file")
LIBRARIES = {"pandas": "pandas", "polars": "polars", "arrow": "pyarrow"}
COLUMNS = {
    "pandas": ("query_id", "doc_id", "score", "relevance"),
    "polars": ("qid", "docno", "score", "grade"),
    "arrow": ("query_id", "docno", "score", "relevance"),
}


def available(form: str) -> bool:
    """Tell whether a form can be made here: data frames need their library."""
    return form not in LIBRARIES or find_spec(LIBRARIES[form]) is not None


def frame(form: str, columns: dict[str, list[Any]]) -> Any:
    """Return columns as a data frame of pandas or polars, or as an Arrow table."""
    if form == "arrow":
        return import_module("pyarrow").table(columns)
    return import_module(form).DataFrame(columns)


def in_form(form: str, rows: Rows, folder: Path, what: str) -> Any:
    """Return a run's or qrels' rows in a form. what: "run" or "qrels"."""
    if form == "dict":
        found: dict[str, dict[str, float]] = {}
        for topic, docno, value in rows:
            found.setdefault(topic, {})[docno] = value
        return found
    if form == "tuples":
        return iter(rows)
    if form == "file":
        path = folder / f"{what}.txt"
        path.write_text("".join(LINES[what](*row) for row in rows), encoding="utf-8")
        return path
    topic, docno, score, grade = COLUMNS[form]
    names = (topic, docno, score if what == "run" else grade)
    columns = dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))
    return frame(form, columns)


LINES: dict[str, Callable[[str, str, float], str]] = {
    "run": lambda topic, docno, score: f"{topic} Q0 {docno} 1 {score!r} run\n",
    "qrels": lambda topic, docno, grade: f"{topic} 0 {docno} {grade}\n",
}
