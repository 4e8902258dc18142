"""The pages of interleaving: lists are merged and downloaded, clicks read back, and the result compared."""

from __future__ import annotations

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.interleaving.agreement import Finding, agreement_in_words
from metrics.interleaving.forms import InterleavingForm
from metrics.interleaving.queries import interleaving_result
from metrics.interleaving.services import InterleavingRefused, create_interleaving
from metrics.models import Interleaving, InterleavingClicks
from pooling.campaign_states import ARCHIVED, StateRefused
from pooling.models import Campaign
from tests.metrics.conftest import signed_in
from tests.support.factory import Factory

HOME = "/campaigns/tiny/interleaving/"
TOPICS = [str(number) for number in range(1, 9)]


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Eight topics; zebra ranks D1 above D2, and yak D2 above D1, except on the last topic."""
    campaign = make.make_pooled_campaign()
    for number in TOPICS:
        if not campaign.topics.filter(number=number).exists():
            make.make_topic(campaign, number, f"title {number}")
    lines = [f"{number} D1 2\n{number} D2 1" for number in TOPICS]
    turned = [f"{number} D2 2\n{number} D1 1" for number in TOPICS[:-1]]
    make.make_run(campaign, "\n".join(lines), tag="zebra")
    make.make_run(campaign, "\n".join([*turned, lines[-1]]), tag="yak")
    return campaign


def merged(make: Factory, campaign: Campaign, **changes: str) -> Interleaving:
    data = {"run_a": "zebra", "run_b": "yak", "method": "team-draft", "length": "2", "lists": "3"}
    form = InterleavingForm({**data, "topics": "all", "seed": "7", **changes}, campaign=campaign)
    assert form.is_valid(), form.errors
    return create_interleaving(campaign, make.make_user("carol"), form.asked())


def lists(client: Client) -> list[dict[str, str]]:
    content = client.get(f"{HOME}1/lists/jsonl/").getvalue()
    return [json.loads(line) for line in content.splitlines()]


def clicks_on(docno: str, rows: list[dict[str, str]]) -> bytes:
    """One session for each list, with a click on a document."""
    return "\n".join(
        [
            "list_id,user_id,clicks",
            *(f"{row['list_id']},u1,{row['documents'].index(docno) + 1}" for row in rows),
        ]
    ).encode()


def load(client: Client, content: bytes) -> str:
    file = SimpleUploadedFile("clicks.csv", content)
    return client.post(f"{HOME}1/", {"file": file}, follow=True).content.decode()


def test_from_two_runs_to_a_result(campaign: Campaign, make: Factory) -> None:
    carol = signed_in(make, "carol")
    data = {
        "run_a": "zebra",
        "run_b": "yak",
        "method": "balanced",
        "length": "2",
        "lists": "3",
        "topics": "all",
    }
    page = carol.post(HOME, {**data, "seed": "7"}, follow=True).content.decode()
    assert "21 lists can be downloaded" in page and "1 topic skipped" in page and "No clicks yet" in page
    rows = lists(carol)
    assert {row["topic"] for row in rows} == set(TOPICS[:-1])
    table = carol.get(f"{HOME}1/lists/csv/").getvalue().decode().splitlines()
    assert table[0] == "list_id,topic,run_a,run_b,method,documents,teams" and len(table) == 22
    assert carol.get(f"{HOME}1/lists/tsv/").status_code == 404

    content = clicks_on("D1", rows)
    page = load(carol, content)
    assert "21 sessions counted" in page and "+0.5000" in page and "Undecided" not in page
    assert "expected a file that was not loaded before" in load(carol, content)
    assert "Line 2: expected the list_id of a list" in load(carol, b"list_id,clicks\nelse,1\n")
    found = interleaving_result(Interleaving.objects.get(), with_roles(campaign))
    assert found.overall.counts[:5] == (21, 21, 21, 0, 0)
    assert [line.winner for line in found.lines] == ["zebra"] * 7
    assert found.by_topic.p == pytest.approx(2 / 2**7)
    result = carol.get(f"{HOME}1/csv/").content.decode().splitlines()
    assert result[1] == "1,zebra,yak,3,3,3.0,0.0,0.0,0.5" and len(result) == 8
    stored = InterleavingClicks.objects.get()
    assert "u1" not in json.dumps(stored.counts) and not campaign.audit_log.filter(sentence__contains="u1")


def with_roles(campaign: Campaign) -> Campaign:
    campaign.my_roles = frozenset({"organiser"})
    return campaign


def test_the_clicks_stand_beside_the_scores(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    merged(make, campaign)
    carol = signed_in(make, "carol")
    page = load(carol, clicks_on("D2", lists(carol)))
    found = interleaving_result(Interleaving.objects.get(), with_roles(campaign))
    assert found.release and [line.measure for line in found.scores][0] == "nDCG@10"
    assert found.scores[0].a > found.scores[0].b
    assert found.answer in page


def test_fractions_of_wins_add_up_to_sessions(campaign: Campaign, make: Factory) -> None:
    merged(make, campaign, method="probabilistic")
    carol = signed_in(make, "carol")
    load(carol, clicks_on("D1", lists(carol)))
    found = interleaving_result(Interleaving.objects.get(), with_roles(campaign)).overall
    assert sum(found.counts[2:5]) == pytest.approx(found.counts.sessions)
    assert found.test.startswith("t-test")


def test_a_preference_on_one_topic_alone_is_said(campaign: Campaign, make: Factory) -> None:
    merged(make, campaign, topics="1", lists="12")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    carol = signed_in(make, "carol")
    assert "significant over sessions but not over topics" in load(carol, clicks_on("D1", lists(carol)))


def test_what_cannot_be_merged(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(InterleavingRefused, match="two different runs"):
        merged(make, campaign, run_b="zebra")
    with pytest.raises(InterleavingRefused, match="Nothing to compare"):
        merged(make, campaign, topics="8")
    form = InterleavingForm({"lists": "1000", "topics": "all"}, campaign=campaign)
    assert form.fields and not form.is_valid()
    Campaign.objects.filter(pk=campaign.pk).update(state=ARCHIVED)
    campaign.refresh_from_db()
    with pytest.raises(StateRefused):
        merged(make, campaign)


@pytest.mark.parametrize(
    ("users", "qrels", "begins"),
    [
        (None, None, "No clicks"),
        (Finding(0.1, 0.01), None, "There are no scores"),
        (Finding(0.1, 0.01), Finding(0.2, 0.02), "Yes: users prefer a, and a has the higher AP."),
        (Finding(-0.1, 0.01), Finding(0.2, 0.02), "No: users prefer b, but a has the higher AP."),
        (
            Finding(0.1, 0.06),
            Finding(0.2, 0.02),
            "Undecided: users have no significant preference, and a has",
        ),
        (
            Finding(0.1, 0.01),
            Finding(0.2, None),
            "Undecided: users prefer a, and the difference in AP is not",
        ),
        (Finding(0.0, None), Finding(0.0, None), "Undecided: users have no significant preference, and the"),
    ],
)
def test_the_answer_is_careful(users: Finding | None, qrels: Finding | None, begins: str) -> None:
    assert agreement_in_words(("a", "b"), "AP", users, qrels).startswith(begins)
