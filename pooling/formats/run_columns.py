"""A run as it is stored: columns of numbers, in pooling order, that are read back without looking at text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pooling.arrays import IntVector, Vector
from pooling.formats.run_order import pooling_order, scoring_order
from pooling.formats.runs import RunFile

Ids = npt.NDArray[np.int32]
SCORING_PROFILE = "trec_eval-9"


@dataclass(frozen=True, eq=False)
class RunColumnArrays:
    """A run's rows grouped by topic, inside a topic in pooling order (score descending, docno ascending).

    topics: in the order of the file. offsets: int64, shape (topics + 1,). ids: int32, shape (rows,), the
    documents' numbers in the campaign's dictionary. scores: float64, shape (rows,). scoring: int32, shape
    (rows,), the rows in the scoring order of trec_eval-9 (docno descending, scores as float32); of shape
    (0,) where that is the pooling order.
    """

    topics: tuple[str, ...]
    offsets: IntVector
    ids: Ids
    scores: Vector
    scoring: Ids

    @cached_property
    def scored_ids(self) -> Ids:
        """The documents' numbers in scoring order."""
        return self.ids[self.scoring] if len(self.scoring) else self.ids


def column_arrays(run: RunFile, ids: IntVector) -> RunColumnArrays:
    """Return a run for storage. ids: the number of every row's document, shape (rows,)."""
    pooling, scoring = pooling_order(run), scoring_order(run, SCORING_PROFILE)
    position = np.empty(len(pooling), dtype=np.int32)
    position[pooling] = np.arange(len(pooling), dtype=np.int32)
    same = bool((pooling == scoring).all())
    return RunColumnArrays(
        run.topics,
        run.offsets,
        ids[pooling].astype(np.int32),
        run.scores[pooling],
        np.empty(0, dtype=np.int32) if same else position[scoring],
    )


def pack_columns(columns: RunColumnArrays) -> dict[str, bytes]:
    """Return the columns as one blob an array, little-endian; `unpack_columns` reads them back."""
    return {
        "topics": "\n".join(columns.topics).encode(),
        "offsets": columns.offsets.astype("<i8").tobytes(),
        "ids": columns.ids.astype("<i4").tobytes(),
        "scores": columns.scores.astype("<f8").tobytes(),
        "scoring": columns.scoring.astype("<i4").tobytes(),
    }


def unpack_columns(
    topics: bytes, offsets: bytes, ids: bytes, scores: bytes, scoring: bytes
) -> RunColumnArrays:
    """Return the columns that `pack_columns` wrote; nothing is copied, nothing is parsed."""
    return RunColumnArrays(
        tuple(bytes(topics).decode().split("\n")),
        np.frombuffer(offsets, dtype="<i8"),
        np.frombuffer(ids, dtype="<i4"),
        np.frombuffer(scores, dtype="<f8"),
        np.frombuffer(scoring, dtype="<i4"),
    )
