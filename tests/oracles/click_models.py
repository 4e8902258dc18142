"""Click models by loops over lists of (documents, clicks): the definitions."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

ShownList = tuple[Sequence[int], Sequence[bool]]
"""Documents from the first rank down, and whether each was clicked."""


def coec(lists: Sequence[ShownList], shrinkage: float) -> dict[int, float]:
    shown: Counter[int] = Counter()
    clicks: Counter[int] = Counter()
    for documents, clicked in lists:
        for rank in range(len(documents)):
            shown[rank] += 1
            clicks[rank] += clicked[rank]
    own: defaultdict[int, float] = defaultdict(float)
    expected: defaultdict[int, float] = defaultdict(float)
    for documents, clicked in lists:
        for rank, document in enumerate(documents):
            own[document] += clicked[rank]
            expected[document] += clicks[rank] / shown[rank]
    return {each: (own[each] + shrinkage) / (expected[each] + shrinkage) for each in expected}


def sdbn(lists: Sequence[ShownList]) -> dict[int, float]:
    attraction: defaultdict[int, list[int]] = defaultdict(lambda: [1, 2])
    satisfaction: defaultdict[int, list[int]] = defaultdict(lambda: [1, 2])
    for documents, clicked in lists:
        last = max((rank for rank, hit in enumerate(clicked) if hit), default=len(documents) - 1)
        for rank, document in enumerate(documents):
            counts = attraction[document]
            if rank <= last:
                counts[0] += clicked[rank]
                counts[1] += 1
            if clicked[rank]:
                satisfaction[document][0] += rank == last
                satisfaction[document][1] += 1
    return {
        each: counts[0] / counts[1] * satisfaction[each][0] / satisfaction[each][1]
        for each, counts in attraction.items()
    }


def pbm(lists: Sequence[ShownList], rounds: int) -> dict[int, float]:
    attraction: defaultdict[int, float] = defaultdict(lambda: 0.5)
    examination: defaultdict[int, float] = defaultdict(lambda: 0.5)
    for _ in range(rounds):
        attracted: defaultdict[int, list[float]] = defaultdict(lambda: [1.0, 2])
        examined: defaultdict[int, list[float]] = defaultdict(lambda: [1.0, 2])
        for documents, clicked in lists:
            for rank, document in enumerate(documents):
                a, e = attraction[document], examination[rank]
                attracted[document][0] += 1 if clicked[rank] else a * (1 - e) / (1 - a * e)
                examined[rank][0] += 1 if clicked[rank] else e * (1 - a) / (1 - a * e)
                attracted[document][1] += 1
                examined[rank][1] += 1
        attraction.update({each: sums / count for each, (sums, count) in attracted.items()})
        examination.update({rank: sums / count for rank, (sums, count) in examined.items()})
    return dict(attraction)
