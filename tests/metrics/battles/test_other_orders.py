"""The order of systems by other measures, beside the order by strength, and who may see its qrels."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from accounts.services import create_token
from assess.models import BattleRelease, BattleSet, QrelsRelease
from assess.queries.releases import qrels_of
from assess.services.audiences import change_audience, withdraw_release
from metrics.battles.bradley_terry import NO_WIN
from metrics.battles.other_orders import (
    CITATIONS,
    CITED_SENTENCES,
    NDCG,
    NO_ANSWERS,
    NO_PUBLIC_RELEASE,
    NO_QRELS,
    NO_RELEASE,
    NONE_CITED,
    RELEVANT,
    WORDS,
    AnswerCounts,
    OtherMeasure,
    RelevantDocuments,
    answer_measures,
    other_orders,
)
from metrics.battles.queries import measures_seen_by, public_measures, set_result
from metrics.battles.result import battle_result
from metrics.battles.services import release_battles
from metrics.battles.votes import LEFT, TIE, Vote
from metrics.rankings.rank_correlation import ALL_TIED, TOO_FEW
from pooling.models import Campaign
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/scores/battles/1/"


def counts(system: str, topic: str, words: int, *sentences: str) -> AnswerCounts:
    """sentences: the docnos that each cites, separated by blanks."""
    cited = [own.split() for own in sentences]
    return AnswerCounts(
        system,
        topic,
        words,
        len(cited),
        sum(map(bool, cited)),
        sum(map(len, cited)),
        frozenset(docno for own in cited for docno in own),
    )


ANSWERS = [
    counts("a", "1", 10, "D1 D2", "", "D1"),
    counts("a", "2", 20, "D9"),
    counts("b", "1", 50, "D3", "D4 D5"),
    counts("c", "1", 30, "", ""),
]
QRELS = RelevantDocuments({"1": frozenset({"D1", "D3", "D4"})}, {"1": frozenset({"D1", "D2", "D3", "D4"})})


def test_measures_are_those_that_one_counts_by_hand() -> None:
    measures, cited = answer_measures(ANSWERS, QRELS)
    values = {measure.key: dict(measure.values) for measure in measures}
    assert values[WORDS] == {"a": 15, "b": 50, "c": 30}
    assert values[CITED_SENTENCES] == {"a": 3 / 4, "b": 1, "c": 0}
    assert values[CITATIONS] == {"a": 4 / 2, "b": 3, "c": 0}
    # topic 2 has no qrels; D5 is not judged; system c cites nothing, so that it has no share
    assert values[RELEVANT] == {"a": 1 / 2, "b": 2 / 3}
    assert cited == (5, 4)


def test_why_a_share_of_relevant_documents_is_undefined() -> None:
    def reason(answers: list[AnswerCounts], qrels: RelevantDocuments | None) -> str:
        (relevant,) = (each for each in answer_measures(answers, qrels)[0] if each.key == RELEVANT)
        assert not relevant.values
        return relevant.reason

    assert reason(ANSWERS, None) == NO_RELEASE
    assert reason(ANSWERS, RelevantDocuments({"7": frozenset()}, {"7": frozenset()})) == NO_QRELS
    assert reason([counts("c", "1", 30, "")], QRELS) == NONE_CITED
    assert {each.reason for each in answer_measures([], None)[0][:3]} == {NO_ANSWERS}


def votes(*pairs: str) -> list[Vote]:
    """ "ab": a beats b; "a=b": a tie."""
    return [Vote("1", "ann", pair[0], pair[-1], TIE if "=" in pair else LEFT) for pair in pairs]


CONNECTED = votes("ab", "ab", "ba", "bc", "bc", "cb", "ac", "ac", "ca")


def test_tau_is_taken_over_the_systems_that_have_both() -> None:
    ranking = battle_result(CONNECTED, "abc").ranking
    measures, _ = answer_measures(ANSWERS, QRELS)
    orders = {order.measure.key: order for order in other_orders(ranking, measures)}
    assert orders[WORDS].ranks == {"b": 1, "c": 2, "a": 3}
    assert orders[WORDS].tau.value == pytest.approx(-1 / 3) and orders[WORDS].tau.n == 3
    assert orders[RELEVANT].ranks == {"b": 1, "a": 2}
    assert (orders[RELEVANT].tau.value, orders[RELEVANT].tau.n) == (-1, 2)
    cell = orders[WORDS].cell("b")
    assert cell is not None and (cell.value, cell.rank) == (50, 1) and orders[RELEVANT].cell("c") is None


def test_why_tau_is_undefined() -> None:
    def tau(measure: OtherMeasure, cast: list[Vote] = CONNECTED) -> tuple[float | None, str, int]:
        (order,) = other_orders(battle_result(cast, "abc").ranking, [measure])
        return order.tau.value, order.tau.reason, order.tau.n

    assert tau(OtherMeasure(WORDS, {"a": 1.0})) == (None, TOO_FEW, 1)
    assert tau(OtherMeasure(WORDS, dict.fromkeys("abc", 2.0))) == (None, ALL_TIED, 3)
    assert tau(OtherMeasure(WORDS, {}, NO_ANSWERS)) == (None, NO_ANSWERS, 0)
    beaten = votes("ab", "ac", "bc", "ba")
    assert tau(OtherMeasure(WORDS, {"a": 1.0, "b": 2.0, "c": 3.0}), beaten) == (None, NO_WIN, 3)
    equal = votes("a=b", "b=c", "a=c")
    assert tau(OtherMeasure(WORDS, {"a": 1.0, "b": 2.0, "c": 3.0}), equal) == (None, ALL_TIED, 3)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 3), min_size=6, max_size=6), st.integers(0, 10_000))
def test_tau_is_that_of_scipy(values: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = "abcdef"
    cast = [
        Vote("1", "ann", one, other, LEFT)
        for one in names
        for other in names
        if one != other
        for _ in range(int(rng.integers(1, 4)))
    ]
    ranking = battle_result(cast, names).ranking
    assert ranking.ranks is not None
    measure = OtherMeasure(WORDS, dict(zip(names, map(float, values), strict=True)))
    (order,) = other_orders(ranking, [measure])
    expected = kendalltau(-ranking.ranks, values).statistic
    if np.isnan(expected):
        assert order.tau.value is None and order.tau.reason == ALL_TIED
    else:
        assert order.tau.value == pytest.approx(expected)


@pytest.fixture
def battles(make: Factory) -> BattleSet:
    """Two topics, of which topic 1 has qrels: D1 relevant, D2 not, D3 without a grade."""
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    make.make_run(campaign, "1 D1 3\n1 D2 2", "zebra-one", "zebra-group")
    runs = [
        make.make_answer_run(
            campaign, {"1": one, "2": [("More words follow here.", ["D1"])]}, tag, "zebra-group"
        )
        for tag, one in (
            ("zebra-one", [("Boats float.", ["D1"]), ("They carry.", ["D1", "D2"])]),
            ("zebra-two", [("Boats.", ["D2", "D3"]), ("Nobody knows.", [])]),
        )
    ]
    made = make.make_battles(campaign, ("bob",), runs=runs, per_topic=1)
    for battle, choice in zip(made.battles.order_by("pk"), ("left", "tie"), strict=True):
        make.make_battle_vote(battle, choice)
    return made


def values_of(found: Any) -> dict[str, dict[str, float]]:
    return {measure.key: dict(measure.values) for measure in found.measures}


def seen_by(make: Factory, battles: BattleSet, name: str = "carol") -> Any:
    campaign = Campaign.objects.get(pk=battles.campaign_id)
    campaign.my_roles = frozenset({"organiser" if name == "carol" else "adjudicator"})
    battles.campaign = campaign
    return measures_seen_by(make.make_user(name), battles)


def test_measures_of_stored_answers(battles: BattleSet, make: Factory) -> None:
    release = make.make_release(battles.campaign, QrelsRelease.State.INTERNAL)
    assert qrels_of(release).topics == ("1",)
    found = seen_by(make, battles)
    values = values_of(found)
    assert found.release == release and found.cited == (4, 3)
    assert values[WORDS] == {"zebra-one": 4.0, "zebra-two": 3.5}
    assert values[CITED_SENTENCES] == {"zebra-one": 1.0, "zebra-two": pytest.approx(2 / 3)}
    assert values[CITATIONS] == {"zebra-one": 2.0, "zebra-two": 1.5}
    assert values[RELEVANT] == {"zebra-one": 0.5, "zebra-two": 0.0}
    assert list(values[NDCG]) == ["zebra-one"] and values[NDCG]["zebra-one"] == pytest.approx(1.0)


def test_page_and_files_have_the_same_figures(battles: BattleSet, make: Factory) -> None:
    make.make_release(battles.campaign, QrelsRelease.State.INTERNAL)
    ada, carol = signed_in(make, "ada"), signed_in(make, "carol")
    for client in (ada, carol):
        page = markup(client.get(PAGE))
        assert "Order by other measures" in page and "relevant by Qrels v1" in page
        assert "3 of 4 cited documents on topics of the qrels are judged" in page
        assert "0.500 <small>(1)</small>" in page and "2.00 <small>(1)</small>" in page
        assert f"nDCG of the run with the same tag: tau is undefined, {TOO_FEW}." in page
    figures = carol.get(f"{PAGE}json/").json()["other_measures"]
    assert (figures["qrels"], figures["cited"]) == (1, {"cited": 4, "judged": 3})
    relevant = next(each for each in figures["measures"] if each["measure"] == RELEVANT)
    assert relevant["systems"] == {
        "zebra-one": {"value": 0.5, "rank": 1}, "zebra-two": {"value": 0.0, "rank": 2}
    }  # fmt: skip
    with_prior = carol.get(f"{PAGE}json/?prior=on").json()["other_measures"]["measures"]
    assert {each["tau_b"] for each in with_prior[:4]} <= {1.0, -1.0}
    token = create_token(make.make_user("carol"), "test", "read")
    headers = {"Authorization": f"Bearer {token}"}
    by_api = carol.get("/api/campaigns/tiny/battles/1/results/", headers=headers).json()
    assert by_api["other_measures"] == figures
    table = list(csv.DictReader(io.StringIO(carol.get(f"{PAGE}tsv/").content.decode()), delimiter="\t"))
    by_system = {row["system"]: row for row in table}
    assert float(by_system["zebra-two"][WORDS]) == 3.5 and by_system["zebra-two"][NDCG] == ""


def test_the_newest_standing_release_is_used(battles: BattleSet, make: Factory) -> None:
    assert seen_by(make, battles).release is None
    page = markup(signed_in(make, "carol").get(PAGE))
    assert f"Cited documents that are relevant: tau is undefined, {NO_RELEASE}." in page
    first = make.make_release(battles.campaign)
    make.make_judgment(battles.campaign, "alice", "1", "D3", 3)
    second = make.make_release(battles.campaign)
    assert values_of(seen_by(make, battles))[RELEVANT]["zebra-two"] == 0.5
    withdraw_release(second, "an error", make.make_user("carol"))
    found = seen_by(make, battles)
    assert found.release == first and values_of(found)[RELEVANT]["zebra-two"] == 0.0


def in_archive(release: BattleRelease) -> tuple[dict[str, Any], list[dict[str, str]]]:
    with release.file.open("rb") as file:
        archive = zipfile.ZipFile(io.BytesIO(file.read()))
    folder = archive.namelist()[0].split("/")[0]
    table = csv.DictReader(io.StringIO(archive.read(f"{folder}/results.tsv").decode()), delimiter="\t")
    return json.loads(archive.read(f"{folder}/results.json"))["other_measures"], list(table)


def test_an_archive_shows_nothing_of_qrels_that_are_not_public(battles: BattleSet, make: Factory) -> None:
    carol = make.make_user("carol")
    release = make.make_release(battles.campaign)  # shared with members
    figures, table = in_archive(release_battles(battles, carol))
    assert figures["qrels"] is None and figures["cited"] == {"cited": 0, "judged": 0}
    assert [each["measure"] for each in figures["measures"]] == [WORDS, CITED_SENTENCES, CITATIONS, RELEVANT]
    assert (
        figures["measures"][-1]["undefined"] == NO_PUBLIC_RELEASE and not figures["measures"][-1]["systems"]
    )
    assert {(row[RELEVANT], row[NDCG]) for row in table} == {("", "")} and table[0][WORDS]
    change_audience(release, QrelsRelease.State.PUBLIC, carol)
    assert public_measures(battles).release == release
    figures, table = in_archive(release_battles(battles, carol))
    assert figures["qrels"] == 1 and {row[RELEVANT] for row in table} == {"0.5", "0.0"}


def test_the_page_asks_each_question_once(battles: BattleSet, make: Factory) -> None:
    make.make_release(battles.campaign)
    client = signed_in(make, "ada")
    with CaptureQueriesContext(connection) as captured:
        client.get(PAGE)
    asked = [query["sql"] for query in captured.captured_queries if "docnoblock" not in query["sql"]]
    assert len(asked) <= 40
    assert [sql for sql in asked if asked.count(sql) > 1 and sql.startswith("SELECT")] == []


def test_orders_do_not_change_the_result(battles: BattleSet, make: Factory) -> None:
    result = set_result(battles, battles.campaign, prior=True).result
    orders = seen_by(make, battles).orders(result)
    assert [order.measure.key for order in orders] == [WORDS, CITED_SENTENCES, CITATIONS, RELEVANT]
    assert {order.tau.n for order in orders} == {2, 0}
