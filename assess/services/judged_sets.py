"""Sets of work for judges: what storing and discarding one, and storing a label, have in common."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Max, Model, ProtectedError, QuerySet

from accounts.models import User
from assess.models import AnswerRun
from assess.queries.judged_sets import Handover, JudgedKind
from assess.services.judging import LabelRefused
from assess.services.press_times import press_time
from pooling.campaign_states import check_writable, why_no_labels
from pooling.models import Campaign
from pooling.refusals import Refused
from pooling.services.audit_log import log_change

Label = TypeVar("Label", bound=Model)


class SetRefused(Refused):
    """A set cannot be made, discarded or given to others; the message says why."""


def lock_for_new_set(campaign: Campaign, sets: QuerySet[Any], runs: Iterable[AnswerRun] = ()) -> int:
    """Lock a campaign, and return the number of its next set. Raises SetRefused if a run was withdrawn."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    gone = AnswerRun.objects.filter(pk__in=[run.pk for run in runs]).exclude(withdrawn_at=None)
    if tags := list(gone.values_list("tag", flat=True)):
        raise SetRefused(f"The answer run {tags[0]} was withdrawn. Choose the runs again.")
    return int(sets.aggregate(last=Max("number"))["last"] or 0) + 1


@transaction.atomic
def discard_set(about: Any, items: QuerySet[Any], labels: QuerySet[Any], by: User, verb: str) -> None:
    """Delete a set without labels. verb: for the audit log. Raises SetRefused if it has some.

    items: rows that are locked, so that no label is stored meanwhile.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=about.campaign_id)
    list(items.select_for_update())
    if labels.exists():
        raise SetRefused(f"Judges have given labels in {about}, and labels are never deleted.")
    name = str(about)
    log_change(about.campaign, by, verb, name, number=about.number)
    try:
        about.delete()
    except ProtectedError as error:
        raise SetRefused(f"{name} has labels of a program, and labels are never deleted.") from error


def store_label(
    kind: JudgedKind,
    item: Any,
    judge: User,
    about: Any,
    submitted: Any,
    labels: QuerySet[Label],
    values: Mapping[str, Any],
) -> Label:
    """Store what the judge of an item says of it. A repeated request changes nothing. Raises LabelRefused.

    submitted: with uuid, source and seconds_ago. labels: all of this kind. values: of the row; a known row
    with the same UUID must have the same ones.
    """
    try:
        with transaction.atomic():
            locked = type(item).objects.select_for_update(no_key=True).filter(pk=item.pk).first()
            if locked is None:
                raise LabelRefused(f"{about} was discarded. {kind.not_stored}")
            if locked.judge_id != judge.pk:  # perhaps given away since the page was opened
                raise LabelRefused(f"This {kind.item} is another judge’s. {kind.not_stored}")
            known = known_label(kind, submitted.uuid, labels, values)
            if known is None and (why := why_no_labels(about.campaign.state, kind.label)):
                raise LabelRefused(why)
            return known or labels.model._default_manager.create(
                uuid=submitted.uuid,
                **values,
                source=submitted.source,
                pressed_at=press_time(submitted.seconds_ago, about.made_at),
            )
    except IntegrityError:  # a repeated request was stored first
        return labels.get(uuid=submitted.uuid)


def known_label(
    kind: JudgedKind, key: uuid.UUID, labels: QuerySet[Label], values: Mapping[str, Any]
) -> Label | None:
    """Return the label that a request has stored before. Raises LabelRefused if it was another one."""
    known = labels.filter(uuid=key).first()
    if known is not None and any(getattr(known, name) != value for name, value in values.items()):
        raise LabelRefused(f"This page has already sent another {kind.label}. Open the {kind.item} again.")
    return known


@transaction.atomic
def give_open_tasks(kind: JudgedKind, about: Any, judge: User, others: Sequence[User], by: User) -> Handover:
    """Give the open tasks of a judge to others, as `handover` of the kind plans it. Every label stays.

    Raises SetRefused if one of the others cannot take over, and if there is nothing to give.
    """
    check_writable(about.campaign.state)
    Campaign.objects.select_for_update(no_key=True).get(pk=about.campaign_id)
    tasks = kind.all_tasks(about)
    list(tasks.select_for_update(of=("self",)))  # no label is stored meanwhile
    allowed = set(kind.successors(about, judge))
    if others_names := [other.username for other in others if other not in allowed]:
        raise SetRefused(
            f"Choose other judges: {', '.join(others_names)} cannot take over these {kind.tasks}."
        )
    planned = kind.handover(about, judge, others)
    if not planned.given and not planned.dropped:
        raise SetRefused(f"{judge} has no open {kind.task or kind.item} that these judges can take over.")
    _append(tasks, planned.given)
    tasks.model._default_manager.filter(pk__in=[task.pk for task in planned.dropped]).delete()
    log_change(
        about.campaign,
        by,
        f"gave {kind.tasks} to others",
        f"{about}: {kind.counted(len(planned.given))} that {judge} had not finished",
        number=about.number,
        judge=judge.username,
        given={taker.username: count for taker, count in planned.shares},
        dropped=len(planned.dropped),
        kept=planned.kept,
    )
    return planned


def _append(tasks: QuerySet[Any], given: Sequence[tuple[Any, User]]) -> None:
    """Give tasks to judges. They come last in the lists of those who get them, where a list has an order."""
    fields = ["judge"]
    places = Counter[int]()
    if has_places := any(field.name == "place" for field in tasks.model._meta.get_fields()):
        fields.append("place")
        for last in tasks.values("judge").annotate(last=Max("place")).order_by():
            places[last["judge"]] = last["last"]
    for task, taker in given:
        task.judge = taker
        if has_places:
            places[taker.pk] += 1
            task.place = places[taker.pk]
    tasks.model._default_manager.bulk_update([task for task, _ in given], fields)
