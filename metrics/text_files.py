"""Rows and figures as the text of a file."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from pooling.spreadsheet import Table


def tsv(columns: Iterable[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as TSV with a line of column names; an undefined figure is an empty cell."""
    stream = io.StringIO()
    table, names = Table(stream, delimiter="\t", lineterminator="\n"), list(columns)
    table.writerow(names)
    table.writerows([row[column] for column in names] for row in rows)
    return stream.getvalue()


def indented_json(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
