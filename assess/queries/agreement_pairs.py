"""Agreement by pairs of judges: as a matrix, as rows, and the documents behind a pair's cells."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, overload

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from assess.kappa.coefficient import Coefficient
from assess.kappa.marginals import RelevantRate, relevant_rates
from assess.kappa.pairs import PAIR_COEFFICIENTS, coefficients_of_tables, prevalence_paradox
from assess.kappa.registry import REGISTRY
from assess.kappa.tables import PairTables, folded, pair_tables
from assess.models import Judgment, JudgmentEvent, Source
from assess.queries.agreement import AgreementScope
from pooling.models import Campaign, Document, PooledDocument

MAX_JUDGES = 40  # in a matrix
MIN_COMMON = 10  # common documents of the pair that is shown first, if any pair has as many
PAIRS_PER_BLOCK = 500  # pairs computed at a time


class MatrixCell(NamedTuple):
    """The coefficient of two judges; None where they have no common document, or are the same judge."""

    second: str
    coefficient: Coefficient | None
    same: bool


class MatrixRow(NamedTuple):
    judge: str
    rate: RelevantRate
    cells: list[MatrixCell]


class Matrix(NamedTuple):
    """judges: those in the matrix. hidden: number of judges left out, with fewer common documents."""

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


def pair_tables_of(scope: AgreementScope) -> PairTables:
    """Return the confusion matrix of every pair of judges with a common document."""
    name = f"tables-{scope.labels_cache_key}"

    def compute() -> PairTables:
        tables = pair_tables(scope.everybody)
        return tables._replace(counts=tables.counts.astype(np.int32))  # cached at half the size

    return scope.reads.cached(name, scope.version, compute)


def matrix_of_pairs(scope: AgreementScope, key: str) -> Matrix:
    """Return the matrix of one coefficient of the registry, which must be for two judges."""
    labels, tables = scope.everybody, pair_tables_of(scope)
    shared = np.zeros(len(labels.judges))
    for side in (tables.first, tables.second):
        np.add.at(shared, side, tables.counts[0].sum(axis=(1, 2)))
    busiest = np.argsort(-shared, kind="stable")[:MAX_JUDGES]
    shown = np.sort(busiest[shared[busiest] > 0])
    among = np.flatnonzero(np.isin(tables.first, shown) & np.isin(tables.second, shown))
    of_every_pair = coefficients_of_tables(
        tables.counts[0][among].astype(float), labels.scale, labels.threshold, [REGISTRY[key]]
    )
    of_pair = {
        frozenset(pair): own[0]
        for *pair, own in zip(
            tables.first[among].tolist(), tables.second[among].tolist(), of_every_pair, strict=True
        )
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
    """A lazy sequence of all pairs with a common document, those with most first."""

    def __init__(self, scope: AgreementScope) -> None:
        self._labels, self._tables = scope.everybody, pair_tables_of(scope)
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

    def __iter__(self) -> Iterator[PairRow]:
        for start in range(0, len(self), PAIRS_PER_BLOCK):
            yield from self._rows(self._order[start : start + PAIRS_PER_BLOCK].tolist())

    def _rows(self, pairs: list[int]) -> Iterator[PairRow]:
        labels, counts = self._labels, self._tables.counts[0][pairs].astype(float)
        binary = folded(counts, labels.cut)
        n = counts.sum(axis=(1, 2))
        rates = (binary[:, 1].sum(axis=-1) / n).tolist(), (binary[..., 1].sum(axis=-1) / n).tolist()
        lower, higher = (
            corner(counts, k).sum(axis=(1, 2)).astype(int).tolist()
            for corner, k in ((np.tril, -1), (np.triu, 1))
        )
        of_every_pair = coefficients_of_tables(counts, labels.scale, labels.threshold)
        for row, (pair, own) in enumerate(zip(pairs, of_every_pair, strict=True)):
            keyed = {each.key: value for each, value in zip(PAIR_COEFFICIENTS, own, strict=True)}
            first, second = (
                labels.judges[int(side[pair])] for side in (self._tables.first, self._tables.second)
            )
            yield PairRow(
                first, second, int(n[row]), keyed, rates[0][row], rates[1][row], lower[row], higher[row]
            )


def worst_pair(scope: AgreementScope) -> tuple[str, str]:
    """Return the two judges with the lowest Cohen's kappa; two empty names without a common document.

    Pairs with fewer than MIN_COMMON common documents are considered only if no other pair has a kappa:
    a kappa of few documents is low or high by chance. Likewise pairs with a machine, unless machines count.
    """
    labels, tables = scope.everybody, pair_tables_of(scope)
    counts = tables.counts[0].astype(float)
    if not len(counts):
        return "", ""

    def compute() -> int:
        left_out = set() if scope.machines else scope.matrix.machines
        is_left_out = np.array([judge in left_out for judge in labels.judges])
        with_machine = (is_left_out[tables.first] | is_left_out[tables.second]).tolist()
        sizes = counts.sum(axis=(1, 2))
        coefficients = coefficients_of_tables(counts, labels.scale, labels.threshold, [REGISTRY["cohen"]])
        values = [own[0].value for own in coefficients]
        return min(
            range(len(values)),
            key=lambda pair: (
                with_machine[pair],
                values[pair] is None,
                bool(sizes[pair] < MIN_COMMON),
                values[pair] or 0.0,
                -sizes[pair],
            ),
        )

    pair = scope.reads.cached(f"worst-pair-{scope.cache_key}", scope.version, compute)
    return labels.judges[int(tables.first[pair])], labels.judges[int(tables.second[pair])]


class ComparedDocument(NamedTuple):
    """A document with the labels of two judges. document: None when no text was loaded."""

    pooled: PooledDocument
    document: Document | None
    first: JudgmentEvent
    second: JudgmentEvent


def documents_of_cell(
    scope: AgreementScope, first: str, second: str, cell: tuple[int, int] | None = None
) -> list[int]:
    """Return the pooled documents to which both judges gave these grades, by topic.

    cell: the first and the second judge's grade; without it, documents with different grades. Raises
    ValueError for an unknown judge or grade.
    """
    labels = scope.everybody
    own, other = labels.of_judges([first, second]).places
    if cell is None:
        chosen = (own >= 0) & (other >= 0) & (own != other)
    else:
        chosen = (own == labels.scale.index(cell[0])) & (other == labels.scale.index(cell[1]))
    return [int(str(labels.items[place])) for place in np.flatnonzero(chosen).tolist()]


def compared_documents(
    campaign: Campaign, keys: list[int], first: str, second: str
) -> list[ComparedDocument]:
    """Return these pooled documents with both labels, in the same order."""
    judgments = Judgment.objects.filter(pooled__in=keys, judge__username__in=(first, second))
    events: dict[tuple[int, str], JudgmentEvent] = {
        (judgment.pooled_id, judgment.judge.username): judgment.event
        for judgment in judgments.select_related("event", "judge")
    }
    pooled = PooledDocument.objects.filter(pk__in=keys).select_related("topic").in_bulk()
    docnos = {each.docno for each in pooled.values()}
    texts = {text.docno: text for text in campaign.documents.filter(docno__in=docnos).defer("text")}
    return [
        ComparedDocument(pooled[key], texts.get(pooled[key].docno), events[key, first], events[key, second])
        for key in keys
        if (key, first) in events and (key, second) in events
    ]


def labels_of_document(pooled: PooledDocument) -> QuerySet[Judgment]:
    """Return all current labels of one document, those of machines last."""
    programs = Source.objects.programs().filter(user=OuterRef("judge"))
    judgments = pooled.judgments.select_related("judge", "event").annotate(by_program=Exists(programs))
    return judgments.order_by("by_program", "judge__username")
