"""Store the labels of a new judge, or the requests of a labelling, in short transactions.

Nothing shows a row before the last transaction (`UnfinishedLoad`). A load that was interrupted is removed by
the next one of the same name, which starts over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain, count

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import User
from assess.models import Judgment, JudgmentEvent, MachineLabelling, MachineRequest, UnfinishedLoad
from assess.queries.integrity import abandoned_loads
from pooling.formats.files import BadFile
from pooling.models import Campaign, Job
from pooling.services.jobs import report_progress

CHUNK = 1_000  # labels or requests in one transaction


class LoadReplaced(BadFile):
    """Another load of the same name removed the rows of this one, or was sooner."""


@contextmanager
def label_load(
    campaign: Campaign, name: str, replaces: int | None = None
) -> Iterator[tuple[UnfinishedLoad, User]]:
    """Create a judge and the load of the judge's labels; remove both after an error. Raises BadFile.

    The body inserts the labels and ends with a transaction that calls `end_load`. replaces: the key of the
    source that has the name now, and is withdrawn in that transaction.
    """
    username = judge_username(campaign, name, replaces)
    _remove_earlier(campaign, judge__username=username)
    try:
        with transaction.atomic():
            judge = _create_named_judge(username, name)
            load = UnfinishedLoad.objects.create(campaign=campaign, judge=judge)
    except IntegrityError:
        message = (
            f"expected the name of a new judge, but this campaign already has labels of {name}; give another"
            f" name, or load the newer file on the page of {name}, which Sources leads to"
        )
        raise BadFile(message) from None
    with _removed_after_error(load):
        yield load, judge


@contextmanager
def request_load(labelling: MachineLabelling) -> Iterator[UnfinishedLoad]:
    """Store a labelling and the load of its requests; remove both after an error. Raises LoadReplaced."""
    campaign = labelling.campaign
    _remove_earlier(campaign, labelling__name=labelling.name)
    with transaction.atomic():
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
        labellings = MachineLabelling.with_unfinished.filter(campaign=campaign)
        if labellings.filter(name=labelling.name).exists():
            raise LoadReplaced(f"A labelling of the name {labelling.name} was created meanwhile.")
        numbers = labellings.order_by("-number")
        labelling.number = (numbers.values_list("number", flat=True).first() or 0) + 1
        labelling.save()
        load = UnfinishedLoad.objects.create(campaign=campaign, labelling=labelling)
    with _removed_after_error(load):
        yield load


def judge_username(campaign: Campaign, name: str, replaces: int | None = None) -> str:
    """Return the username of the judge who has this name, or would get it.

    The usernames of sources that are withdrawn, replaced or were renamed are not used again.
    """
    others = ~Q(user__name=name) | Q(withdrawn_at__isnull=False) | Q(pk=replaces)
    used = set(campaign.sources.filter(others).values_list("user__username", flat=True))
    first = f"{campaign.slug}/{name}"[:140]
    return next(name for name in chain([first], (f"{first} ({n})" for n in count(2))) if name not in used)


def _create_named_judge(username: str, name: str) -> User:
    """Create an account for labels from a file. Nobody can sign in with it. Raises IntegrityError."""
    judge = User(username=username, name=name, is_active=False)
    judge.set_unusable_password()
    judge.save()
    return judge


def last_chunk(count: int) -> slice:
    """Return the rows that the last transaction stores."""
    return slice((count - 1) // CHUNK * CHUNK, count)


def insert_chunks(
    load: UnfinishedLoad, count: int, insert: Callable[[slice], None], job: Job | None = None
) -> None:
    """Insert all rows but those of `last_chunk`, a transaction for each chunk.

    After each it waits as long as that took: SQLite has no queue of writers, and a judge's label would find
    the lock taken again and again. job: gets reports. Raises LoadReplaced and Stopped.
    """
    for start in range(0, last_chunk(count).start, CHUNK):
        if job:
            report_progress(job, start, count, "Storing; nothing is shown before the end")
        began = time.monotonic()
        with transaction.atomic():
            _lock(load)
            insert(slice(start, start + CHUNK))
        time.sleep(time.monotonic() - began)


def end_load(load: UnfinishedLoad) -> None:
    """Let everybody see the rows, in the transaction that stores `last_chunk`. Raises LoadReplaced."""
    _lock(load)
    UnfinishedLoad.objects.filter(pk=load.pk).delete()


def remove_abandoned_loads(campaign: Campaign) -> int:
    """Remove the loads that stopped without an end; return their number."""
    loads = list(abandoned_loads(campaign))
    for load in loads:
        _remove(load)
    return len(loads)


def _lock(load: UnfinishedLoad) -> None:
    if not UnfinishedLoad.objects.filter(pk=load.pk).update(written_at=timezone.now()):
        raise LoadReplaced("Nothing is stored: another load of the same name was started meanwhile.")


@contextmanager
def _removed_after_error(load: UnfinishedLoad) -> Iterator[None]:
    try:
        yield
    except Exception:
        _remove(load)
        raise


def _remove_earlier(campaign: Campaign, **chosen: str) -> None:
    """Remove what an interrupted load has stored. If it still goes on, its next transaction fails."""
    for load in campaign.unfinished_loads.filter(**chosen):
        with transaction.atomic():
            if not UnfinishedLoad.objects.filter(pk=load.pk).delete()[0]:
                continue
            load.pk = None
            load.save()
        _remove(load)


def _remove(load: UnfinishedLoad) -> None:
    """Remove the rows of a load, then its judge or labelling. Does nothing if another load replaced it."""
    more = True
    while more:
        with transaction.atomic():
            try:
                _lock(load)
            except LoadReplaced:
                return
            more = _remove_labels(load) if load.judge_id else _remove_requests(load)
            if not more:
                owner = load.judge or load.labelling
                UnfinishedLoad.objects.filter(pk=load.pk).delete()
                assert owner
                owner.delete()


def _remove_labels(load: UnfinishedLoad) -> bool:
    events = JudgmentEvent.with_unfinished.filter(judge=load.judge_id).order_by("pk")
    keys = list(events.values_list("pk", flat=True)[:CHUNK])
    Judgment.with_unfinished.filter(event__in=keys).delete()
    JudgmentEvent.with_unfinished.filter(pk__in=keys).delete()
    return len(keys) == CHUNK


def _remove_requests(load: UnfinishedLoad) -> bool:
    requests = MachineRequest.with_unfinished.filter(labelling=load.labelling_id).order_by("pk")
    keys = list(requests.values_list("pk", flat=True)[:CHUNK])
    MachineRequest.with_unfinished.filter(pk__in=keys).delete()
    return len(keys) == CHUNK
