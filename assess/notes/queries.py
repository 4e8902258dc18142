"""Notes of judges on topics: the own one, and those beside a case of an adjudicator."""

from __future__ import annotations

from typing import NamedTuple

from accounts.models import User
from assess.models import QueueEntry, TopicNote
from assess.queries.adjudication import DisputeCard
from pooling.models import Topic


class CaseNote(NamedTuple):
    """A note beside a case, of the judge whom the adjudicator sees as this letter."""

    letter: str
    text: str


def note_of(judge: User, topic: Topic) -> TopicNote | None:
    return TopicNote.objects.filter(judge=judge, topic=topic).first()


def notes_beside(card: DisputeCard, reader: User) -> list[CaseNote] | None:
    """Return the notes of the judges of a case; None as long as the reader has to judge in this topic.

    A note says how another judge reads the topic, which would change the labels that are still to be given.
    """
    topic = card.pooled.topic
    if QueueEntry.objects.filter(judge=reader, topic=topic, state=QueueEntry.State.OPEN).exists():
        return None
    letters = {view.event.judge_id: view.letter for view in card.views}
    notes = TopicNote.objects.filter(topic=topic, judge__in=letters)
    return sorted(CaseNote(letters[note.judge_id], note.text) for note in notes)
