"""The files of a collection hold what was read: texts by row, and the features of these texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from assess.active_learning.collection_files import FILES, OpenCollection, WrittenCollection, write_collection
from assess.active_learning.features import text_features
from pooling.formats.documents.record import DocumentRecord
from pooling.refusals import Refused
from tests.assess.active_learning.labelled_texts import themed


def records(texts: Iterable[str]) -> list[DocumentRecord]:
    return [
        DocumentRecord(f"D{row}", f"Titel {row} é", text, f"https://example.org/{row}", (("date", "2026"),))
        for row, text in enumerate(texts)
    ]


def written(given: Iterable[DocumentRecord], folder: Path) -> tuple[WrittenCollection, OpenCollection]:
    found = write_collection(iter(given), folder)
    return found, OpenCollection({name: folder / file for name, file in FILES.items()})


def test_the_features_are_those_of_the_titles_and_texts(tmp_path: Path) -> None:
    given = records(themed(60, seed=1).texts)
    expected = text_features(f"{each.title}\n{each.text}" for each in given)
    (documents, terms, repeated), opened = written(given, tmp_path)
    assert (documents, terms, repeated) == (60, len(expected.columns), 0)
    found = opened.features
    assert (found.matrix != expected.matrix).nnz == 0
    assert found.columns == expected.columns
    assert np.array_equal(found.idf, expected.idf)
    topic = "a harbour with a mast"
    assert (found.vector_of(topic) != expected.vector_of(topic)).nnz == 0


def test_the_values_stay_on_the_disk(tmp_path: Path) -> None:
    _, opened = written(records(themed(60, seed=1).texts), tmp_path)
    values = opened.features.matrix.data
    while isinstance(values.base, np.ndarray) and not isinstance(values, np.memmap):
        values = values.base
    assert isinstance(values, np.memmap)


def test_documents_are_found_by_their_rows(tmp_path: Path) -> None:
    given = records(["one two", "two\nthree\u2028", "one three"])
    _, opened = written(given, tmp_path)
    assert opened.docnos == ["D0", "D1", "D2"]
    assert opened.records([2, 0]) == [given[2], given[0]]
    assert opened.rows_of(["D2", "D1", "elsewhere"]) == {"D1": 1, "D2": 2}


def test_of_documents_with_one_docno_the_first_is_kept(tmp_path: Path) -> None:
    given = [*records(["one two", "two one"]), DocumentRecord("D0", "", "another", "")]
    (documents, _, repeated), opened = written(given, tmp_path)
    assert (documents, repeated) == (2, 1)
    assert opened.records([0])[0].text == "one two"


def test_the_mark_up_of_a_page_is_no_word(tmp_path: Path) -> None:
    page = "<html><body><div>mast</div></body></html>"
    _, opened = written(records([page, page]), tmp_path)
    assert "bodi" not in opened.features.columns and "div" not in opened.features.columns
    assert "mast" in opened.features.columns


def test_no_documents_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="at least one document"):
        write_collection(iter([]), tmp_path)
