"""Store notes of judges."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from accounts.models import User
from assess.models import TopicNote
from pooling.campaign_states import check_writable
from pooling.models import Topic


class NoteChanged(Exception):
    """Another device has changed the note meanwhile; `stored` is the text there."""

    def __init__(self, stored: str) -> None:
        super().__init__(stored)
        self.stored = stored


@transaction.atomic
def save_note(judge: User, topic: Topic, text: str, based_on: str) -> None:
    """Store a note. based_on: the text that the page had last. Raises NoteChanged and StateRefused.

    A text that is stored already is stored again without a conflict, so a repeated request changes nothing.
    """
    check_writable(topic.campaign.state)
    Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)  # one note of a topic at a time
    note = TopicNote.objects.filter(judge=judge, topic=topic).first()
    stored = note.text if note else ""
    if stored not in (based_on, text):
        raise NoteChanged(stored)
    if text.strip():
        about = {"text": text, "changed_at": timezone.now()}
        TopicNote.objects.update_or_create(judge=judge, topic=topic, defaults=about)
    elif note:
        note.delete()
