"""Docnos keep their numbers while the table grows."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pooling.formats.docnos import UNKNOWN, DocnoTable

BATCHES = st.lists(
    st.lists(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name), min_size=1),
    max_size=6,
)


@given(BATCHES)
def test_numbers_are_given_in_the_order_of_first_places_and_stay(batches: list[list[bytes]]) -> None:
    table, numbers = DocnoTable(), dict[bytes, int]()
    for batch in batches:
        unseen = [docno for docno in batch if docno not in numbers]
        found = table.find(np.array(batch))
        assert [number == UNKNOWN for number in found.tolist()] == [docno in unseen for docno in batch]
        for docno in batch:
            numbers.setdefault(docno, len(numbers))
        assert table.add(np.array(batch)).tolist() == [numbers[docno] for docno in batch]
    assert len(table) == len(numbers)
    assert table.docnos().tolist() == list(numbers)


def test_a_large_table_finds_all_its_docnos() -> None:
    docnos = np.array([b"document-%d" % number for number in range(50_000)])
    table = DocnoTable(docnos[:20_000])
    assert table.add(docnos).tolist() == list(range(50_000))
    assert np.array_equal(table.docnos(np.array([7, 49_999])), docnos[[7, 49_999]])


@given(st.sets(st.binary(min_size=1, max_size=20).filter(lambda name: b"\0" not in name), min_size=2))
def test_docnos_that_are_known_to_differ_get_the_numbers_that_add_gives(docnos: set[bytes]) -> None:
    column = np.array(sorted(docnos))
    table, added = DocnoTable(), DocnoTable()
    for part in (column[:1], column[1:]):
        table.append(part)
        added.add(part)
    assert table.find(column).tolist() == added.find(column).tolist() == list(range(len(column)))
    assert table.docnos().tolist() == added.docnos().tolist()
