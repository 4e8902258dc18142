"""The result of battles: the sentence first, the same numbers on the page and in files, who sees them."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from assess.answers.services import withdraw_answer_run
from assess.models import AnswerRun, Battle, BattleSet
from metrics.battles.bradley_terry import NO_BATTLES, NO_WIN
from metrics.battles.queries import set_result, vote_of, votes_of, with_names
from metrics.battles.rank_intervals import TOO_FEW
from metrics.battles.result import battle_result, groups_not_told_apart
from metrics.battles.votes import BOTH_BAD, LEFT, RIGHT, TIE, Vote
from pooling.models import Campaign
from tests.metrics.battles.tables import TIES, WINS
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/battles/1/"
SYSTEMS = ["one", "two", "three"]
STRENGTH = {"zebra-one": 3, "zebra-two": 2, "zebra-three": 1}
TOPICS = [str(number) for number in range(1, 13)]


def votes_of_the_example() -> list[Vote]:
    """The votes of the worked example of the documentation, which has 10 topics' worth of pairs in one."""
    votes = []
    for row, first in enumerate(SYSTEMS):
        for column, second in enumerate(SYSTEMS):
            votes += [Vote("1", "ann", first, second, LEFT)] * int(WINS[row][column])
            if row < column:
                votes += [Vote("1", "ann", second, first, TIE)] * int(TIES[row][column])
    return votes


def test_the_figures_are_those_of_the_worked_example() -> None:
    result = battle_result(votes_of_the_example(), SYSTEMS)
    assert [row.system for row in result.rows] == SYSTEMS and [row.rank for row in result.rows] == [1, 2, 3]
    assert [round(row.log_strength or 0, 4) for row in result.rows] == [0.6382, -0.0609, -0.5774]
    assert [round(row.elo or 0, 2) for row in result.rows] == [1110.87, 989.42, 899.70]
    assert [round(row.win_rate or 0, 4) for row in result.rows] == [0.7174, 0.4792, 0.3043]
    assert result.davidson.nu == pytest.approx(0.4706, abs=1e-4)
    assert result.equal_tie_share == pytest.approx(0.4706 / 2.4706, abs=1e-4)
    shares = [[cell.share for cell in cells] for _, cells in result.matrix]
    assert shares[0] == [None, 8 / 12, 8.5 / 11] and shares[2][1] == 4.5 / 12
    first, second = result.neighbours
    assert (first.first, first.second, first.had) == ("one", "two", 12)
    assert first.probability == pytest.approx(0.6680, abs=1e-4)
    # n = 7.8489 (1 - t) / (4 (w - 1/2)^2), with 6 of 35 votes ties
    assert first.needed == int(np.ceil(7.8489 * (29 / 35) / (4 * (first.probability - 0.5) ** 2)))
    assert first.still_needed == (first.needed or 0) - 12 and second.first == "two"
    assert result.choices == (29, 6, 0) and result.ranking.no_interval == TOO_FEW
    assert result.verdict.lead == "one has the greatest strength."
    assert TOO_FEW in result.verdict.unclear


def test_what_is_undefined_says_why_and_of_which_systems() -> None:
    nothing = battle_result([], SYSTEMS)
    assert nothing.ranking.no_interval == NO_BATTLES and nothing.neighbours == []
    assert [row.win_rate for row in nothing.rows] == [None] * 3 and nothing.choices.votes == 0
    tied = [Vote("1", "ann", "one", "two", LEFT), Vote("1", "ann", "two", "one", BOTH_BAD)]
    assert [row.rank for row in battle_result(tied, ["one", "two"]).rows] == [1, 2]
    beaten = battle_result([Vote("1", "ann", "one", "two", LEFT)], ["one", "two"])
    assert (beaten.ranking.no_interval, beaten.about) == (NO_WIN, ["two"])
    assert beaten.verdict.lead == "No system leads yet." and NO_WIN in beaten.verdict.unclear
    with_prior = battle_result([Vote("1", "ann", "one", "two", LEFT)], ["one", "two"], prior=True)
    assert [row.rank for row in with_prior.rows] == [1, 2]


