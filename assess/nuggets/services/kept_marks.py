"""Marks in answers that stay with their nugget when a version is copied, and when two nuggets are joined."""

from __future__ import annotations

from assess.models import AnswerMark, Bank, BankNugget


def copy_marks(before: Bank, draft: Bank) -> None:
    """Copy the marks of a version to its copy: those of a nugget to the nugget with the same key."""
    copies = dict(draft.nuggets.values_list("key", "pk"))
    marks = list(AnswerMark.objects.filter(nugget__bank=before).select_related("nugget"))
    for mark in marks:
        mark.pk, mark.nugget_id = None, copies[mark.nugget.key]
    AnswerMark.objects.bulk_create(marks, batch_size=500)


def join_marks(kept: BankNugget, other: BankNugget) -> None:
    """Give the marks of one nugget to another; the same words of the same author stay once."""
    known = set(kept.marks.values_list("answer", "author", "sentence", "start", "end"))
    for mark in other.marks.all():
        if (mark.answer_id, mark.author_id, mark.sentence, mark.start, mark.end) not in known:
            mark.nugget = kept
            mark.save(update_fields=["nugget"])
