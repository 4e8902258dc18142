"""Agreement of judges, and measures of classifications."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from assess.kappa import agreement as all_judges
from assess.kappa.agreement import ALL_JUDGE_COEFFICIENTS
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import Coefficient
from assess.kappa.label_file import parse_labels, scale_in
from assess.kappa.labels import Labels, labels_of_records
from assess.kappa.pairs import coefficients_of_tables
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import pair_tables
from metrics.engine.confusion import ConfusionMatrix
from metrics.engine.confusion import confusion_matrix as matrix_of
from pooling.formats.files import read_file
from pooling.intake.tables import OF_LIBRARY, Reading
from pooling.notebook import markup
from pooling.plotting import Axes, plot_intervals
from pooling.refusals import Refused

from .reading import Path, Rows, is_path, read_labels
from .tables import Frame, shown

if TYPE_CHECKING:
    import pandas

Grades = list[Any] | tuple[Any, ...] | npt.NDArray[Any]  # of one judge
LabelSource = Path | Mapping[str, Mapping[str, Mapping[str, int]]] | Rows | Frame


class Agreement(Mapping[str, Coefficient]):
    """How far judges agree: key of a coefficient -> `Coefficient`, a value or the reason why there is none.

    Attributes
    ----------
    labels
        The labels, as a matrix of judges and documents.
    """

    def __init__(self, labels: Labels, coefficients: Mapping[str, Coefficient]) -> None:
        self.labels, self._coefficients = labels, dict(coefficients)

    def __getitem__(self, key: str) -> Coefficient:
        if key not in self._coefficients:
            raise KeyError(_unknown(key, self._coefficients))
        return self._coefficients[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._coefficients)

    def __len__(self) -> int:
        return len(self._coefficients)

    def by_topic(self) -> dict[str, dict[str, Coefficient]]:
        """Return topic -> the coefficients of its labels alone, without those of two judges only."""
        keys = [definition.key for definition in ALL_JUDGE_COEFFICIENTS]
        values = all_judges.coefficients_by_topic(self.labels)
        return {topic: dict(zip(keys, own, strict=True)) for topic, own in values.items()}

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return the coefficients as plain data, ready for JSON."""
        return {key: coefficient._asdict() for key, coefficient in self.items()}

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each coefficient. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        return pd.DataFrame.from_dict(self.to_dict(), orient="index")

    def plot(self, ax: Axes = None) -> Axes:
        """Draw each coefficient that is defined, with its interval. Returns the axes. Needs matplotlib."""
        defined = {key: each for key, each in self.items() if each.value is not None}
        return plot_intervals(
            {key: each.value for key, each in defined.items() if each.value is not None},
            {key: each.interval for key, each in defined.items()},
            "agreement with 95 % intervals",
            self._caption(),
            ax,
        )

    def _rows(self) -> list[list[str]]:
        rows = []
        for key, coefficient in self.items():
            value = coefficient.reason if coefficient.value is None else f"{coefficient.value:.4f}"
            ends = "" if coefficient.interval is None else "{:.4f} to {:.4f}".format(*coefficient.interval)
            rows.append([coefficient.name, key, value, ends])
        return rows

    def _caption(self) -> str:
        labels = int((self.labels.places >= 0).sum())
        return (
            f"{labels:,} labels by {len(self.labels.judges):,} judges in {len(self.labels.topics):,} topics"
        )

    def __repr__(self) -> str:
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        lines = [
            "  ".join(cell.ljust(width) for cell, width in zip(row, [*widths, 0], strict=True))
            for row in rows
        ]
        return "\n".join([*(line.rstrip() for line in lines), f"({self._caption()})"])

    def _repr_html_(self) -> str:
        return markup(["coefficient", "key", "value", "95 % interval"], self._rows(), self._caption())


@overload
def agreement(
    labels: LabelSource,
    coefficient: None = ...,
    *,
    scale: Sequence[int] | None = ...,
    threshold: int | None = ...,
    draws: int = ...,
    seed: int = ...,
    fields: Mapping[str, str] | None = ...,
    words: Mapping[str, int] | None = ...,
) -> Agreement: ...


@overload
def agreement(
    labels: LabelSource,
    coefficient: str,
    *,
    scale: Sequence[int] | None = ...,
    threshold: int | None = ...,
    draws: int = ...,
    seed: int = ...,
    fields: Mapping[str, str] | None = ...,
    words: Mapping[str, int] | None = ...,
) -> Coefficient: ...


@overload
def agreement(
    labels: Grades,
    coefficient: Grades,
    *,
    scale: Sequence[int] | None = ...,
    threshold: int | None = ...,
    words: Mapping[str, int] | None = ...,
) -> Agreement: ...


