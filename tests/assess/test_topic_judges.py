"""Topics for judges: every topic once or twice, with even work."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assess.topic_judges import judges_of_topics

WORK = st.lists(st.integers(0, 1000), max_size=40).map(lambda own: {str(n): w for n, w in enumerate(own)})


@given(work=WORK, judges=st.integers(1, 6), double=st.integers(0, 100), seed=st.integers(0, 99))
def test_every_topic_has_one_judge_or_two_different_ones(
    work: dict[str, int], judges: int, double: int, seed: int
) -> None:
    names = [f"judge {n}" for n in range(judges)]
    chosen = judges_of_topics(work, names, double / 100, seed, "test")
    assert list(chosen) == list(work)
    assert all(len(set(own)) == len(own) for own in chosen.values())
    doubled = sum(len(own) == 2 for own in chosen.values())
    assert doubled == (-(-len(work) * double // 100) if judges > 1 else 0)
    load = Counter(name for topic, own in chosen.items() for name in own for _ in range(work[topic]))
    if load and not doubled:
        assert max(load.values()) - min(load[name] for name in names) <= max(work.values())
