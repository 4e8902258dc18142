"""Battles in the library: strengths of systems, with intervals and reasons."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import jurypool as jp
from assess.kappa.bootstrap import Bootstrap
from assess.kappa.coefficient import NO_BOOTSTRAP
from metrics.battles.bradley_terry import ALL_WON, NO_BATTLES, NO_WIN
from metrics.battles.davidson import ALL_TIES
from metrics.battles.rank_intervals import TOO_FEW, rank_systems
from tests.metrics.battles.campaigns import STRENGTHS, campaign
from tests.metrics.battles.tables import TIES, WINS

SYSTEMS = "one", "two", "three"
WORKED = [
    ("7", SYSTEMS[row], SYSTEMS[column], SYSTEMS[row] if is_win else None)
    for is_win, counts in ((True, WINS), (False, np.triu(TIES)))
    for row in range(3)
    for column in range(3)
    for _ in range(int(counts[row, column]))
]


def simulated() -> list[tuple[str, str, str, str | None]]:
    rng = np.random.default_rng(2)
    tables = campaign(STRENGTHS["spaced"](5, rng), 20, 20, rng)
    battles: list[tuple[str, str, str, str | None]] = []
    for topic, wins, ties in zip(tables.topics, tables.wins, np.triu(tables.ties), strict=True):
        for row, column in np.ndindex(wins.shape):
            pair = tables.systems[row], tables.systems[column]
            battles += [(topic, *pair, pair[0])] * int(wins[row, column])
            battles += [(topic, *pair, None)] * int(ties[row, column])
    return battles


def test_the_worked_example() -> None:
    strengths = jp.bradley_terry(WORKED)
    assert list(strengths) == ["one", "two", "three"]
    assert [round(each.log_strength, 5) for each in strengths.values()] == [0.63823, -0.06088, -0.57735]
    assert [round(each.elo, 2) for each in strengths.values()] == [1110.87, 989.42, 899.70]
    assert [round(each.win_rate, 4) for each in strengths.values()] == [0.7174, 0.4792, 0.3043]
    assert [round(each.error, 4) for each in strengths.values()] == [0.3119, 0.2851, 0.3075]
    assert [each.battles for each in strengths.values()] == [23, 24, 23]
    assert round(strengths.probability("one", "two"), 4) == 0.6680
    assert round(strengths.error_of_difference("one", "two"), 4) == 0.5124
    assert strengths.no_interval == TOO_FEW and strengths["one"].ranks is None
    assert not strengths.is_better("one", "three")


def test_the_worked_example_of_davidson() -> None:
    model = jp.davidson(WORKED)
    assert {name: round(log, 5) for name, log in model.items()} == {
        "one": 0.79458, "two": -0.07591, "three": -0.71867,
    }  # fmt: skip
    assert model.nu is not None and model.negative_log_likelihood is not None
    assert (round(model.nu, 5), round(model.negative_log_likelihood, 5)) == (0.47064, 32.72217)
    assert sum(model.probabilities("one", "three")) == pytest.approx(1)
    assert model.probabilities("one", "three") == pytest.approx(model.probabilities("three", "one")[::-1])
    assert repr(model).endswith("(Davidson; nu 0.4706)")


def test_intervals_are_those_of_the_pages() -> None:
    battles = simulated()
    strengths = jp.bradley_terry(battles, draws=300, seed=5)
    rng = np.random.default_rng(2)
    ranking = rank_systems(campaign(STRENGTHS["spaced"](5, rng), 20, 20, rng), bootstrap=Bootstrap(5, 300))
    intervals = ranking.intervals
    assert intervals is not None and strengths.topics == 20 and not strengths.no_interval
    for place, system in enumerate(ranking.systems):
        assert strengths[system].interval == pytest.approx((intervals.low[place], intervals.high[place]))
        assert strengths[system].ranks == (intervals.best[place], intervals.worst[place])
        for other_place, other in enumerate(ranking.systems):
            assert strengths.is_better(system, other) == intervals.better[place, other_place]
    assert jp.bradley_terry(battles, draws=0).no_interval == NO_BOOTSTRAP


def test_strengths_are_shown_as_text_table_and_plain_data() -> None:
    strengths = jp.bradley_terry(simulated(), draws=100)
    best = next(iter(strengths))
    assert repr(strengths).splitlines()[0].startswith(f"{best}  1  ")
    assert repr(strengths).endswith("(Bradley-Terry; 20 topics)")
    assert strengths._repr_html_().count("<tr>") == 1 + len(strengths)
    plain = json.loads(json.dumps(strengths.to_dict()))
    assert plain["systems"][best]["elo"] == strengths[best].elo and plain["topics"] == 20
    frame = pytest.importorskip("pandas") and strengths.to_pandas()
    assert list(frame.index) == list(strengths) and frame.loc[best, "rank"] == 1


def test_undefined_strengths_have_a_reason_and_no_system() -> None:
    always = [("7", "a", "b", "a"), ("8", "c", "b", "c"), ("9", "a", "c", "a"), ("9", "a", "c", "c")]
    strengths = jp.bradley_terry(always)
    assert (len(strengths), strengths.reason, strengths.about) == (0, NO_WIN, ("b",))
    assert repr(strengths) == f"(Bradley-Terry; 3 topics; {NO_WIN})"
    with pytest.raises(KeyError, match="no strength is low enough"):
        strengths.probability("a", "b")
    assert jp.davidson(always).about == ("b",)
    with_prior = jp.bradley_terry(always, prior=True)
    assert with_prior.has_prior and list(with_prior)[-1] == "b" and "dummy system" in repr(with_prior)
    assert jp.bradley_terry([*always[:2], ("9", "a", "c", "a"), ("9", "b", "c", "b")]).reason == ALL_WON
    assert jp.bradley_terry([]).reason == jp.davidson([]).reason == NO_BATTLES
    ties = jp.davidson([("7", "a", "b", None)])
    assert (ties.reason, ties.nu, repr(ties)) == (ALL_TIES, None, f"(Davidson; {ALL_TIES})")
    for asked in (with_prior.probability, jp.davidson(WORKED).probabilities):
        with pytest.raises(KeyError, match="expected a system that has battles, found 'z'"):
            asked("z", "a")


BAD: list[tuple[Any, str]] = [
    (
        "7 a b a",
        "battle 2: expected a tuple .topic, system, other system, winner., found '7 a b a' of type str",
    ),
    (("7", "a", "b"), "battle 2: expected a tuple"),
    ((7, "a", "b", "a"), "battle 2: expected a tuple .* of texts, found"),
    (("7", "a", "a", "a"), "battle 2: expected two systems, found 'a' twice"),
    (("7", "a", "b", "c"), "battle 2: expected 'a', 'b' or None as the winner, found 'c' of type str"),
    (("7", "a", "b", "tie"), "or None as the winner, found 'tie'"),
]


@pytest.mark.parametrize(("battle", "message"), BAD)
def test_a_bad_battle_is_refused_with_its_row(battle: Any, message: str) -> None:
    for model in (jp.bradley_terry, jp.davidson):
        with pytest.raises(jp.Refused, match=message):
            model([("7", "a", "b", "a"), battle])
    with pytest.raises(jp.Refused, match="draws of 0 or more"):
        jp.bradley_terry(WORKED, draws=-1)