def agreement(
    labels: LabelSource | Grades,
    coefficient: str | Grades | None = None,
    *,
    scale: Sequence[int] | None = None,
    threshold: int | None = None,
    draws: int = Bootstrap().draws,
    seed: int = 0,
    fields: Mapping[str, str] | None = None,
    words: Mapping[str, int] | None = None,
) -> Agreement | Coefficient:
    """Return how far judges agree.

    Parameters
    ----------
    labels
        The path of a file: lines ``topic docno judge label``, a table with a header (CSV, TSV) with one row
        for every label or one column for every judge, or JSON; a mapping judge -> topic -> docno -> grade;
        tuples ``(topic, docno, judge, grade)``; or a data frame with columns of the topic, the docno, the
        ``judge`` and the ``label`` (or ``grade``, ``relevance``). Where a column ``source`` says that a
        label is of a program, as in *All labels, TSV* of a campaign, it is left out with a warning.
        Or, with a second sequence in the place of the coefficient, the labels of two judges for the same
        documents in the same order: ``agreement(first, second)``. There is no topic then, and no interval.
    coefficient
        A key of `assess.kappa.registry.REGISTRY`, such as ``"fleiss"`` or ``"alpha-ordinal"``, for one alone.
        Coefficients of two judges (``"cohen"``, ``"scott"``) are there where two judges gave labels.
    scale
        Every grade that may be given, rising; by default from 0 to the highest that was given,
        which may be 9.
    threshold
        The lowest relevant grade, for binary coefficients; by default the second of the scale.
    draws, seed
        Of the bootstrap over topics that gives intervals; 0 draws for none.
    fields, words
        Column -> meaning (``topic``, ``docno``, ``judge``, ``label``, ``unused``) and label as a word ->
        grade, where names do not tell.

    Examples
    --------
    >>> import jurypool as jp
    >>> labels = {"ann": {"7": {"D1": 1, "D2": 0, "D3": 1}}, "bob": {"7": {"D1": 1, "D2": 0, "D3": 0}}}
    >>> jp.agreement(labels, "percent").value
    0.6666666666666666
    >>> round(jp.agreement(labels)["cohen"].value, 4)
    0.4
    >>> round(jp.agreement([1, 0, 1], [1, 0, 0])["cohen"].value, 4)
    0.4
    """
    if not isinstance(coefficient, str | None):
        labels, coefficient = _of_two_judges(labels, coefficient), None
    if coefficient is not None and coefficient not in REGISTRY:
        raise Refused(_unknown(coefficient, REGISTRY))
    if is_path(labels):
        reading = Reading(fields or {}, words or {}, OF_LIBRARY)
        file = parse_labels(read_file(labels), scale, os.fspath(labels), reading)
    else:
        source: Any = list(labels) if isinstance(labels, Iterator) else labels
        file = read_labels(source, scale, fields=fields, words=words)
    if file.programs:
        warnings.warn(file.without_programs, stacklevel=2)
    matrix = labels_of_records(file.records, scale or scale_in(file.records), threshold)
    chosen = [definition for key, definition in REGISTRY.items() if coefficient in (None, key)]
    bootstrap = Bootstrap(seed, draws) if draws > 0 else None
    of_all = [definition for definition in chosen if definition.from_statistics]
    coefficients = dict(
        zip(
            (definition.key for definition in of_all),
            all_judges.coefficients(matrix, of_all, bootstrap),
            strict=True,
        )
    )
    of_two = [
        definition for definition in chosen if definition.from_tables and not definition.from_statistics
    ]
    if of_two and len(matrix.judges) == 2:
        tables = pair_tables(matrix).counts[0]
        tables = tables if len(tables) else np.zeros((1, len(matrix.scale), len(matrix.scale)))
        pair = coefficients_of_tables(tables, matrix.scale, matrix.threshold, of_two)[0]
        coefficients |= {definition.key: value for definition, value in zip(of_two, pair, strict=True)}
    if coefficient is None:
        return Agreement(matrix, {key: coefficients[key] for key in REGISTRY if key in coefficients})
    if coefficient not in coefficients:
        expected = f"{REGISTRY[coefficient].name} is of two judges: expected labels of two"
        raise Refused(f"{expected}, found {len(matrix.judges)} judges")
    return coefficients[coefficient]


def _of_two_judges(first: Any, second: Any) -> list[tuple[str, str, str, object]]:
    """Return labels of the same documents as tuples. Raises Refused for what are not two equal sequences."""
    given = {"first": first, "second": second}
    for labels in given.values():
        if not isinstance(labels, Iterable) or isinstance(labels, str | bytes | Mapping):
            what = "expected labels of two judges in two sequences, or one source of labels and a coefficient"
            raise Refused(f"{what}, found {shown(labels)}")
    rows = {judge: list(labels) for judge, labels in given.items()}
    if len(rows["first"]) != len(rows["second"]):
        counts = " and ".join(f"{len(labels)}" for labels in rows.values())
        raise Refused(f"expected as many labels of both judges, found {counts}")
    return [
        ("1", f"{number}", judge, grade)
        for judge, grades in rows.items()
        for number, grade in enumerate(grades, 1)
    ]


def _unknown(key: str, known: Iterable[str]) -> str:
    return f"expected a coefficient ({', '.join(known)}), found {key!r}"


def confusion_matrix(expert: Sequence[str], system: Sequence[str]) -> ConfusionMatrix:
    """Return how often a system said each class of what an expert put into each class.

    Parameters
    ----------
    expert, system
        The class of each thing, in the same order. `metrics.engine.confusion` has the measures of the matrix.

    Examples
    --------
    >>> import jurypool as jp
    >>> matrix = jp.confusion_matrix(["a", "a", "b"], ["a", "b", "b"])
    >>> matrix.classes, matrix.counts.tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    if len(expert) != len(system):
        raise Refused(f"expected as many classes from both, found {len(expert)} and {len(system)}")
    return matrix_of(expert, system)
