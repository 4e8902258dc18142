"""Programs that match nuggets with answers, and the files of their results."""

from __future__ import annotations

import json
import secrets
from typing import Any, NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.models import User
from accounts.services import make_once
from assess.machines.batch import read_results
from assess.matching_programs.label_files import FAILED, read_program_labels
from assess.matching_programs.prompt import check_prompt
from assess.matching_programs.queries.requests import cells_of, requests_of
from assess.matching_programs.replies import read_label
from assess.models import BankNugget, Matching, MatchingProgram, MatchingProgramLoad, ProgramNuggetLabel
from assess.nuggets.queries.banks import nuggets_of, pure_banks
from pooling.campaign_states import check_additions, check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadLine, unpack
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted

RESULTS, ASSIGNMENTS = "batch results", "assignments"  # forms of files
Row = tuple[int, int, int, str, str, str]  # line, answer, nugget, assignment, problem, reply


class PlannedProgram(NamedTuple):
    """What an organiser says of a program. prompt: a template."""

    matching: Matching
    name: str
    model: str
    prompt: str


def create_program(campaign: Campaign, by: User, asked: PlannedProgram, key: str = "") -> MatchingProgram:
    """Store a program. key: see `make_once`. Raises BadPrompt."""
    check_writable(campaign.state)
    check_prompt(asked.prompt)
    return make_once(by, key, MatchingProgram, lambda: _store(campaign, by, asked))


@transaction.atomic
def _store(campaign: Campaign, by: User, asked: PlannedProgram) -> MatchingProgram:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    programs, checksum = campaign.matching_programs, sha256_of(asked.prompt)
    last = programs.aggregate(number=Max("number"), version=Max("prompt_version"))
    same = programs.filter(prompt_sha256=checksum).values_list("prompt_version", flat=True).first()
    stored = MatchingProgram.objects.create(
        campaign=campaign,
        number=(last["number"] or 0) + 1,
        prompt_version=same or (last["version"] or 0) + 1,
        prompt_sha256=checksum,
        salt=secrets.token_hex(32),
        made_by=by,
        **asked._asdict(),
    )
    log_change(
        campaign,
        by,
        "made a matching program",
        f"{stored} for {asked.matching}",
        number=stored.number,
        matching=asked.matching.number,
        model=stored.model,
        prompt_version=stored.prompt_version,
        prompt_sha256=checksum,
    )
    return stored


class LoadedLabels(NamedTuple):
    """A file of results that is stored. is_new: whether this call stored it."""

    load: MatchingProgramLoad
    is_new: bool
    labels: int = 0
    unreadable: int = 0

    def __str__(self) -> str:
        if not self.is_new:
            return f"{self.load} was loaded before. Nothing was changed."
        words = f"{counted(self.labels, 'label')} stored"
        return f"{words}, {self.unreadable:,} without a readable label." if self.unreadable else f"{words}."


def load_results(program: MatchingProgram, by: User, content: bytes, name: str) -> LoadedLabels:
    """Store the results of a file: of a batch, or assignments of a program that was run elsewhere.

    A file that is stored and not withdrawn changes nothing. Raises BadFile; then nothing is stored.
    """
    check_additions(program.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    form = RESULTS if _is_batch(text) else ASSIGNMENTS
    rows = _result_rows(program, text, name) if form == RESULTS else _assignment_rows(program, text, name)
    checksum = sha256_of(text)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
        check_additions(campaign.state)
        if known := program.loads.filter(sha256=checksum, withdrawn_at=None).first():
            return LoadedLabels(known, is_new=False)
        load = MatchingProgramLoad.objects.create(
            program=program, name=name[:255], sha256=checksum, form=form, loaded_by=by
        )
        _insert(load, rows)
        unreadable = sum(not assignment for _, _, _, assignment, _, _ in rows)
        loaded = LoadedLabels(load, True, len(rows) - unreadable, unreadable)
        summary = f"{counted(len(rows), 'result')} from {name} for {program}"
        log_change(
            campaign,
            by,
            "loaded program labels of nuggets",
            summary,
            number=program.number,
            sha256=checksum,
            labels=loaded.labels,
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


def _result_rows(program: MatchingProgram, text: bytes, name: str) -> list[Row]:
    requests, rows = requests_of(program), list[Row]()
    for result in read_results(text, name):
        cell = requests.get(result.key)
        if cell is None:
            raise BadLine(result.line, "expected the custom_id of a request of this program", name)
        assignment, problem, reply = "", result.problem, ""
        if result.completion:
            reply, reason = result.completion.text, result.completion.finish_reason
            assignment, problem = read_label(reply, reason, program.matching.contradicts)
        rows.append((result.line, cell.answer, cell.nugget, assignment, problem, reply))
    return rows


def _assignment_rows(program: MatchingProgram, text: bytes, name: str) -> list[Row]:
    matching = program.matching
    answers = {(cell.topic, cell.tag): cell.answer for cell in cells_of(matching)}
    banks = {bank.topic: bank for bank in pure_banks(nuggets_of(matching.bank))}
    stored = BankNugget.objects.filter(bank=matching.bank_id)
    nuggets = {
        (topic, nugget): key for key, topic, nugget in stored.values_list("pk", "topic__number", "text")
    }
    return [
        (
            label.line,
            answers[label.topic, label.tag],
            nuggets[label.topic, label.nugget],
            label.assignment,
            "" if label.assignment else FAILED,
            "",
        )
        for label in read_program_labels(text, banks, answers, matching.contradicts, name)
    ]


def _insert(load: MatchingProgramLoad, rows: list[Row]) -> None:
    lines, answers, nuggets, labels, problems, replies = (list(column) for column in zip(*rows, strict=True))
    insert_rows(
        ProgramNuggetLabel,
        len(rows),
        load_id=load.pk,
        line=lines,
        answer_id=answers,
        nugget_id=nuggets,
        assignment=labels,
        problem=problems,
        reply=replies,
    )


@transaction.atomic
def withdraw_load(load: MatchingProgramLoad, by: User) -> None:
    """Withdraw a file: its labels stay stored and count nowhere. A second call changes nothing."""
    program = load.program
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
    check_writable(campaign.state)
    changed = program.loads.filter(pk=load.pk, withdrawn_at=None).update(
        withdrawn_at=timezone.now(), withdrawn_by=by
    )
    if changed:
        verb, summary = "withdrew program labels of nuggets", f"{load} of {program}"
        log_change(campaign, by, verb, summary, number=program.number, sha256=load.sha256)
