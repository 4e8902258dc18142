"""Results as a notebook shows them: tables in HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from html import escape
from itertools import islice

import numpy as np

MOST_ITEMS = 20  # of a list that a cell shows


def markup(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return an HTML table with a heading for each column and row, every text escaped.

    >>> markup(["run", "AP"], [["<b>", "0.5000"]], "1 topic").count("&lt;b&gt;")
    1
    """
    return html_table(head, [[escape(cell) for cell in row] for row in rows], caption)


def html_table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str) -> str:
    """Return the table of `markup`. rows: of cells that are HTML already."""
    titles = "".join(f'<th scope="col">{escape(title)}</th>' for title in head)
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for name, *cells in rows
    )
    caption = f"<caption>{escape(caption)}</caption>"
    return f"<table>{caption}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def fields_html(record: object) -> str:
    """Return the fields of a NamedTuple or a dataclass as an HTML table, without those that are empty.

    A class gets it by `_repr_html_ = fields_html`.
    """
    texts = {name: value_text(value) for name, value in _fields(record).items()}
    rows = [(name.replace("_", " "), text) for name, text in texts.items() if text]
    return markup(["field", "value"], rows, type(record).__name__)


def value_text(value: object) -> str:
    """Return a value as a cell shows it: numbers to four digits, lists and records with their parts.

    >>> value_text(0.123456), value_text(None), value_text({"a": 1, "b": (0.5, 2.0)})
    ('0.1235', '', 'a: 1, b: 0.5, 2')
    """
    if value is None:
        return ""
    if isinstance(value, float | np.floating):
        return f"{value:.4g}"
    if isinstance(value, str):
        return value
    if isinstance(value, np.ndarray):
        return value_text(value.tolist())
    shown: list[str] = []
    if parts := _fields(value):
        count = len(parts)
        for name, part in islice(parts.items(), MOST_ITEMS):
            if text := value_text(part):
                shown.append(f"{name.replace('_', ' ')}: {text}")
    elif isinstance(value, Sequence | set | frozenset):
        count = len(value)
        shown = [value_text(item) for item in islice(value, MOST_ITEMS)]
    else:
        return str(value)
    return ", ".join([*shown, f"... ({count})"] if count > MOST_ITEMS else shown)


def _fields(record: object) -> dict[str, object]:
    """Return name -> value of a record or a mapping; {} for anything else."""
    if isinstance(record, Mapping):
        return {str(name): value for name, value in record.items()}
    if isinstance(record, tuple) and hasattr(record, "_asdict"):
        columns: dict[str, object] = record._asdict()
        return columns
    if is_dataclass(record) and not isinstance(record, type):
        return {each.name: getattr(record, each.name) for each in fields(record) if each.repr}
    return {}
