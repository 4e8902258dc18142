"""Mappings, tuples and data frames as unchecked columns, with the place of each row for messages.

Neither pandas, polars nor Arrow is imported: a data frame is whatever has columns that can be asked for by
name. Its columns are read a part at a time, because a column as Python objects takes many times its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
import numpy.typing as npt

from pooling.formats.files import BadFile
from pooling.intake import fields
from pooling.intake.fields import InputKind
from pooling.refusals import Refused

ROWS_AT_ONCE = 1 << 17  # of a column as Python objects
Part: TypeAlias = list[Any] | npt.NDArray[np.int64 | np.float64]


@runtime_checkable
class Frame(Protocol):
    """A data frame of pandas or polars, or an Arrow table: it has columns, and gives one by its name."""

    @property
    def columns(self) -> Any: ...

    def __getitem__(self, name: Any, /) -> Any: ...


class Form(NamedTuple):
    """What rows hold.

    kind: the names of their fields. fields: of every row, in the order of a tuple. optional: fields that may
    follow. keys: the fields that a nested mapping has as keys, outermost first; its values are the `value`.
    """

    kind: InputKind
    fields: tuple[str, ...]
    optional: tuple[str, ...]
    keys: tuple[str, ...]
    value: str


RUN = Form(fields.RUN, ("topic", "docno", "score"), (), ("topic", "docno"), "score")
QRELS = Form(fields.QRELS, ("topic", "docno", "grade"), ("iteration",), ("topic", "docno"), "grade")
LABELS = Form(
    fields.LABELS, ("topic", "docno", "judge", "label"), ("source",), ("judge", "topic", "docno"), "label"
)


@dataclass(frozen=True, eq=False)
class Table:
    """Columns that are not checked yet. columns: field -> values, a list or a column of a data frame, all of
    one length. place: tells of a row, counted from 0, where the caller finds it."""

    form: Form
    columns: Mapping[str, Any]
    place: Callable[[int], str]

    def __len__(self) -> int:
        return len(self.columns[self.form.value])

    def parts(self, field: str) -> Iterator[tuple[int, Part]]:
        """Yield the values of a column, some rows at a time, after the number of their first row.

        Numbers of a data frame come as an array of int64 or float64, where a gap is nan; all else as a list.
        """
        column = self.columns[field]
        column = getattr(column, "array", column)  # pandas slices a Series by labels where these are numbers
        for start in range(0, len(column), ROWS_AT_ONCE):
            yield start, _part(column[start : start + ROWS_AT_ONCE])

    def values(self, field: str) -> list[Any]:
        """Return all values of a column; [] where the table has no such column."""
        if field not in self.columns:
            return []
        return [value for _, part in self.parts(field) for value in part]

    def advice(self, kind: str) -> str:
        """Return how a column of a data frame becomes one of str, int or float; "" for what is no frame."""
        if isinstance(self.columns[self.form.value], list):
            return ""
        return f"; convert the column, by astype({kind}) in pandas or cast({kind}) in polars"

    def refusal(self, row: int, message: str) -> BadFile:
        """Return the error of one row."""
        return BadFile(message, name=self.place(row))


def _part(column: Any) -> Part:
    """Return a slice of a column as numbers or as Python objects."""
    if isinstance(column, list):
        return column
    array = np.asarray(column)
    if array.dtype.kind in "iuf" and array.dtype != np.uint64:
        return array.astype(np.float64 if array.dtype.kind == "f" else np.int64, copy=False)
    for method in ("to_pylist", "to_list", "tolist"):  # of Arrow, of polars, of pandas and NumPy
        if hasattr(column, method):
            return list(getattr(column, method)())
    return list(column)


def is_frame(source: object) -> TypeGuard[Frame]:
    """Tell whether the source is a data frame."""
    return isinstance(source, Frame) and not isinstance(source, Mapping)


def table_of(source: Any, form: Form, name: str, chosen: Mapping[str, str] | None = None) -> Table:
    """Return the columns of a mapping, of tuples or of a data frame.

    chosen: column of a data frame -> field, where its name does not tell. Raises Refused for what is none of
    these, and for nothing at all.
    """
    if is_frame(source):
        table = _table_of_frame(source, form, name, chosen or {})
    elif isinstance(source, Mapping):
        table = _table_of_mapping(source, form, name)
    elif isinstance(source, Iterable) and not isinstance(source, bytes):
        table = _table_of_tuples(source, form, name)
    else:
        expected = "a path, a mapping, tuples or a data frame"
        advice = "; hand over what its to_dict() returns" if hasattr(source, "to_dict") else ""  # of ranx
        raise Refused(f"{name}: expected {expected}, found {shown(source)}{advice}")
    if not len(table):
        raise BadFile(f"expected at least one row of {', '.join(form.fields)}, found none", name=name)
    return table


def _table_of_frame(frame: Frame, form: Form, name: str, chosen: Mapping[str, str]) -> Table:
    names = getattr(frame, "column_names", None)  # of an Arrow table, whose `columns` are the values
    present = [
        name for name in (names if isinstance(names, list) else frame.columns) if isinstance(name, str)
    ]
    kind = form.kind._replace(required=form.fields)
    try:
        mapped = fields.map_fields(present, kind, chosen)
        fields.check_mapped(mapped, kind, present, "fields={column: field}")
    except Refused as error:
        raise BadFile(str(error), name=name) from error
    known = (*form.fields, *form.optional)
    columns = {field: frame[column] for field, column in mapped.columns.items() if field in known}
    return Table(form, columns, lambda row: f"{name}, row {row + 1}")


def _table_of_mapping(source: Mapping[Any, Any], form: Form, name: str) -> Table:
    rows: list[tuple[tuple[Any, ...], Any]] = []
    level: list[tuple[tuple[Any, ...], Any]] = [((), source)]
    for key in form.keys:
        rows = []
        for keys, inner in level:
            if not isinstance(inner, Mapping):
                place = _place(name, keys)
                raise BadFile(f"expected a mapping {key} -> ..., found {shown(inner)}", name=place)
            if not inner and keys and form is not RUN:
                raise BadFile(f"expected at least one {key}, found none", name=_place(name, keys))
            rows += [((*keys, inner_key), value) for inner_key, value in inner.items()]
        level = rows
    if lacking := set(form.fields) - {*form.keys, form.value}:
        message = f"expected tuples or a data frame, for the {' and the '.join(sorted(lacking))}"
        raise BadFile(f"{message}, found a mapping", name=name)
    columns = {key: [keys[at] for keys, _ in rows] for at, key in enumerate(form.keys)}
    columns[form.value] = [value for _, value in rows]
    return Table(form, columns, lambda row: _place(name, rows[row][0]))


def _place(name: str, keys: tuple[Any, ...]) -> str:
    return name + "".join(f"[{quoted(key)}]" for key in keys)


def _table_of_tuples(source: Iterable[Any], form: Form, name: str) -> Table:
    rows = list(source)
    width = len(form.fields)
    names = form.fields
    if rows and form.optional and isinstance(rows[0], tuple | list) and len(rows[0]) == width + 1:
        names, width = (*names, *form.optional), width + 1
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, tuple | list):
            raise BadFile(
                f"expected a tuple ({', '.join(names)}), found {shown(row)}", name=f"{name}, row {number}"
            )
        if len(row) != width:
            message = f"expected {width} fields ({', '.join(names)}), found {len(row)}"
            raise BadFile(message, name=f"{name}, row {number}")
    columns = {field: [row[at] for row in rows] for at, field in enumerate(names)}
    return Table(form, columns, lambda row: f"{name}, row {row + 1}")


def quoted(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}..."


def shown(value: object) -> str:
    """Return a value as messages quote it, with its type."""
    return f"{quoted(value)} of type {type(value).__name__}"
