from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assess.release.diff import Change, difference, difference_lines, transition_table
from pooling.formats.qrels import Qrels, parse_qrels

Grades = dict[tuple[str, str], int]
GRADES = st.dictionaries(
    st.tuples(st.sampled_from(["1", "2", "ten"]), st.sampled_from(["a", "b", "B", "é", "long-docno-here"])),
    st.integers(-2, 3),
)


def qrels(grades: Grades) -> Qrels | None:
    lines = "".join(f"{topic} 0 {docno} {grade}\n" for (topic, docno), grade in grades.items())
    return parse_qrels(lines.encode()) if lines else None


@given(GRADES, GRADES)
def test_the_difference_is_that_of_two_mappings(first: Grades, second: Grades) -> None:
    found = difference(qrels(first), qrels(second))
    pairs = {*first, *second}
    expected = {pair: (first.get(pair), second.get(pair)) for pair in pairs}
    listed = {(c.topic, c.docno): (c.before, c.after) for c in found.changes}
    assert listed == {pair: step for pair, step in expected.items() if step[0] != step[1]}
    assert len(listed) == len(found.changes)
    assert found.transitions == Counter(expected.values())
    assert (found.added, found.removed) == (len({*second} - {*first}), len({*first} - {*second}))
    assert found.added + found.removed + found.changed + found.same == len(pairs)
    assert {each.topic for each in found.by_topic} == {topic for topic, _ in pairs}


@given(GRADES, GRADES)
def test_the_way_back_is_the_difference_turned_round(first: Grades, second: Grades) -> None:
    there, back = difference(qrels(first), qrels(second)), difference(qrels(second), qrels(first))
    turned = Counter({(after, before): n for (before, after), n in back.transitions.items()})
    assert there.transitions == turned
    assert (there.added, there.changed) == (back.removed, back.changed)


@given(GRADES)
def test_qrels_do_not_differ_from_themselves(grades: Grades) -> None:
    found = difference(qrels(grades), qrels(grades))
    assert found.changes == [] and found.same == len(grades)
    assert not any(topic.differs for topic in found.by_topic)


def test_the_table_has_the_scale_and_what_else_occurs_and_shades_changes_only() -> None:
    grades, rows = transition_table(Counter({(0, 1): 4, (1, 1): 900, (-1, 0): 1, (None, 3): 2}), [0, 1, 2])
    assert grades == [-1, 0, 1, 2, 3, None]
    cells = {(cell.before, cell.after): (cell.documents, cell.shade) for row in rows for cell in row}
    assert len(cells) == 36
    assert cells[0, 1] == (4, 4) and cells[1, 1] == (900, 0)
    assert cells[-1, 0] == (1, 1) and cells[None, 3] == (2, 2) and cells[2, 2] == (0, 0)


def test_a_difference_without_changes_has_a_table_too() -> None:
    assert transition_table(Counter(), [0, 1])[0] == [0, 1, None]


def test_lines_have_a_header_and_a_dash_for_what_is_not_there() -> None:
    lines = list(difference_lines([Change("1", "D1", None, -1), Change("1", "D2", 3, None)]))
    assert lines == ["topic\tdocno\tbefore\tafter\n", "1\tD1\t-\t-1\n", "1\tD2\t3\t-\n"]
