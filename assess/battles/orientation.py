"""A direction for each edge of a graph, so that every node has as many edges out as in."""

from __future__ import annotations

from collections.abc import Sequence

Edge = tuple[str, str]
Node = str | None  # None: the extra node


def balanced_orientation(edges: Sequence[Edge]) -> list[Edge]:
    """Return each edge, turned round or not, so that at every node edges out and in differ by at most one.

    The edges are cut into closed trails, each of which is walked in one direction (Euler). Nodes with an odd
    number of edges, of which there is an even number, get one more edge, to an extra node. Two nodes can have
    several edges; none may lead from a node to itself.

    >>> balanced_orientation([("a", "b"), ("a", "c"), ("b", "c")])
    [('b', 'a'), ('a', 'c'), ('c', 'b')]
    """
    nodes = list(dict.fromkeys(node for edge in edges for node in edge))
    beside: dict[Node, list[int]] = {node: [] for node in (*nodes, None)}
    ends: list[tuple[Node, Node]] = list(edges)
    for index, (one, other) in enumerate(edges):
        beside[one].append(index)
        beside[other].append(index)
    for node in nodes:
        if len(beside[node]) % 2:
            beside[node].append(len(ends))
            beside[None].append(len(ends))
            ends.append((node, None))
    starts: dict[int, Node] = {}  # edge -> the node from which it was walked
    for start in (None, *nodes):
        while beside[start]:
            _walk(start, beside, ends, starts)
    return [(a, b) if starts[index] == a else (b, a) for index, (a, b) in enumerate(edges)]


def _walk(
    here: Node,
    beside: dict[Node, list[int]],
    ends: Sequence[tuple[Node, Node]],
    starts: dict[int, Node],
) -> None:
    """Walk from a node along edges that were not walked yet, until the node that is reached has none left."""
    while beside[here]:
        index = beside[here].pop()
        if index not in starts:
            starts[index] = here
            one, other = ends[index]
            here = other if here == one else one
