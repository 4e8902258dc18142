"""Programs that match nuggets with answers, and the files of their results."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.machines.services.program_files import (
    LoadedFile,
    ProgramFiles,
    ProgramResult,
    load_file,
    withdraw_file,
)
from assess.matching_programs.label_files import FAILED, read_program_labels
from assess.matching_programs.prompt import check_prompt
from assess.matching_programs.queries.requests import cells_of, requests_of
from assess.matching_programs.replies import read_label
from assess.models import BankNugget, Matching, MatchingProgram, MatchingProgramLoad, ProgramNuggetLabel
from assess.nuggets.queries.banks import nuggets_of, pure_banks
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.services.audit_log import log_change


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


class NuggetLabelFiles(ProgramFiles):
    """Files of labels of programs. A line is about an answer and a nugget."""

    of = "Matching"
    results, about, field = ProgramNuggetLabel, ("answer_id", "nugget_id"), "assignment"
    noun, other = "label", "assignments"
    loaded, withdrew = "loaded program labels of nuggets", "withdrew program labels of nuggets"

    def requests(self, program: MatchingProgram) -> dict[str, tuple[int, ...]]:
        return {key: (cell.answer, cell.nugget) for key, cell in requests_of(program).items()}

    def read_reply(self, program: MatchingProgram, text: str, finish_reason: str) -> tuple[str, str]:
        return read_label(text, finish_reason, program.matching.contradicts)

    def read_other(self, program: MatchingProgram, text: bytes, name: str) -> list[ProgramResult]:
        matching = program.matching
        answers = {(cell.topic, cell.tag): cell.answer for cell in cells_of(matching)}
        banks = {bank.topic: bank for bank in pure_banks(nuggets_of(matching.bank))}
        stored = BankNugget.objects.filter(bank=matching.bank_id)
        nuggets = {
            (topic, nugget): key for key, topic, nugget in stored.values_list("pk", "topic__number", "text")
        }
        return [
            ProgramResult(
                label.line,
                (answers[label.topic, label.tag], nuggets[label.topic, label.nugget]),
                label.assignment,
                "" if label.assignment else FAILED,
            )
            for label in read_program_labels(text, banks, answers, matching.contradicts, name)
        ]


FILES = NuggetLabelFiles()


def load_results(program: MatchingProgram, by: User, content: bytes, name: str) -> LoadedFile:
    """Store the results of a file, as `load_file` does."""
    return load_file(FILES, program, by, content, name)


def withdraw_load(load: MatchingProgramLoad, by: User) -> None:
    """Withdraw a file, as `withdraw_file` does."""
    withdraw_file(FILES, load, by)
