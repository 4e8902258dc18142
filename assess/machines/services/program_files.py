"""Files of results of programs that label by files: store one, and withdraw it."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from accounts.models import User
from assess.machines.batch import read_results
from pooling.campaign_states import check_additions, check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadLine, unpack
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted

RESULTS = "batch results"  # form of a file


class ProgramResult(NamedTuple):
    """A line of a file. about: values of the columns that say what it is about. label: "" without a readable
    one, and problem then says why.
    """

    line: int
    about: tuple[int, ...]
    label: str
    problem: str = ""
    reply: str = ""


class ProgramFiles(ABC):
    """How files of one kind of program are read and stored.

    of: what programs label, as tables name it. results: the model of a line. about: its columns that say what
    a line is about. field: the one of the label. noun: of a label. other: form of files of programs that were
    run elsewhere. loaded, withdrew: verbs of the audit log.
    """

    of: ClassVar[str]
    results: ClassVar[type[Model]]
    about: ClassVar[tuple[str, ...]]
    field: ClassVar[str]
    noun: ClassVar[str]
    other: ClassVar[str]
    loaded: ClassVar[str]
    withdrew: ClassVar[str]

    @abstractmethod
    def requests(self, program: Any) -> Mapping[str, tuple[int, ...]]:
        """Return key of a request -> what it is about."""

    @abstractmethod
    def read_reply(self, program: Any, text: str, finish_reason: str) -> tuple[str, str]:
        """Return the label of a reply, and the problem if it has none."""

    @abstractmethod
    def read_other(self, program: Any, text: bytes, name: str) -> Sequence[ProgramResult]:
        """Read a file of a program that was run elsewhere. Raises BadFile."""

    def read_batch(self, program: Any, text: bytes, name: str) -> list[ProgramResult]:
        """Read the results of a batch. Raises BadFile for a line with an unknown request."""
        requests, results = self.requests(program), []
        for result in read_results(text, name):
            about = requests.get(result.key)
            if about is None:
                raise BadLine(result.line, "expected the custom_id of a request of this program", name)
            label, problem, reply = "", result.problem, ""
            if result.completion:
                reply = result.completion.text
                label, problem = self.read_reply(program, reply, result.completion.finish_reason)
            results.append(ProgramResult(result.line, about, label, problem, reply))
        return results


class LoadedFile(NamedTuple):
    """A file of results that is stored. is_new: whether this call stored it. noun: of a label."""

    load: Any
    is_new: bool
    noun: str
    labels: int = 0
    unreadable: int = 0

    def __str__(self) -> str:
        if not self.is_new:
            return f"{self.load} was loaded before. Nothing was changed."
        unread = f", {self.unreadable:,} without a readable {self.noun}" if self.unreadable else ""
        return f"{counted(self.labels, self.noun)} stored{unread}."


def load_file(files: ProgramFiles, program: Any, by: User, content: bytes, name: str) -> LoadedFile:
    """Store the results of a file: of a batch, or of a program that was run elsewhere.

    A file that is stored and not withdrawn changes nothing. Raises BadFile; then nothing is stored.
    """
    check_additions(program.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    form = RESULTS if _is_batch(text) else files.other
    rows = (files.read_batch if form == RESULTS else files.read_other)(program, text, name)
    checksum = sha256_of(text)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
        check_additions(campaign.state)
        if known := program.loads.filter(sha256=checksum, withdrawn_at=None).first():
            return LoadedFile(known, False, files.noun)
        load = program.loads.create(name=name[:255], sha256=checksum, form=form, loaded_by=by)
        _insert(files, load, rows)
        unreadable = sum(not row.label for row in rows)
        loaded = LoadedFile(load, True, files.noun, len(rows) - unreadable, unreadable)
        log_change(
            campaign,
            by,
            files.loaded,
            f"{counted(len(rows), 'result')} from {name} for {program}",
            number=program.number,
            sha256=checksum,
            **{f"{files.noun}s": loaded.labels},
            unreadable=unreadable,
        )
    return loaded


def _is_batch(text: bytes) -> bool:
    """Tell whether a file begins like the results of a batch."""
    try:
        first: Any = json.loads(text.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "custom_id" in first


def _insert(files: ProgramFiles, load: Any, rows: Sequence[ProgramResult]) -> None:
    lines, abouts, labels, problems, replies = (list(column) for column in zip(*rows, strict=True))
    columns = dict(zip(files.about, (list(column) for column in zip(*abouts, strict=True)), strict=True))
    insert_rows(
        files.results,
        len(rows),
        load_id=load.pk,
        line=lines,
        problem=problems,
        reply=replies,
        **columns,
        **{files.field: labels},
    )


@transaction.atomic
def withdraw_file(files: ProgramFiles, load: Any, by: User) -> None:
    """Withdraw a file: its labels stay stored and count nowhere. A second call changes nothing."""
    program = load.program
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
    check_writable(campaign.state)
    standing = program.loads.filter(pk=load.pk, withdrawn_at=None)
    if standing.update(withdrawn_at=timezone.now(), withdrawn_by=by):
        summary = f"{load} of {program}"
        log_change(campaign, by, files.withdrew, summary, number=program.number, sha256=load.sha256)
