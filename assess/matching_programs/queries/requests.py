"""What a program is asked: each nugget of a matching with each answer to its topic."""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from assess.document.answers import answer_text
from assess.machines.batch import MOST_LINES, batch_line
from assess.machines.prompt import TOPIC_FIELDS, TopicText, topic_text
from assess.matching_programs.prompt import NuggetQuestion, fill, labels_text
from assess.matching_programs.queries.labels import labels_by_cell
from assess.models import Answer, BankNugget, Matching, MatchingProgram


class Cell(NamedTuple):
    """A nugget and an answer to its topic, by their keys. tag: of the answer's run.

    is_standing: whether the run was not withdrawn.
    """

    topic: str
    tag: str
    answer: int
    nugget: int
    is_standing: bool


def cells_of(matching: Matching) -> Iterator[Cell]:
    """Yield each nugget with each answer that judges have, once however many judges have it."""
    own: dict[int, list[int]] = {}
    for nugget, topic in matching.bank.nuggets.order_by("place").values_list("pk", "topic"):
        own.setdefault(topic, []).append(nugget)
    fields = ("answer", "answer__topic", "answer__topic__number", "answer__run__tag")
    tasks = matching.tasks.order_by().values_list(*fields, "answer__run__withdrawn_at").distinct()
    for answer, topic, number, tag, withdrawn in tasks:
        for nugget in own.get(topic, ()):
            yield Cell(number, tag, answer, nugget, withdrawn is None)


def requests_of(program: MatchingProgram) -> dict[str, Cell]:
    """Return key of a request -> what it asks about, in the order of keys, which says nothing about it."""
    return dict(sorted((key_of(program, cell), cell) for cell in cells_of(program.matching)))


def key_of(program: MatchingProgram, cell: Cell) -> str:
    """Return the custom_id of a request: 64 hexadecimal digits, which name no system."""
    named = f"{cell.topic}\0{cell.tag}\0{cell.nugget}"
    return hmac.digest(program.salt.encode(), named.encode(), "sha256").hex()


def request_lines(program: MatchingProgram, most: int = MOST_LINES) -> Iterator[str]:
    """Yield the lines of a batch file: the first of the requests that have no readable label yet."""
    labelled = {cell for cell, label in labels_by_cell(program).items() if label.assignment}
    asked = {
        key: cell
        for key, cell in requests_of(program).items()
        if cell.is_standing and (cell.answer, cell.nugget) not in labelled
    }
    answers, questions = {}, {}
    of_runs = Answer.objects.filter(run__matchings=program.matching).select_related("topic")
    for answer in of_runs.order_by("pk"):
        answers[answer.pk] = answer_text([sentence.text for sentence in answer.stored_sentences])
        topic = answer.topic
        text = TopicText(topic.title, topic.description, topic.narrative)
        questions[topic.number] = topic_text(text, TOPIC_FIELDS)
    bank = BankNugget.objects.filter(bank=program.matching.bank_id)
    nuggets = dict(bank.values_list("pk", "text"))
    labels, instructions = labels_text(program.matching.contradicts), program.matching.instructions
    for key, cell in islice(asked.items(), most):
        texts = NuggetQuestion(
            questions[cell.topic], nuggets[cell.nugget], answers[cell.answer], labels, instructions
        )
        message = {"role": "user", "content": fill(program.prompt, texts)}
        yield batch_line(key, {"model": program.model, "messages": [message]})
