"""Runs, qrels and labels from files, mappings, tuples and data frames, as the columns that the engine reads.

Columns are checked as the readers of files check lines: text without blanks or control characters, finite
scores, whole grades, each document once in a topic.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import compress
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from assess.kappa.label_file import HIGHEST_GRADE, LabelFile
from assess.release.sources import MACHINES
from pooling.arrays import Docnos, IntVector, Vector, as_words, word_width
from pooling.formats.columns import check_name, longest_name, split_fields
from pooling.formats.files import BadFile, BadLine, read_file, unpack
from pooling.formats.grouping import group_rows, hash_rows, may_repeat, repeated_rows
from pooling.formats.qrels import LARGEST_GRADE, Qrels, parse_prels, parse_qrels
from pooling.formats.runs import RunFile, parse_run
from pooling.intake.recognise import PARQUET, PARQUET_FILE
from pooling.intake.tables import OF_LIBRARY, Reading
from pooling.progress import progress
from pooling.refusals import Refused

from .tables import LABELS, QRELS, RUN, Frame, Part, Table, is_frame, shown, table_of

Path: TypeAlias = str | os.PathLike[str]
ByTopic: TypeAlias = Mapping[str, Mapping[str, float]]
Rows: TypeAlias = Iterable[tuple[Any, ...]]
RunSource: TypeAlias = Path | ByTopic | Rows | Frame | RunFile
QrelsSource: TypeAlias = Path | ByTopic | Rows | Frame | Qrels

TEXT = {str, np.str_}
UNCLEAN = re.compile(rb"[\x00-\x09\x0b-\x20\x7f]")  # what no name may hold, except the line feed that joins


def parquet_frame(path: Path) -> Frame | None:
    """Return a Parquet file as an Arrow table; None for another file.

    Raises BadFile for a Parquet file where pyarrow is not installed.
    """
    try:
        with open(path, "rb") as file:
            if file.read(len(PARQUET)) != PARQUET:
                return None
    except (OSError, ValueError):
        return None  # the reader of files says why
    if not find_spec("pyarrow"):
        message = f"expected text, or the package pyarrow to read this with, found {PARQUET_FILE}"
        raise BadFile(message, name=os.fspath(path))
    frame: Frame = import_module("pyarrow.parquet").read_table(path)
    return frame


def is_path(source: object) -> TypeGuard[Path]:
    """Tell whether the source is the name of a file."""
    return isinstance(source, str | os.PathLike)


def content_of(source: Path | bytes, name: str) -> tuple[bytes, str]:
    """Return the unpacked bytes of a path or of bytes, and what messages call them."""
    if is_path(source):
        return read_file(source), os.fspath(source)
    if isinstance(source, bytes | bytearray | memoryview):
        return unpack(bytes(source), name), name
    raise Refused(f"expected a path or bytes, found {shown(source)}")


def read_run(source: RunSource, name: str = "run", *, fields: Mapping[str, str] | None = None) -> RunFile:
    """Return the columns of one run, checked.

    Parameters
    ----------
    source
        The path of a run file, plain or packed (gz, bz2, xz): lines of six columns, a table with a header
        (CSV, TSV), JSON or Parquet; a mapping topic -> docno -> score; tuples ``(topic, docno, score)``; a
        data frame of pandas or polars or an Arrow table, whose columns name topic, docno and score as
        ir_datasets, PyTerrier, ranx, trectools or BEIR do; or what this function returned.
    name
        The tag of a run that does not come from a file, which also stands in messages.
    fields
        Column -> meaning (``topic``, ``docno``, ``score``, ``unused``) of a table or data frame, where the
        columns' names do not tell.

    Raises
    ------
    Refused
        For whatever a run file is refused for. The message names the file and the line, the row, or the
        keys of the mapping.

    Examples
    --------
    >>> import jurypool as jp
    >>> run = jp.read_run({"7": {"D1": 2.5, "D2": 1}}, "mine")
    >>> run.tag, run.topics, run.docnos.tolist(), run.scores.tolist()
    ('mine', ('7',), [b'D1', b'D2'], [2.5, 1.0])
    """
    if isinstance(source, RunFile):
        return source
    if is_path(source):
        frame = parquet_frame(source)
        if frame is None:
            reading = Reading(fields or {}, {}, OF_LIBRARY)
            return parse_run(read_file(source), os.fspath(source), comments=True, reading=reading)
        name = os.path.basename(os.fspath(source))
        source = frame
    table = table_of(source, RUN, name, fields)
    scores = _scores(table)
    topics, offsets, order = _topics(table)
    docnos = _names(table, "docno")
    if order is not None:
        docnos, scores = docnos[order], scores[order]
    _check_once(table, topics, offsets, docnos, order)
    return RunFile(name, topics, offsets, docnos, scores)


def read_qrels(
    source: QrelsSource,
    name: str = "qrels",
    *,
    fields: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
    by_iteration: bool = False,
    strata: bool = False,
) -> Qrels:
    """Return the columns of qrels, checked.

    Parameters
    ----------
    source
        The path of a file, plain or packed: TREC qrels, a table with a header (CSV, TSV), JSON or Parquet; a
        mapping topic -> docno -> grade; tuples ``(topic, docno, grade)`` or ``(topic, docno, grade,
        iteration)``; a data frame whose columns name topic, docno and grade as ir_datasets, PyTerrier, ranx,
        trectools or BEIR do; or what this function returned.
    name
        What messages call the qrels.
    fields
        Column -> meaning (``topic``, ``docno``, ``grade``, ``iteration``, ``unused``) of a table or data
        frame, where the columns' names do not tell.
    words
        Label as a word -> grade, for files and data frames that have words for grades.
    by_iteration
        Whether a document may be judged once in each iteration (judge, subtopic) of a topic: the fourth
        field of tuples, or the column ``iteration``, which is not read otherwise.
    strata
        Whether judgments are a sample, and the column ``stratum`` says from which stratum each was drawn.

    Raises
    ------
    Refused
        For whatever a file of qrels is refused for.

    Examples
    --------
    >>> import jurypool as jp
    >>> qrels = jp.read_qrels([("7", "D1", "good"), ("7", "D2", "bad")], words={"good": 1, "bad": 0})
    >>> qrels.docnos.tolist(), qrels.grades.tolist()
    ([b'D1', b'D2'], [1, 0])
    """
    if isinstance(source, Qrels):
        return source
    if is_path(source):
        frame = parquet_frame(source)
        if frame is None:
            content, path = read_file(source), os.fspath(source)
            if strata:
                return parse_prels(content, path)
            reading = Reading(fields or {}, words or {}, OF_LIBRARY)
            return parse_qrels(content, path, by_iteration=by_iteration, reading=reading)
        name = os.path.basename(os.fspath(source))
        source = frame
    form = QRELS._replace(fields=(*QRELS.fields, "stratum")) if strata else QRELS
    table = table_of(source, form, name, fields)
    grades = _grades(table, words)
    topics, offsets, order = _topics(table)
    docnos = _names(table, "docno")
    has_iterations = by_iteration and "iteration" in table.columns
    zeros = np.full(len(table), b"0", f"S{word_width(1)}")
    iterations = _names(table, "iteration") if has_iterations else zeros
    stratum = _names(table, "stratum") if strata else None
    if order is not None:
        docnos, grades, iterations = docnos[order], grades[order], iterations[order]
        stratum = None if stratum is None else stratum[order]
    _check_once(table, topics, offsets, docnos, order, iterations if by_iteration else None)
    return Qrels(topics, offsets, docnos, grades, iterations, stratum)


def read_labels(
    source: Mapping[Any, Any] | Rows | Frame,
    scale: Sequence[int] | None = None,
    name: str = "labels",
    fields: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
) -> LabelFile:
    """Return topic, docno, judge and grade of every label that is not in a file, checked.

    scale: the grades that may be given; 0 to 9 unless given, as in files. Rows whose source is a machine are
    counted and not returned. fields, words: see `read_qrels`.
    """
    table = table_of(source, LABELS, name, fields)
    allowed = range(HIGHEST_GRADE + 1) if scale is None else tuple(scale)
    grades = _grades(table, words).tolist()
    for row, grade in enumerate(grades):
        if grade not in allowed:
            message = f"expected a label among {', '.join(map(str, allowed))}"
            raise table.refusal(row, f"{message}, found {grade}")
    topics, docnos = ([text.decode() for text in _names(table, key).tolist()] for key in ("topic", "docno"))
    judges = table.values("judge")
    for row, judge in enumerate(judges):
        if not isinstance(judge, str) or not judge.strip():
            raise table.refusal(row, f"expected text as judge, found {shown(judge)}")
    records = list(zip(topics, docnos, map(str, judges), grades, strict=True))
    machine = [source in MACHINES.values() for source in table.values("source")]
    programs = Counter(judge for (_, _, judge, _) in compress(records, machine))
    people = [not is_machine for is_machine in machine] if machine else [True] * len(records)
    return LabelFile(list(compress(records, people)), 0, programs)


def read_runs(source: Any) -> dict[str, RunFile]:
    """Return name -> run, of several runs.

    Parameters
    ----------
    source
        A mapping name -> run, runs in a row, each as `read_run` takes it, or one run. They go by their tags.
        Where two files have the same tag, as the runs of one group often do, all go by their file names.

    Raises
    ------
    Refused
        For no run at all, names that are not text, and two runs of the same name.
    """
    if is_one_run(source):
        run = read_run(source)
        return {run.tag: run}
    if isinstance(source, Mapping):
        for name in source:
            if not isinstance(name, str) or not name.strip():
                raise Refused(f"expected text as the name of a run, found {shown(name)}")
        runs = {name: read_run(item, name) for name, item in progress(source.items(), "runs read")}
    else:
        given = list(source)
        read = [
            read_run(item, f"run {number}")
            for number, item in enumerate(progress(given, "runs read"), start=1)
        ]
        names = [run.tag for run in read]
        if len(set(names)) < len(names):
            files = zip(given, names, strict=True)
            names = [os.path.basename(item) if is_path(item) else name for item, name in files]
        if len(set(names)) < len(names):
            again = next(name for name in names if names.count(name) > 1)
            raise Refused(
                f"expected each run under a name of its own, found {again!r} twice: give name -> run"
            )
        runs = dict(zip(names, read, strict=True))
    if not runs:
        raise Refused("expected at least one run, found none")
    return runs


def is_one_run(source: Any) -> bool:
    """Tell one run from several. source: no iterator, which could be read only once.

    >>> is_one_run({"7": {"D1": 1.0}}), is_one_run({"mine": {"7": {"D1": 1.0}}})
    (True, False)
    >>> is_one_run([("7", "D1", 1.0)]), is_one_run(["a.run", "b.run"])
    (True, False)
    """
    if is_path(source) or isinstance(source, RunFile) or is_frame(source):
        return True
    if isinstance(source, Mapping):
        return all(
            isinstance(of_topic, Mapping)
            and not any(isinstance(value, Mapping) for value in of_topic.values())
            for of_topic in source.values()
        )
    if not isinstance(source, Sequence) or isinstance(source, bytes):
        return True
    first = next(iter(source), None)
    nested = (tuple, list, Mapping, Frame, RunFile)
    return isinstance(first, tuple | list) and not any(isinstance(field, nested) for field in first)


def _names(table: Table, field: str) -> Docnos:
    """Return topics, docnos and the like as bytes. Raises BadFile for what no line of a file could hold."""
    parts = [_fixed(_part_names(table, field, start, part)) for start, part in table.parts(field)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _part_names(table: Table, field: str, start: int, part: Part) -> list[bytes]:
    """Return the names of some rows. start: the first of them."""
    values = part.tolist() if isinstance(part, np.ndarray) else part
    if not (is_text := TEXT.issuperset(map(type, values))):
        values = [str(value) if _is_number(value, int) else value for value in values]
    if is_text or TEXT.issuperset(map(type, values)):
        try:
            joined = "\n".join(values).encode()
        except UnicodeEncodeError:
            joined = b" "
        names = joined.split(b"\n")
        clean = not UNCLEAN.search(joined) and len(names) == len(values) and all(names)
        if (
            clean
            and max(map(len, names)) <= longest_name(field)
            and not (field == "topic" and b"#" in joined)
        ):
            return names
    return [_name(table, field, start + row, value) for row, value in enumerate(values)]


def _name(table: Table, field: str, row: int, value: Any) -> bytes:
    if not isinstance(value, str):
        advice = ""  # a gap (nan) is none: it would become the text "nan"
        if isinstance(value, float) and value == value:
            advice = table.advice("int" if value.is_integer() else "str")
        raise table.refusal(row, f"expected text as {field}, found {shown(value)}{advice}")
    try:
        text = value.encode()
        fields = split_fields(text, row + 1, "")
    except UnicodeEncodeError:
        raise table.refusal(row, f"expected a {field} that UTF-8 can hold, found {shown(value)}") from None
    except BadLine as error:
        raise table.refusal(row, error.message) from None
    if fields != [text]:
        raise table.refusal(row, f"expected a {field} without blanks, found {shown(value)}")
    if field == "topic" and text.startswith(b"#"):
        raise table.refusal(row, f"expected a topic that does not begin with #, found {shown(value)}")
    try:
        return check_name(text, field, row + 1, "")
    except BadLine as error:
        raise table.refusal(row, error.message) from None


def _scores(table: Table) -> Vector:
    """Return the scores as float64. Raises BadFile for what is not a finite number."""
    scores = np.empty(len(table))
    for start, part in table.parts("score"):
        rows = slice(start, start + len(part))
        if not isinstance(part, np.ndarray):
            for row, value in enumerate(part, start):
                if not _is_number(value, float):
                    message = f"expected a number as score, found {shown(value)}{table.advice('float')}"
                    raise table.refusal(row, message)
        try:
            scores[rows] = part
        except OverflowError:
            scores[rows] = [value if abs(value) < 1e308 else np.inf for value in part]
        if len(wrong := np.flatnonzero(~np.isfinite(scores[rows]))):
            at = int(wrong[0])
            raise table.refusal(start + at, f"expected a finite number as score, found {part[at]}")
    return scores


def _grades(table: Table, words: Mapping[str, int] | None = None) -> IntVector:
    """Return the grades. Raises BadFile for what is not a whole number of at most 9 digits."""
    known = {word.casefold(): grade for word, grade in (words or {}).items()}
    grades = np.empty(len(table), np.int64)
    for start, part in table.parts(table.form.value):
        if isinstance(part, np.ndarray) and ((part % 1 == 0) & (abs(part) <= LARGEST_GRADE)).all():
            grades[start : start + len(part)] = part
            continue
        for row, value in enumerate(part, start):
            grades[row] = _grade(
                table, row, known.get(value.casefold(), value) if isinstance(value, str) else value
            )
    return grades


def _grade(table: Table, row: int, value: Any) -> int:
    if value is None or _is_number(value, float) and value != value:
        raise table.refusal(row, "expected a grade, found none (a gap)")
    if not _is_number(value, float) or value % 1 or abs(value) > LARGEST_GRADE:
        message = "expected a whole number of at most 9 digits as grade"
        # pandas makes no int of the text "1.0"; the float 1.0 is a grade
        advice = table.advice("float" if "." in value else "int") if isinstance(value, str) else ""
        raise table.refusal(row, f"{message}, found {shown(value)}{advice}")
    return int(value)


def _is_number(value: object, kind: type) -> bool:
    """Tell whether a value is a whole number, or any number where `kind` is float. True is no number."""
    if isinstance(value, bool | np.bool_):
        return False
    return isinstance(value, int | np.integer) or (kind is float and isinstance(value, float | np.floating))


def _topics(table: Table) -> tuple[tuple[str, ...], IntVector, IntVector | None]:
    """Return the topics in the order of their first row, their offsets, and the rows in this order."""
    names = _names(table, "topic")
    starts = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
    stretches = [name.decode() for name in names[starts].tolist()]
    return group_rows(stretches, np.append(starts, len(names)).astype(np.int64))


def _fixed(names: Sequence[bytes]) -> Docnos:
    return np.array(names, dtype=f"S{word_width(max(map(len, names)))}")


def _check_once(
    table: Table,
    topics: tuple[str, ...],
    offsets: IntVector,
    docnos: Docnos,
    order: IntVector | None,
    iterations: Docnos | None = None,
) -> None:
    """Raise BadFile where a docno stands twice in a topic (or in one of its iterations)."""
    words = as_words(docnos)
    if iterations is not None:
        words = np.hstack([words, hash_rows(as_words(iterations))[:, None]])
    if not may_repeat(words, offsets):
        return
    rows, firsts = repeated_rows(words, offsets)
    if not len(rows):
        return
    places, first_places = (rows, firsts) if order is None else (order[rows], order[firsts])
    at = int(np.argmin(places))
    topic = topics[int(np.searchsorted(offsets, rows[at], "right")) - 1]
    repetition = f"found {docnos[rows[at]].decode()!r} of topic {topic!r} again"
    first = table.place(int(first_places[at]))
    raise table.refusal(
        int(places[at]), f"expected each document once in a topic, {repetition} (first at {first})"
    )