def test_repeats_check_consistency_and_count_for_nothing_else() -> None:
    votes = votes_of_the_example()
    repeats = [
        vote._replace(left=vote.right, right=vote.left, choice=RIGHT, is_repeat=True) for vote in votes[:3]
    ]
    plain, checked = battle_result(votes, SYSTEMS), battle_result([*votes, *repeats], SYSTEMS)
    assert checked.choices == plain.choices and checked.rows == plain.rows
    assert (plain.swap.repeats, checked.swap.repeats, checked.swap.same) == (0, 3, 3)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=20), st.integers(1, 7))
def test_groups_hold_all_neighbours_that_are_not_told_apart(pairs: list[tuple[int, int]], count: int) -> None:
    better = np.zeros((count, count), dtype=bool)
    for one, other in pairs:
        if one < other < count:
            better[one, other] = True
    groups = groups_not_told_apart(better)
    assert groups == sorted(groups) and len({end for _, end in groups}) == len(groups)
    for start, end in groups:
        inside = better[start - 1 : end, start - 1 : end]
        assert start < end and not inside.any()
        assert start == 1 or better[start - 2, start - 1 : end].any()
        assert end == count or better[start - 1 : end, end].any()
    for place in range(1, count):
        together = any(start <= place < end for start, end in groups)
        assert together == (not better[place - 1, place])


@pytest.fixture
def battles(make: Factory) -> BattleSet:
    """Twelve topics, two judges; the stronger system wins two of three battles of each pair."""
    campaign = make.make_campaign()
    for number in TOPICS:
        make.make_topic(campaign, number, f"title {number}")
    runs = [
        make.make_answer_run(
            campaign, {number: [(f"By {tag}.", [])] for number in TOPICS}, tag, "zebra-group"
        )
        for tag in STRENGTH
    ]
    made = make.make_battles(campaign, ("alice", "bob"), runs=runs, per_topic=3, double=25, repeated=10)
    for index, battle in enumerate(made.battles.select_related("left__run", "right__run", "judge", "topic")):
        stronger = LEFT if STRENGTH[battle.left.run.tag] > STRENGTH[battle.right.run.tag] else RIGHT
        other = RIGHT if stronger == LEFT else LEFT
        choice = TIE if index == 5 else other if int(battle.topic.number) % 3 == 0 else stronger
        make.make_battle_vote(battle, choice, "=1+1 is my reason" if index == 2 else "")
    return made


def test_the_page_begins_with_the_sentence(battles: BattleSet, make: Factory) -> None:
    page = markup(signed_in(make, "ada").get(PAGE))
    result = set_result(battles, battles.campaign).result
    assert result.verdict.lead in page and result.verdict.unclear in page
    assert page.index('id="verdict"') < page.index('id="strengths"') < page.index('id="checks"')
    assert "95 %, from 1,000 draws of topics" in page and page.count('class="ci"') == 3
    for row in result.rows:
        assert row.system in page and row.rank_range in page
    assert "alice: " in page and "=1+1 is my reason" in page
    assert "TSV" not in page  # files are for organisers
    assert "TSV" in markup(signed_in(make, "carol").get(PAGE))


def test_the_last_vote_counts_and_one_that_was_taken_back_does_not(battles: BattleSet, make: Factory) -> None:
    before = set_result(battles, battles.campaign).result.choices
    battle = battles.battles.filter(is_repeat=False, votes__choice=TIE)[0]
    make.make_battle_vote(battle, BOTH_BAD)
    changed = set_result(battles, battles.campaign).result.choices
    assert changed == (before.decided, before.ties - 1, before.both_bad + 1)
    battle.votes.create(uuid="12345678123456781234567812345678", choice="", pressed_at=battles.made_at)
    assert set_result(battles, battles.campaign).result.choices.votes == before.votes - 1


