"""The pairs of answers of a program in both orders, and its requests about them."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import NamedTuple

from assess.battle_programs.prompt import Comparison, fill
from assess.battle_programs.queries.votes import votes_by_order
from assess.document.answers import answer_text
from assess.machines.batch import batch_line
from assess.machines.prompt import TOPIC_FIELDS, TopicText, topic_text
from assess.models import Answer, BattleProgram


class Order(NamedTuple):
    """Two answers for one topic in one order. left, right: keys of answers, the left one is read first.

    tags: of their runs. is_standing: whether neither run was withdrawn.
    """

    topic: str
    left: int
    right: int
    tags: tuple[str, str]
    is_standing: bool

    @property
    def named(self) -> tuple[str, str, str]:
        return (self.topic, *self.tags)


def orders_of(program: BattleProgram) -> dict[str, Order]:
    """Return the key of a request -> the order it asks about, for each pair of the set in both orders.

    A pair that several judges have, or that is repeated for a judge, is there once. In the order of keys,
    which is the same each time and says nothing about pairs.
    """
    fields = ("topic__number", "left", "right", "left__run__tag", "right__run__tag")
    withdrawn = ("left__run__withdrawn_at", "right__run__withdrawn_at")
    votes = program.battle_set.battles.order_by().values_list(*fields, *withdrawn).distinct()
    orders = {}
    for topic, left, right, left_tag, right_tag, *withdrawals in votes:
        is_standing = withdrawals == [None, None]
        for order in (
            Order(topic, left, right, (left_tag, right_tag), is_standing),
            Order(topic, right, left, (right_tag, left_tag), is_standing),
        ):
            orders[key_of(program, order)] = order
    return dict(sorted(orders.items()))


def key_of(program: BattleProgram, order: Order) -> str:
    """Return the custom_id of a request: 64 hexadecimal digits, which name no system."""
    return hmac.digest(program.salt.encode(), "\0".join(order.named).encode(), "sha256").hex()


def request_lines(program: BattleProgram) -> Iterator[str]:
    """Yield the lines of a batch file: the requests that have no readable vote yet."""
    voted = {key for key, vote in votes_by_order(program).items() if vote.choice}
    orders = {
        key: order
        for key, order in orders_of(program).items()
        if order.is_standing and (order.left, order.right) not in voted
    }
    answers, questions = {}, {}
    of_runs = Answer.objects.filter(run__battle_sets=program.battle_set).select_related("topic")
    for answer in of_runs.order_by("pk"):
        answers[answer.pk] = answer_text([sentence.text for sentence in answer.stored_sentences])
        topic = answer.topic
        text = TopicText(topic.title, topic.description, topic.narrative)
        questions[topic.number] = topic_text(text, TOPIC_FIELDS)
    better = program.battle_set.better
    for key, order in orders.items():
        texts = Comparison(questions[order.topic], answers[order.left], answers[order.right], better)
        message = {"role": "user", "content": fill(program.prompt, texts)}
        yield batch_line(key, {"model": program.model, "messages": [message]})
