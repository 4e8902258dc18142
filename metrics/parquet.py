"""Scores as Parquet, the columns of `score_formats.LONG`; written with pyarrow, if it is installed."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from metrics.score_formats import LONG, Scored, rows


def parquet(scored: Sequence[Scored]) -> bytes:
    """Return a Parquet file with one row group per run. Raises ImportError if pyarrow is not installed."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    word = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    schema = pyarrow.schema([(name, pyarrow.float64() if name == "value" else word) for name in LONG])
    file = io.BytesIO()
    with ParquetWriter(file, schema) as writer:
        for run in scored:
            writer.write_table(pyarrow.table(_columns(run), schema=schema))
    return file.getvalue()


def _columns(run: Scored) -> dict[str, list[Any]]:
    """Return the columns of one run, with one row per value."""
    measures, setting = run.scores.measures, (run.scores.profile, run.scores.missing)
    lines = [
        (name, topic, measure.name, value, *setting)
        for name, topic, values in rows([run], by_topic=True)
        for measure, value in zip(measures, values, strict=True)
    ]
    return dict(zip(LONG, map(list, zip(*lines, strict=True)), strict=True))
