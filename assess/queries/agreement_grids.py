"""Every pair of judges: as a matrix of those who share most documents, and as rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, overload

import numpy as np

from assess.kappa.coefficient import Coefficient
from assess.kappa.confusion import PairTables, folded, pair_tables
from assess.kappa.marginals import RelevantRate, relevant_rates
from assess.kappa.one_pair import prevalence_paradox
from assess.kappa.pairs import OF_PAIRS, of_tables
from assess.kappa.registry import REGISTRY
from assess.queries.agreements import Scope
from assess.queries.caching import cached

MOST_JUDGES = 40  # that a matrix shows
BLOCK = 500  # pairs that are worked out at a time


class MatrixCell(NamedTuple):
    """The coefficient of two judges; None where they share no document, or are the same one."""

    second: str
    coefficient: Coefficient | None
    same: bool


class MatrixRow(NamedTuple):
    judge: str
    rate: RelevantRate
    cells: list[MatrixCell]


class Matrix(NamedTuple):
    """judges: those that are shown; hidden: how many are not, because they share fewer documents."""

    judges: list[str]
    hidden: int
    rows: list[MatrixRow]


class PairRow(NamedTuple):
    """Two judges. rates: share of their common documents that each found relevant."""

    first: str
    second: str
    n: int
    coefficients: dict[str, Coefficient]
    first_rate: float
    second_rate: float
    lower: int
    higher: int

    @property
    def paradox(self) -> bool:
        percent, cohen = self.coefficients["percent-binary"], self.coefficients["cohen-binary"]
        return prevalence_paradox(percent.value, cohen.value)


def tables_of(scope: Scope) -> PairTables:
    """Return the confusion matrix of every pair of judges who share a document."""
    name = f"tables-{scope.part}"

    def made() -> PairTables:
        tables = pair_tables(scope.everybody)
        return tables._replace(counts=tables.counts.astype(np.int32))  # kept at half the size

    return cached(scope.campaign, name, scope.version, made)


def matrix_of(scope: Scope, key: str) -> Matrix:
    """Return the matrix of one coefficient of the registry that is made for two judges."""
    labels, tables = scope.everybody, tables_of(scope)
    shared = np.zeros(len(labels.judges))
    for side in (tables.first, tables.second):
        np.add.at(shared, side, tables.counts[0].sum(axis=(1, 2)))
    busiest = np.argsort(-shared, kind="stable")[:MOST_JUDGES]
    shown = np.sort(busiest[shared[busiest] > 0])
    among = np.flatnonzero(np.isin(tables.first, shown) & np.isin(tables.second, shown))
    found = of_tables(tables.counts[0][among].astype(float), labels.scale, labels.threshold, [REGISTRY[key]])
    of_pair = {
        frozenset(pair): own[0]
        for *pair, own in zip(tables.first[among].tolist(), tables.second[among].tolist(), found, strict=True)
    }
    rates = relevant_rates(labels)
    rows = [
        MatrixRow(
            labels.judges[row],
            rates[row],
            [
                MatrixCell(labels.judges[column], of_pair.get(frozenset((row, column))), row == column)
                for column in shown.tolist()
            ],
        )
        for row in shown.tolist()
    ]
    return Matrix([row.judge for row in rows], int((shared > 0).sum()) - len(rows), rows)


class PairRows:
    """Every pair who share a document, those who share most first; worked out as they are asked for."""

    def __init__(self, scope: Scope) -> None:
        self._labels, self._tables = scope.everybody, tables_of(scope)
        sizes = self._tables.counts[0].sum(axis=(1, 2))
        self._order = np.argsort(-sizes, kind="stable")

    def __len__(self) -> int:
        return len(self._order)

    @overload
    def __getitem__(self, place: int) -> PairRow: ...
    @overload
    def __getitem__(self, place: slice) -> list[PairRow]: ...
    def __getitem__(self, place: int | slice) -> PairRow | list[PairRow]:
        if isinstance(place, slice):
            return list(self._rows(self._order[place].tolist()))
        return next(self._rows([int(self._order[place])]))

    @property
    def largest(self) -> tuple[str, str]:
        """The two judges who share most documents; two empty names when nobody shares any."""
        if not len(self):
            return "", ""
        pair = self._order[0]
        first, second = int(self._tables.first[pair]), int(self._tables.second[pair])
        return self._labels.judges[first], self._labels.judges[second]

    def __iter__(self) -> Iterator[PairRow]:
        for start in range(0, len(self), BLOCK):
            yield from self._rows(self._order[start : start + BLOCK].tolist())

    def _rows(self, pairs: list[int]) -> Iterator[PairRow]:
        labels, counts = self._labels, self._tables.counts[0][pairs].astype(float)
        binary = folded(counts, labels.cut)
        n = counts.sum(axis=(1, 2))
        rates = (binary[:, 1].sum(axis=-1) / n).tolist(), (binary[..., 1].sum(axis=-1) / n).tolist()
        lower, higher = (
            corner(counts, k).sum(axis=(1, 2)).astype(int).tolist()
            for corner, k in ((np.tril, -1), (np.triu, 1))
        )
        found = of_tables(counts, labels.scale, labels.threshold)
        for row, (pair, own) in enumerate(zip(pairs, found, strict=True)):
            keyed = {each.key: value for each, value in zip(OF_PAIRS, own, strict=True)}
            first, second = (
                labels.judges[int(side[pair])] for side in (self._tables.first, self._tables.second)
            )
            yield PairRow(
                first, second, int(n[row]), keyed, rates[0][row], rates[1][row], lower[row], higher[row]
            )
