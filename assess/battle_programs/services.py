"""Programs for battles, and the files of their results."""

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
from assess.battle_programs.prompt import check_prompt
from assess.battle_programs.queries.requests import orders_of
from assess.battle_programs.replies import read_choice
from assess.battle_programs.vote_files import read_votes
from assess.machines.batch import read_results
from assess.models import BattleProgram, BattleProgramLoad, BattleProgramVote, BattleSet
from pooling.campaign_states import check_additions, check_writable
from pooling.checksum import sha256_of
from pooling.formats.files import BadLine, unpack
from pooling.models import Campaign
from pooling.services.audit_log import log_change
from pooling.services.files import insert_rows
from pooling.words import counted

RESULTS, VOTES = "batch results", "votes"  # forms of files
Row = tuple[int, int, int, str, str, str]  # line, left, right, choice, problem, reply


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


class LoadedVotes(NamedTuple):
    """A file of results that is stored. is_new: whether this call stored it."""

    load: BattleProgramLoad
    is_new: bool
    votes: int = 0
    unreadable: int = 0

    def __str__(self) -> str:
        if not self.is_new:
            return f"{self.load} was loaded before. Nothing was changed."
        words = f"{counted(self.votes, 'vote')} stored"
        return f"{words}, {self.unreadable:,} without a readable choice." if self.unreadable else f"{words}."


def load_results(program: BattleProgram, by: User, content: bytes, name: str) -> LoadedVotes:
    """Store the results of a file: of a batch, or votes of a program that was run elsewhere.

    A file that is stored and not withdrawn changes nothing. Raises BadFile; then nothing is stored.
    """
    check_additions(program.campaign.state)
    text = unpack(content, name, settings.UPLOAD_LIMIT)
    form = RESULTS if _is_batch(text) else VOTES
    rows = _result_rows(program, text, name) if form == RESULTS else _vote_rows(program, text, name)
    checksum = sha256_of(text)
    with transaction.atomic():
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
        check_additions(campaign.state)
        if known := program.loads.filter(sha256=checksum, withdrawn_at=None).first():
            return LoadedVotes(known, is_new=False)
        load = BattleProgramLoad.objects.create(
            program=program, name=name[:255], sha256=checksum, form=form, loaded_by=by
        )
        _insert(load, rows)
        unreadable = sum(not choice for _, _, _, choice, _, _ in rows)
        loaded = LoadedVotes(load, True, len(rows) - unreadable, unreadable)
        summary = f"{counted(len(rows), 'result')} from {name} for {program}"
        log_change(
            campaign,
            by,
            "loaded program votes",
            summary,
            number=program.number,
            sha256=checksum,
            votes=loaded.votes,
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


def _result_rows(program: BattleProgram, text: bytes, name: str) -> list[Row]:
    orders, rows = orders_of(program), []
    for result in read_results(text, name):
        order = orders.get(result.key)
        if order is None:
            raise BadLine(result.line, "expected the custom_id of a request of this program", name)
        choice, problem, reply = "", result.problem, ""
        if result.completion:
            reply = result.completion.text
            choice, problem = read_choice(reply, result.completion.finish_reason)
        rows.append((result.line, order.left, order.right, choice, problem, reply))
    return rows


def _vote_rows(program: BattleProgram, text: bytes, name: str) -> list[Row]:
    orders = {order.named: order for order in orders_of(program).values()}
    found = [(vote, orders[vote[1:4]]) for vote in read_votes(text, orders, name)]
    return [(vote.line, order.left, order.right, vote.choice, "", "") for vote, order in found]


def _insert(load: BattleProgramLoad, rows: list[Row]) -> None:
    lines, lefts, rights, choices, problems, replies = (list(column) for column in zip(*rows, strict=True))
    insert_rows(
        BattleProgramVote,
        len(rows),
        load_id=load.pk,
        line=lines,
        left_id=lefts,
        right_id=rights,
        choice=choices,
        problem=problems,
        reply=replies,
    )


@transaction.atomic
def withdraw_load(load: BattleProgramLoad, by: User) -> None:
    """Withdraw a file: its votes stay stored and count nowhere. A second call changes nothing."""
    program = load.program
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=program.campaign_id)
    check_writable(campaign.state)
    changed = program.loads.filter(pk=load.pk, withdrawn_at=None).update(
        withdrawn_at=timezone.now(), withdrawn_by=by
    )
    if changed:
        summary = f"{load} of {program}"
        log_change(campaign, by, "withdrew program votes", summary, number=program.number, sha256=load.sha256)
