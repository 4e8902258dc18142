from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assess.queue import judging_order

docnos = st.lists(st.text(min_size=1), unique=True)


@given(docnos, st.randoms())
def test_the_order_does_not_hang_on_how_documents_arrive(given_order: list[str], random: object) -> None:
    shuffled = given_order.copy()
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert judging_order("7", "ada", shuffled) == judging_order("7", "ada", given_order)


@given(docnos)
def test_a_document_that_joins_later_moves_no_other(before: list[str]) -> None:
    after = judging_order("7", "ada", {*before, "new document"})
    assert [docno for docno in after if docno in before] == judging_order("7", "ada", before)


def test_two_judges_and_two_topics_have_orders_of_their_own() -> None:
    many = [f"D{number}" for number in range(50)]
    orders = {tuple(judging_order(topic, judge, many)) for topic in "78" for judge in ("ada", "ben")}
    assert len(orders) == 4
    assert all(sorted(order) == sorted(many) for order in orders)