def test_votes_are_read_alike_with_and_without_models(battles: BattleSet, make: Factory) -> None:
    votes = votes_of(battles)
    in_order = battles.battles.order_by("votes__pk").select_related(
        "topic", "judge", "left__run", "right__run"
    )
    assert votes == [vote_of(with_names(battle.votes.all()).get()) for battle in in_order]
    assert len(votes) == battles.battles.count() and any(vote.is_repeat for vote in votes)
    found = set_result(battles, battles.campaign)
    assert (found.reason_count, [vote.reason for vote in found.reasons]) == (1, ["=1+1 is my reason"])


def test_votes_on_a_withdrawn_run_do_not_count(battles: BattleSet, make: Factory) -> None:
    withdraw_answer_run(AnswerRun.objects.get(tag="zebra-two"), make.make_user("carol"))
    result = set_result(battles, battles.campaign).result
    assert {row.system for row in result.rows} == {"zebra-one", "zebra-three"}
    left = (
        Battle.objects.filter(is_repeat=False)
        .exclude(left__run__tag="zebra-two")
        .exclude(right__run__tag="zebra-two")
    )
    assert result.choices.votes == left.count()


def test_the_files_have_every_vote_and_the_figures_of_the_page(battles: BattleSet, make: Factory) -> None:
    carol = signed_in(make, "carol")
    tsv = csv.DictReader(io.StringIO(carol.get(f"{PAGE}votes/tsv/").content.decode()), delimiter="\t")
    rows, listed = list(tsv), carol.get(f"{PAGE}votes/json/").json()
    assert len(rows) == len(listed) == battles.battles.count()
    assert sum(row["reason"] == "'=1+1 is my reason" for row in rows) == 1  # no formula of a spreadsheet
    for row, vote in zip(rows, listed, strict=True):
        assert (row["topic"], row["judge"], row["winner"]) == (vote["topic"], vote["judge"], vote["winner"])
        assert vote["winner"] == {LEFT: vote["left"], RIGHT: vote["right"]}.get(vote["choice"], "")
    result = set_result(battles, battles.campaign).result
    figures = carol.get(f"{PAGE}json/").json()
    assert figures["verdict"] == [*result.verdict] and figures["draws"] == 1000
    assert json.loads(json.dumps(figures["systems"][0]))["log_strength"] == result.rows[0].log_strength
    table = list(csv.DictReader(io.StringIO(carol.get(f"{PAGE}tsv/").content.decode()), delimiter="\t"))
    assert [row["system"] for row in table] == [row.system for row in result.rows]
    assert float(table[0]["low"]) == result.rows[0].low


@pytest.mark.parametrize("place", ["", "tsv/", "json/", "votes/tsv/", "votes/json/"])
def test_who_sees_results(battles: BattleSet, make: Factory, client: Client, place: str) -> None:
    statuses = {"carol": 200, "ada": 403 if place else 200, "alice": 403, "dave": 403, "rita": 403}
    assert client.get(PAGE + place).status_code == 302
    for name, status in statuses.items():
        assert signed_in(make, name).get(PAGE + place).status_code == status, name
    assert signed_in(make, "carol").get(f"/campaigns/tiny/scores/battles/9/{place}").status_code == 404


def test_a_set_without_votes_says_so(make: Factory) -> None:
    campaign: Campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_battles(campaign)
    assert "No votes yet" in markup(signed_in(make, "carol").get(PAGE))
    make.make_battle_vote(campaign.battle_sets.get().battles.get(), LEFT)
    page = markup(signed_in(make, "carol").get(PAGE))
    assert "No strengths" in page and "Estimate with a prior" in page and "No system leads yet." in page
    page = markup(signed_in(make, "carol").get(f"{PAGE}?prior=on"))
    assert "With a prior" in page and "has the greatest strength" in page
