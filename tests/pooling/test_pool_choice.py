"""A pool is drafted from chosen runs and topics; freezing asks, and says what is odd."""

from __future__ import annotations

import re

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from assess.services.assignments import top_up
from pooling.manifest import PoolPlan
from pooling.models import Campaign
from pooling.queries.drafts import draft_of
from pooling.queries.integrity import pool_faults
from pooling.queries.reads import PoolingReads
from pooling.queries.warnings import NO_OVERLAP, NO_TEXT, run_warnings
from pooling.services.pools import freeze_pool
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/pool/"
DRAFT = {"strategy": "depth", "k": "10", "seconds": "36"}
CONFIRMED = {"confirmed": "yes"}


def build_campaign(make: Factory) -> Campaign:
    """Three topics, two runs that overlap, and one whose docnos are written in another way."""
    campaign = make.make_campaign()
    for number in "123":
        make.make_topic(campaign, number)
    make.make_run(campaign, "1 51 3\n1 52 2\n2 51 1", tag="good")
    make.make_run(campaign, "1 52 3\n2 53 2", tag="fine")
    make.make_run(campaign, "1 D51 3\n1 D52 2\n2 D51 1", tag="wrong")
    return campaign


@pytest.fixture
def carol(client: Client, campaign: Campaign, make: Factory) -> Client:
    client.force_login(make.make_user("carol"))
    return client


def docnos(campaign: Campaign) -> set[tuple[str, str]]:
    (pool,) = campaign.pools.all()
    return set(pool.documents.values_list("topic__number", "docno"))


def is_sound(campaign: Campaign) -> bool:
    return [fault for faults in pool_faults(campaign) for fault in faults] == []


def test_a_wrong_run_is_kept_out_of_the_pool_in_the_browser(campaign: Campaign, carol: Client) -> None:
    carol.post(URL, DRAFT | {"without": ["wrong"]} | CONFIRMED)
    assert docnos(campaign) == {("1", "51"), ("1", "52"), ("2", "51"), ("2", "53")}
    (pool,) = campaign.pools.all()
    assert [run["tag"] for run in pool.manifest["runs"]] == ["fine", "good"] and is_sound(campaign)


def test_a_pool_of_chosen_topics_is_rebuilt_from_its_manifest(campaign: Campaign, carol: Client) -> None:
    carol.post(URL, DRAFT | {"topics": "2-3"} | CONFIRMED)
    assert docnos(campaign) == {("2", "51"), ("2", "53"), ("2", "D51")}
    (pool,) = campaign.pools.all()
    assert pool.manifest["chosen_topics"] == ["2", "3"] and is_sound(campaign)
    carol.post(URL, DRAFT | CONFIRMED)
    assert campaign.pools.count() == 2 and is_sound(campaign)
    assert "chosen_topics" not in campaign.pools.get(number=2).manifest


@pytest.mark.parametrize("strategy", ["depth", "rrf", "combsum", "hedge", "stratified"])
def test_every_strategy_pools_the_chosen_topics_as_it_does_alone(
    campaign: Campaign, make: Factory, strategy: str
) -> None:
    runs = list(campaign.runs.all())
    whole = draft_of(PoolingReads(campaign), runs, PoolPlan(strategy, {}))
    part = draft_of(PoolingReads(campaign), runs, PoolPlan(strategy, {}, topics=("1",)))
    assert [(t.number, n) for t, n in part.by_topic] == [
        (t.number, n) for t, n in whole.by_topic if t.number == "1"
    ]
    freeze_pool(campaign, make.make_user("carol"), runs, PoolPlan(strategy, {}, topics=("1",)))
    assert {topic for topic, _ in docnos(campaign)} == {"1"} and is_sound(campaign)


def test_all_fragments_follow_the_choice(campaign: Campaign, carol: Client) -> None:
    query = DRAFT | {"without": ["wrong"], "topics": "1"}
    draft = markup(carol.get(URL + "draft/", query))
    assert "Freeze pool of 2 documents" in draft and "2 <small>of 3</small>" in draft
    strategies = markup(carol.get(URL + "strategies/", query))
    assert "without=wrong" in strategies and "topics=1" in strategies
    overlap = markup(carol.get(URL + "overlap/", query))
    assert "wrong" not in overlap and "good" in overlap


def test_leaving_out_every_run_and_an_unknown_topic_is_refused(campaign: Campaign, carol: Client) -> None:
    none = markup(carol.get(URL + "draft/", DRAFT | {"without": ["wrong", "good", "fine"]}))
    assert "Every run is left out" in none and "Freeze pool" not in none
    for answer in (
        carol.get(URL + "draft/", DRAFT | {"topics": "1 400"}),
        carol.post(URL, DRAFT | {"topics": "400"}),
    ):
        assert "This campaign has no topic 400" in markup(answer)
    assert not campaign.pools.exists()


