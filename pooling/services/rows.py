"""Bulk inserts, for tables that grow by ten thousands of rows in one transaction."""

from __future__ import annotations

from itertools import chain, repeat
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Model

# Values in one statement; SQLite allows 32,766. Between two statements other threads run and delay this
# transaction, for which all writers wait: few long statements are better than many short ones.
VALUES = 30_000


def insert_rows(model: type[Model], count: int, **columns: Any) -> None:
    """Insert rows that are given by column: a list with a value for every row, or one value for all rows.

    A column that is not given has its default, the same in every row; the key is the database's. Nothing is
    validated and no signal is sent, as with `bulk_create`. That makes an object of every row and SQL of every
    object, which takes several times as long; on SQLite, no other connection can write meanwhile.
    """
    template, database = model(), connections[DEFAULT_DB_ALIAS]
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    prepared: list[Any] = []
    for field in fields:
        value = columns.get(field.attname, getattr(template, field.attname))
        if isinstance(value, list):
            prepared.append([field.get_db_prep_save(each, database) for each in value])
        else:
            prepared.append(repeat(field.get_db_prep_save(value, database), count))
    names = ", ".join(f'"{field.column}"' for field in fields)
    row, rows = f"({', '.join(['%s'] * len(fields))})", list(zip(*prepared, strict=True))
    with database.cursor() as cursor:
        size = VALUES // len(fields)
        for start in range(0, len(rows), size):
            some = rows[start : start + size]
            marks = ", ".join([row] * len(some))
            sql = f'INSERT INTO "{model._meta.db_table}" ({names}) VALUES {marks}'
            cursor.execute(sql, list(chain.from_iterable(some)))
