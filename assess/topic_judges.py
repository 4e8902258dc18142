"""Topics for judges: each topic to one judge, some to two."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import ceil

from pooling.strategies.draws import draw_source, shuffle


def judges_of_topics(
    work: Mapping[str, int], judges: Sequence[str], double: float, seed: int, name: str
) -> dict[str, list[str]]:
    """Return topic -> its judges, those with the least work so far first.

    work: topic -> how much work it is, in any unit. double: share of the topics, 0 to 1, that have a second
    judge, rounded up; these topics are drawn. name: of the draw, so that two uses of a seed differ.

    >>> judges_of_topics({"1": 4, "2": 1, "3": 2}, ["ada", "ben"], 0, 7, "example")
    {'1': ['ada'], '2': ['ben'], '3': ['ben']}
    """
    draw, load = draw_source(seed, name), Counter[str]()
    wanted = ceil(round(len(work) * double, 9)) if len(judges) > 1 else 0
    with_second = set(shuffle(list(work), draw, "second judge")[:wanted])
    chosen: dict[str, list[str]] = {}
    for topic, amount in work.items():
        by_load = sorted(judges, key=lambda judge: (load[judge], draw(topic, judge)))
        chosen[topic] = by_load[: 2 if topic in with_second else 1]
        load.update(dict.fromkeys(chosen[topic], amount))
    return chosen
