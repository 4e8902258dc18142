"""Reads that every press of a judge's key asks: their SQL is written once, then asked with other values.

Django writes the SQL of a query anew each time it is asked. Where one row is found by its key, that takes
several times as long as everything else about it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from inspect import signature
from operator import itemgetter
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

from django.db import connections
from django.db.models import QuerySet
from django.db.models.query import FlatValuesListIterable, ModelIterable, get_related_populators
from django.db.models.sql.compiler import SQLCompiler

Values = ParamSpec("Values")
Row = TypeVar("Row")

MARKS: dict[str, Callable[[int], int | str]] = {  # what stands in the query where a value will, by its type
    "int": lambda place: 10**15 + place,
    "str": lambda place: f"<value {place}>",
}


class _Written(NamedTuple):
    database: str
    sql: str
    parameters: tuple[Any, ...]  # marks among them
    compiler: SQLCompiler
    converters: dict[Any, Any]
    made: Callable[[Any], Any]  # of a row


class Prepared(Generic[Values, Row]):
    """A query as a function of its values, each an int or a str that a column is compared with."""

    def __init__(self, query: Callable[Values, QuerySet[Any, Row]]) -> None:
        self.query = query
        kinds = [parameter.annotation for parameter in signature(query).parameters.values()]
        self.marks = [MARKS[kind](place) for place, kind in enumerate(kinds)]

    def __call__(self, *values: Values.args, **_: Values.kwargs) -> list[Row]:
        """Return the rows that the query finds for these values, given in their order."""
        written = self._written
        given: dict[Any, Any] = dict(zip(self.marks, values, strict=True))
        with connections[written.database].cursor() as cursor:
            cursor.execute(written.sql, [given.get(each, each) for each in written.parameters])
            rows = cursor.fetchall()
        if written.converters:
            rows = written.compiler.apply_converters(rows, written.converters)
        return [written.made(row) for row in rows]

    @cached_property
    def _written(self) -> _Written:
        rows = self.query(*self.marks)  # type: ignore[call-arg, arg-type]  # marks are of the values' types
        compiler = rows.query.get_compiler(rows.db)
        sql, parameters = compiler.as_sql()
        assert {*self.marks} <= {*parameters}, f"values of {self.query.__qualname__} are not in its SQL"
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return _Written(rows.db, sql, tuple(parameters), compiler, converters, _maker(rows, compiler))


def _maker(rows: QuerySet[Any, Any], compiler: SQLCompiler) -> Callable[[Any], Any]:
    """Return what makes of a row what the query gives: an object, a tuple or a value."""
    if rows._iterable_class is not ModelIterable:
        return itemgetter(0) if rows._iterable_class is FlatValuesListIterable else tuple
    about, database = compiler.klass_info, rows.db
    own = slice(about["select_fields"][0], about["select_fields"][-1] + 1)
    names = [column.target.attname for column, *_ in compiler.select[own]]
    related = get_related_populators(about, compiler.select, database)  # type: ignore[call-arg]  # of Django 6

    def made(row: Any) -> Any:
        instance = rows.model.from_db(database, names, row[own])
        for each in related:
            each.populate(row, instance)
        return instance

    return made
