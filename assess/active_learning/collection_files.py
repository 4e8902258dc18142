"""The files of a collection: the texts of its documents, and their features as arrays that are memory-mapped.

A document is known by its row, from 0 in the order of the file that was loaded.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assess.active_learning.features import TextFeatures, text_features
from assess.active_learning.search_index import IndexWriter, SearchResults, search_index
from assess.document.layout import plain_text
from pooling.arrays import IntVector
from pooling.extras import import_extra
from pooling.formats.documents.record import DocumentRecord

FILES = {  # name -> the name of its file
    "texts": "texts.jsonl",
    "offsets": "offsets.npy",
    "docnos": "docnos.txt",
    "weights": "weights.npy",
    "columns": "columns.npy",
    "starts": "starts.npy",
    "idf": "idf.npy",
    "stems": "stems.txt",
    "index": "index.sqlite3",
}
REPORT_INTERVAL = 1_000  # documents


class WrittenCollection(NamedTuple):
    """documents, terms: how many the files have. repeated: documents left out, as their docno came before."""

    documents: int
    terms: int
    repeated: int


def write_collection(
    records: Iterable[DocumentRecord], folder: Path, report: Callable[[int], None] = lambda documents: None
) -> WrittenCollection:
    """Write the files of a collection into a folder that exists.

    Of documents with one docno the first is kept. The texts are read once, and not kept in memory. report: is
    called with the number of documents so far. Raises what the records raise, and Refused without a document.
    """
    seen, offsets, repeated = dict[str, None](), array("q"), 0

    def texts() -> Iterator[str]:
        nonlocal repeated
        with (folder / FILES["texts"]).open("wb") as file, IndexWriter(folder / FILES["index"]) as index:
            for record in records:
                if record.docno in seen:
                    repeated += 1
                    continue
                seen[record.docno] = None
                offsets.append(file.tell())
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                if len(seen) % REPORT_INTERVAL == 0:
                    report(len(seen))
                text = plain_text(record.text)
                index.add(record.docno, record.title, text)
                yield f"{record.title}\n{text}"

    features = text_features(texts())
    matrix = features.matrix
    arrays = {
        "offsets": np.frombuffer(offsets, dtype=np.int64),
        "weights": matrix.data,
        "columns": matrix.indices,
        "starts": matrix.indptr,
        "idf": features.idf,
    }
    for name, values in arrays.items():
        np.save(folder / FILES[name], values)
    for name, words in (("docnos", seen), ("stems", features.columns)):
        (folder / FILES[name]).write_text("".join(f"{word}\n" for word in words), "utf-8")
    return WrittenCollection(len(seen), len(features.columns), repeated)


class OpenCollection:
    """The files of a collection, opened. paths: name -> file. Arrays are read from the disk when needed."""

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = paths

    @cached_property
    def features(self) -> TextFeatures:
        csr_matrix = import_extra("scipy.sparse").csr_matrix
        weights, columns, starts, idf = (
            np.load(self._paths[name], mmap_mode="r") for name in ("weights", "columns", "starts", "idf")
        )
        shape = len(starts) - 1, len(idf)
        matrix = csr_matrix((weights, columns, starts), shape=shape, copy=False)
        stems = {stem: place for place, stem in enumerate(self._lines("stems"))}
        return TextFeatures(matrix, stems, idf)

    @cached_property
    def docnos(self) -> list[str]:
        """The docno of each row."""
        return self._lines("docnos")

    def rows_of(self, docnos: Iterable[str]) -> dict[str, int]:
        """Return docno -> row, of those of these docnos that the collection has."""
        wanted = set(docnos)
        return {docno: row for row, docno in enumerate(self.docnos) if docno in wanted}

    def records(self, rows: Sequence[int] | IntVector) -> list[DocumentRecord]:
        """Return the documents of these rows, in their order."""
        offsets = np.load(self._paths["offsets"], mmap_mode="r")
        records = []
        with self._paths["texts"].open("rb") as file:
            for row in rows:
                file.seek(int(offsets[row]))
                docno, title, text, url, facts = json.loads(file.readline())
                facts = tuple((name, value) for name, value in facts)
                records.append(DocumentRecord(docno, title, text, url, facts))
        return records

    def search(self, words: str) -> SearchResults:
        """Return the documents that have these words; see `search_index`."""
        return search_index(self._paths["index"], words)

    def _lines(self, name: str) -> list[Any]:
        return self._paths[name].read_text("utf-8").split("\n")[:-1]
