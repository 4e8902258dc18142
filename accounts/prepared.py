"""What every press of a judge's key asks and stores: the SQL is written once, then used with other values.

Django writes the SQL of a query anew each time. Where one row is found by its key, or stored, that takes
several times as long as everything else about it; and while one label is stored, the next has to wait.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from inspect import signature
from operator import itemgetter
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar

from django.db import connections, router
from django.db.models import Field, Model, QuerySet
from django.db.models.constants import OnConflict
from django.db.models.query import FlatValuesListIterable, ModelIterable, get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery
from django.db.models.sql.compiler import SQLCompiler

Values = ParamSpec("Values")
Row = TypeVar("Row")
Object = TypeVar("Object", bound=Model)

MARKS: dict[str, Callable[[int], int | str]] = {  # what stands in the query where a value will, by its type
    "int": lambda place: 10**15 + place,
    "str": lambda place: f"<value {place}>",
}


class _Query(Generic[Values]):
    """Rows to be found by values: an int or a str that a column is compared with, or how many rows."""

    def __init__(self, query: Callable[Values, QuerySet[Any, Any]]) -> None:
        self.query = query
        kinds = [parameter.annotation for parameter in signature(query).parameters.values()]
        self.marks = [MARKS[kind](place) for place, kind in enumerate(kinds)]

    def marked(self) -> QuerySet[Any, Any]:
        return self.query(*self.marks)  # type: ignore[call-arg, arg-type]  # marks are of the values' types

    def text(self, compiler: SQLCompiler) -> tuple[str, tuple[Any, ...]]:
        sql, parameters = compiler.as_sql()
        for mark in self.marks:
            if sql.endswith(f" LIMIT {mark}"):  # which Django writes out
                sql, parameters = sql.removesuffix(f"{mark}") + "%s", (*parameters, mark)
        assert {*self.marks} <= {*parameters}, f"values of {self.query.__qualname__} are not in its SQL"
        return sql, tuple(parameters)

    def filled(self, parameters: Sequence[Any], values: Sequence[object]) -> list[Any]:
        """Return the parameters with the values where the marks are. Raises ValueError for too few."""
        given: dict[Any, Any] = dict(zip(self.marks, values, strict=True))
        return [given.get(each, each) for each in parameters]


class Prepared(_Query[Values], Generic[Values, Row]):
    """A query as a function of its values."""

    def __init__(self, query: Callable[Values, QuerySet[Any, Row]]) -> None:
        super().__init__(query)

    def __call__(self, *values: Values.args, **_: Values.kwargs) -> list[Row]:
        """Return the rows that the query finds for these values, given in their order."""
        written = self._written
        parameters = self.filled(written.parameters, values)
        with connections[written.database].cursor() as cursor:
            cursor.execute(written.sql, parameters)
            rows = cursor.fetchall()
        if written.converters:
            rows = written.compiler.apply_converters(rows, written.converters)
        return [written.made(row) for row in rows]

    @cached_property
    def _written(self) -> _Reading:
        rows = self.marked()
        compiler = rows.query.get_compiler(rows.db)
        sql, parameters = self.text(compiler)
        converters = compiler.get_converters([column for column, *_ in compiler.select])
        return _Reading(rows.db, sql, parameters, compiler, converters, _maker(rows, compiler))


class _Reading(NamedTuple):
    database: str
    sql: str
    parameters: tuple[Any, ...]  # marks among them
    compiler: SQLCompiler
    converters: dict[Any, Any]
    made: Callable[[Any], Any]  # of a row


class PreparedUpdate(_Query[Values]):
    """The same change, each time, to the rows that a query finds, as a function of the query's values."""

    def __init__(self, query: Callable[Values, QuerySet[Any]], **changes: object) -> None:
        super().__init__(query)
        self.changes = changes

    def __call__(self, *values: Values.args, **_: Values.kwargs) -> None:
        database, sql, marked = self._written
        parameters = self.filled(marked, values)
        with connections[database].cursor() as cursor:
            cursor.execute(sql, parameters)

    @cached_property
    def _written(self) -> tuple[str, str, tuple[Any, ...]]:
        rows = self.marked()
        database = router.db_for_write(rows.model)
        update = rows.query.chain(UpdateQuery)
        assert isinstance(update, UpdateQuery)
        update.add_update_values(self.changes)
        return database, *self.text(update.get_compiler(database))


class PreparedInsert(Generic[Object]):
    """A row for a new object, which has its key afterwards. No signal is sent.

    instead: fields by which the row may be there already; then it takes over the object's other values.
    """

    def __init__(self, model: type[Object], *, instead: Sequence[str] = ()) -> None:
        self.model, self.instead = model, instead

    def __call__(self, instance: Object) -> None:
        """Raises IntegrityError."""
        database, sql, fields = self._written
        connection = connections[database]
        parameters = [
            field.get_db_prep_save(field.pre_save(instance, add=True), connection) for field in fields
        ]
        with connection.cursor() as cursor:
            cursor.execute(sql, parameters)
            (instance.pk,) = cursor.fetchone()
        instance._state.adding, instance._state.db = False, database

    @cached_property
    def _written(self) -> tuple[str, str, list[Field[Any, Any]]]:
        meta, database = self.model._meta, router.db_for_write(self.model)
        key, *fields = meta.local_concrete_fields
        unique = [meta.get_field(name) for name in self.instead]
        query = InsertQuery(
            self.model,
            on_conflict=OnConflict.UPDATE if unique else None,
            update_fields=[field for field in fields if field not in unique] if unique else [],
            unique_fields=unique,
        )
        query.insert_values(fields, [self.model()])
        compiler = query.get_compiler(database)
        compiler.returning_fields = [key]
        ((sql, _),) = compiler.as_sql()
        return database, sql, fields


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
