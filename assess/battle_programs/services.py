"""Programs for battles, and the files of their results."""

from __future__ import annotations

import secrets
from typing import NamedTuple

from django.db import transaction
from django.db.models import Max

from accounts.models import User
from accounts.services import make_once
from assess.battle_programs.prompt import check_prompt
from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.replies import read_choice
from assess.battle_programs.vote_files import read_votes
from assess.machines.services.program_files import (
    LoadedFile,
    ProgramFiles,
    ProgramResult,
    load_file,
    withdraw_file,
)
from assess.models import BattleProgram, BattleProgramLoad, BattleProgramVote, BattleSet
from pooling.campaign_states import check_writable
from pooling.checksum import sha256_of
from pooling.models import Campaign
from pooling.services.audit_log import log_change


class PlannedProgram(NamedTuple):
    """What an organiser says of a program. prompt: a template."""

    battle_set: BattleSet
    name: str
    model: str
    prompt: str


def create_program(campaign: Campaign, by: User, asked: PlannedProgram, key: str = "") -> BattleProgram:
    """Store a program. key: see `make_once`. Raises BadPrompt."""
    check_writable(campaign.state)
    check_prompt(asked.prompt)
    return make_once(by, key, BattleProgram, lambda: _store(campaign, by, asked))


@transaction.atomic
def _store(campaign: Campaign, by: User, asked: PlannedProgram) -> BattleProgram:
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    last = campaign.battle_programs.aggregate(last=Max("number"))["last"] or 0
    stored = BattleProgram.objects.create(
        campaign=campaign, number=last + 1, salt=secrets.token_hex(32), made_by=by, **asked._asdict()
    )
    log_change(
        campaign,
        by,
        "made a battle program",
        f"{stored} for {asked.battle_set}",
        number=stored.number,
        battles=asked.battle_set.number,
        model=stored.model,
        prompt_sha256=sha256_of(stored.prompt),
    )
    return stored


class VoteFiles(ProgramFiles):
    """Files of votes of programs. A line is about two answers in the order in which they were read."""

    of = "Battles"
    results, about, field = BattleProgramVote, ("left_id", "right_id"), "choice"
    noun, other = "vote", "votes"
    loaded, withdrew = "loaded program votes", "withdrew program votes"

    def requests(self, program: BattleProgram) -> dict[str, tuple[int, ...]]:
        return {key: (order.left, order.right) for key, order in orders_of(program).items()}

    def read_reply(self, program: BattleProgram, text: str, finish_reason: str) -> tuple[str, str]:
        return read_choice(text, finish_reason)

    def read_other(self, program: BattleProgram, text: bytes, name: str) -> list[ProgramResult]:
        orders = {order.named: order for order in orders_of(program).values()}
        results = [(vote, orders[vote[1:4]]) for vote in read_votes(text, orders, name)]
        return [ProgramResult(vote.line, (order.left, order.right), vote.choice) for vote, order in results]


FILES = VoteFiles()


def load_results(program: BattleProgram, by: User, content: bytes, name: str) -> LoadedFile:
    """Store the results of a file, as `load_file` does."""
    return load_file(FILES, program, by, content, name)


def withdraw_load(load: BattleProgramLoad, by: User) -> None:
    """Withdraw a file, as `withdraw_file` does."""
    withdraw_file(FILES, load, by)
