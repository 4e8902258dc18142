"""A row of a table as JSON, and back: the same on every database, and exact to the last bit."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import BinaryField, Field, FileField, JSONField, Model, QuerySet

from config.archives.zip_file import BadArchive

PLAIN = (bool, int, float, str)


def json_lines_of(rows: QuerySet[Any], without_files: Collection[Any] = ()) -> Iterator[str]:
    """Yield a line of JSON a row, by primary key. without_files: keys of rows that name no file there."""
    fields = rows.model._meta.concrete_fields
    for row in rows.order_by("pk").iterator(chunk_size=batch_size(rows.model)):
        values = {field.attname: _json_value(field, row) for field in fields}
        if row.pk in without_files:
            values |= {field.attname: "" for field in fields if isinstance(field, FileField)}
        yield json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _json_value(field: Field[Any, Any], row: Model) -> Any:
    # Django's own serializer would cut times to milliseconds.
    value = field.value_from_object(row)
    if value is None or isinstance(value, PLAIN) or isinstance(field, JSONField):
        return value
    if isinstance(field, BinaryField):
        return base64.b64encode(value).decode("ascii")
    return field.value_to_string(row)


def instance_of(model: type[Model], row: Mapping[str, Any]) -> Model:
    """Return a row that is not stored yet. Raises BadArchive for one that is not of this table."""
    fields = model._meta.concrete_fields
    try:
        return model(**{field.attname: _value(field, row[field.attname]) for field in fields})
    except (LookupError, TypeError, ValueError, ArithmeticError, ValidationError) as error:
        label = model._meta.label
        raise BadArchive(
            f"{label}: expected a row of this table, found {row!r:.200} ({error!s:.300})"
        ) from error


def _value(field: Field[Any, Any], value: Any) -> Any:
    return value if value is None or isinstance(field, JSONField) else field.to_python(value)


def batches(model: type[Model], rows: Iterable[Model]) -> Iterator[list[Model]]:
    """Yield the rows in lists that fit in memory."""
    rest = iter(rows)
    while step := list(islice(rest, batch_size(model))):
        yield step


def batch_size(model: type[Model]) -> int:
    """Return how many rows of a table may be in memory at a time."""
    return 20 if any(isinstance(field, BinaryField) for field in model._meta.concrete_fields) else 200