def test_the_draft_says_what_is_odd_about_a_run(campaign: Campaign, make: Factory) -> None:
    make.make_document(campaign, "51")
    found = run_warnings(PoolingReads(campaign), list(campaign.runs.all()))
    assert found == {"wrong": [NO_OVERLAP, NO_TEXT], "fine": [NO_TEXT]}
    make.make_document(campaign, "53")
    assert run_warnings(PoolingReads(campaign), list(campaign.runs.all())) == {"wrong": [NO_OVERLAP, NO_TEXT]}


def test_freezing_asks_and_says_size_hours_runs_and_what_is_odd(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    make.make_document(campaign, "51")
    page = markup(carol.post(URL, DRAFT | {"without": ["fine"]}))
    assert not campaign.pools.exists()
    assert ">Freeze pool of 6 documents<" in page
    assert "0.1 hours at 36 s per document" in page and "0.0 hours for each of 2 judges" in page
    assert "<dt>Runs not in the pool</dt><dd>fine</dd>" in page
    assert f"Run wrong: {NO_OVERLAP}; {NO_TEXT}." in page
    assert "1 topic without a new document: 3." in page
    assert "3 of the 4 different documents have no text" in page
    carol.post(URL, DRAFT | {"without": ["fine"]} | CONFIRMED)
    assert campaign.pools.get().manifest["documents"] == 6


def test_the_command_takes_topics(campaign: Campaign) -> None:
    call_command("freeze_pool", "tiny", "--depth", "5", "--topics", "1,3", "--runs", "good")
    assert docnos(campaign) == {("1", "51"), ("1", "52")} and is_sound(campaign)


def test_the_command_refuses_runs_that_the_campaign_lacks(campaign: Campaign) -> None:
    with pytest.raises(CommandError, match=r"^There is no run typo and no run missing\.$"):
        call_command("freeze_pool", "tiny", "--depth", "5", "--runs", "good", "typo", "missing")
    assert not campaign.pools.exists()


def test_a_parameter_with_few_values_is_chosen_from_a_list(carol: Client) -> None:
    page = markup(carol.get("/campaigns/tiny/pool/", {"strategy": "thompson"}))
    assert '<select name="credit"' in page and '<option value="holders">' in page


def test_strategies_are_compared_with_their_hours(carol: Client) -> None:
    page = markup(carol.get("/campaigns/tiny/pool/strategies/", {"strategy": "depth", "k": "1"}))
    rows = re.findall(r'<td class="number rule">([\d,]+)</td>.*?<td class="number rule">([\d.]+)</td>', page)
    assert rows and all(f"{int(total) * 30 / 3600:.1f}" == hours for total, hours in rows)


def test_what_the_upload_said_of_the_order_reaches_draft_and_freeze_page(
    campaign: Campaign, carol: Client
) -> None:
    run = campaign.runs.get(tag="fine")
    run.warnings = [
        {"what": "the rank column contradicts the scores on 2 lines", "wish": "", "line": 1, "text": ""},
        {"what": "the tag differs from the file's name", "wish": "", "line": None, "text": ""},
    ]
    run.save()
    sentence = "the rank column contradicts the scores on 2 lines"
    assert "2 runs to check" in (page := markup(carol.get(URL))) and f">{sentence}</span>" in page
    assert f"Run fine: {sentence}." in markup(carol.post(URL, DRAFT))


def test_the_next_draft_leaves_out_the_runs_that_the_last_pool_left_out(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    carol.post(URL, DRAFT | {"without": ["wrong"]} | CONFIRMED)
    make.make_run(campaign, "3 61 3", tag="late")
    page = markup(carol.get(URL))
    assert "1 run left out, as in the last pool: wrong." in page
    assert [tag for tag in ("good", "fine", "wrong", "late") if is_left_out(page, tag)] == ["wrong"]
    assert re.search('<details id="draft-runs"[^>]* open', page)
    assert not is_left_out(markup(carol.get(URL, DRAFT)), "wrong")  # taken back in this draft


def test_a_pool_of_unjudged_documents_does_not_take_back_the_runs_that_were_left_out(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    carol.post(URL, DRAFT | {"without": ["wrong"]} | CONFIRMED)
    submit_run(
        campaign, make.make_user("carol"), b"3 Q0 61 1 -3 far\n", "far.run", Submission(order="lowest")
    )
    pool = top_up(campaign, make.make_user("carol"), 10)
    assert [run.get("order") for run in pool.manifest["runs"] if run["tag"] == "far"] == ["lowest"]
    page = markup(carol.get(URL))
    assert "1 run left out, as in the last pool: wrong." in page and is_sound(campaign)


def is_left_out(page: str, tag: str) -> bool:
    return bool(re.search(f'aria-label="Leave out {tag}" checked', page))
