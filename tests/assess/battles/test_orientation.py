"""Directions of edges with as many out as in."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assess.battles.orientation import Edge, balanced_orientation

EDGES = st.lists(st.permutations("abcdefg").map(lambda nodes: (nodes[0], nodes[1])), max_size=40)


@given(EDGES)
def test_every_node_has_as_many_edges_out_as_in_but_for_one(edges: list[Edge]) -> None:
    turned = balanced_orientation(edges)
    assert [{*edge} for edge in turned] == [{*edge} for edge in edges]
    surplus = Counter(one for one, _ in turned)
    surplus.subtract(other for _, other in turned)
    degree = Counter(node for edge in edges for node in edge)
    assert all(abs(surplus[node]) == degree[node] % 2 for node in degree)
