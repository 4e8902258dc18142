"""Runs are withdrawn, restored, replaced, described and hidden; their files stay as evidence."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.services import create_token
from assess.queries.campaign_reads import CampaignReads
from assess.services.runs import change_run, replace_run, why_not_renamed
from metrics.queries.quality import pool_quality
from pooling.manifest import PoolPlan
from pooling.models import Campaign, Run
from pooling.queries.integrity import pool_faults, run_faults
from pooling.services.campaign_states import change_schedule
from pooling.services.pools import PoolRefused, freeze_pool
from pooling.services.run_changes import RunLocked, describe_run, hide_run, restore_run, withdraw_run
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

NEWER = b"1 Q0 D2 1 2.0 bm25\n"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """A pooled run of carola's, and bm25 of davelab's, in no pool."""
    campaign = make.make_pooled_campaign()
    submit_run(
        campaign, make.make_user("dave"), b"1 Q0 D1 1 2.0 bm25\n", "bm25.run", Submission(group="davelab")
    )
    return campaign


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def bm25(campaign: Campaign) -> Run:
    return campaign.runs.get(tag="bm25")


def released(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)


def test_a_group_withdraws_its_run_before_the_deadline_and_it_is_counted_nowhere(
    campaign: Campaign, make: Factory
) -> None:
    released(campaign, make)
    client, address = signed_in(make, "dave"), "/campaigns/tiny/runs/bm25/withdraw/"
    asked = markup(client.post(address, {"reason": ""}))
    assert "Withdraw run bm25?" in asked and bm25(campaign).withdrawn_at is None
    client.post(address, {"reason": "", "confirmed": "yes"})
    run = bm25(campaign)
    assert run.withdrawn_at and run.withdrawn_by == make.make_user("dave")
    page = markup(client.get("/campaigns/tiny/runs/"))
    assert "Withdrawn runs: 1" in page
    assert "Withdrawn on" in markup(client.get("/campaigns/tiny/runs/bm25/"))
    response = client.get("/campaigns/tiny/runs/bm25/file/")
    assert response.status_code == 200 and b"".join(response)
    carol = signed_in(make, "carol")
    for url in ("scores/1/", "scores/1/csv/", "scores/1/topics/", "judging/panels/", "pool/"):
        assert "bm25" not in markup(carol.get(f"/campaigns/tiny/{url}")), url
    assert carol.get("/campaigns/tiny/scores/1/runs/bm25/").status_code == 404
    api = Client(headers={"Authorization": f"Bearer {create_token(make.make_user('carol'), 'test')}"})
    for url in ("runs/", "releases/1/scores/"):
        assert "bm25" not in api.get(f"/api/campaigns/tiny/{url}").content.decode(), url


def test_after_the_deadline_only_an_organiser_withdraws_with_a_reason_and_restores(
    campaign: Campaign, make: Factory
) -> None:
    change_schedule(campaign, submission_closes_at=datetime.now(UTC) - timedelta(hours=1), late_runs="mark")
    address, given = "/campaigns/tiny/runs/bm25/withdraw/", {"reason": "", "confirmed": "yes"}
    answer = signed_in(make, "dave").post(address, given)
    assert answer.status_code == 409 and "only before the deadline" in markup(answer)
    assert "only before the deadline" in markup(
        signed_in(make, "dave").get("/campaigns/tiny/runs/bm25/edit/")
    )
    carol = signed_in(make, "carol")
    assert "This field is required" in markup(carol.post(address, given))
    carol.post(address, {"reason": "Wrong collection.", "confirmed": "yes"})
    assert bm25(campaign).withdrawal_reason == "Wrong collection."
    assert signed_in(make, "dave").post("/campaigns/tiny/runs/bm25/restore/").status_code == 403
    carol.post("/campaigns/tiny/runs/bm25/restore/")
    assert bm25(campaign).withdrawn_at is None
    verbs = list(campaign.audit_log.order_by("number").values_list("who", "verb", "sentence"))[-2:]
    assert verbs == [("carol", "withdrew a run", "bm25"), ("carol", "restored a run", "bm25")]


def test_a_run_of_another_group_cannot_be_changed(campaign: Campaign, make: Factory) -> None:
    for action in ("edit", "replace", "withdraw", "hide", "restore"):
        assert signed_in(make, "dave").post(f"/campaigns/tiny/runs/run/{action}/").status_code == 404


def test_a_withdrawn_run_stays_in_its_frozen_pool_which_can_be_rebuilt(
    campaign: Campaign, make: Factory
) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    assert pool_quality(CampaignReads(campaign))
    withdraw_run(campaign.runs.get(tag="run"), make.make_user("carol"))
    assert [fault for faults in (*pool_faults(campaign), *run_faults(campaign)) for fault in faults] == []
    quality = pool_quality(CampaignReads(campaign))  # not the cached one
    assert quality and [line.run.tag for line in quality.runs] == ["bm25"]
    other, carol = make.make_run(campaign, "1 D9 1", tag="other"), make.make_user("carol")
    withdraw_run(other, carol)
    with pytest.raises(PoolRefused, match="The run other is withdrawn"):
        freeze_pool(campaign, carol, [other], PoolPlan("depth", {"k": 1}))


def test_a_newer_file_takes_the_tag_and_the_older_one_is_withdrawn(campaign: Campaign, make: Factory) -> None:
    describe_run(bm25(campaign), make.make_user("dave"), description="BM25.", kind="manual", priority=3)
    first = bm25(campaign)
    client, address = signed_in(make, "dave"), "/campaigns/tiny/runs/bm25/replace/"
    answer = client.post(address, {"file": SimpleUploadedFile("v2.run", NEWER)})
    assert answer.status_code == 302
    newer, older = bm25(campaign), Run.objects.get(pk=first.pk)
    assert newer.pk != first.pk
    assert (newer.group, newer.kind, newer.priority, newer.description) == ("davelab", "manual", 3, "BM25.")
    assert (older.tag, older.former_tag, older.withdrawal_reason) == (
        "bm25~1",
        "bm25",
        "Replaced by a newer version.",
    )
    assert older.sha256 == first.sha256 and older.withdrawn_at
    client.post(address, {"file": SimpleUploadedFile("v3.run", NEWER.replace(b"2.0", b"3.0"))})
    assert set(campaign.runs.values_list("tag", flat=True)) == {"run", "bm25", "bm25~1", "bm25~2"}
    assert client.get("/campaigns/tiny/runs/bm25~1/").status_code == 200
    entry = campaign.audit_log.filter(verb="replaced a run").order_by("number")[0]
    assert (entry.who, entry.sentence) == ("dave", "bm25 of davelab; the former file is bm25~1")


def test_a_wrong_newer_file_changes_nothing_and_names_the_line(campaign: Campaign, make: Factory) -> None:
    file = SimpleUploadedFile("v2.run", b"1 Q0 D2 1 2.0\n")
    page = markup(signed_in(make, "dave").post("/campaigns/tiny/runs/bm25/replace/", {"file": file}))
    assert "v2.run</b> refused" in page
    assert bm25(campaign).withdrawn_at is None and campaign.runs.count() == 2


def test_a_run_is_not_replaced_by_its_own_file(campaign: Campaign, make: Factory) -> None:
    run, dave = bm25(campaign), make.make_user("dave")
    same = b"1 Q0 D1 1 2.0 bm25\n"
    with pytest.raises(RunLocked, match="has this file already"):
        replace_run(run, dave, same, "again.run")
    with pytest.raises(RunLocked, match="has this file already"):
        replace_run(run, dave, gzip.compress(same), "again.run.gz")
    assert bm25(campaign).pk == run.pk and campaign.runs.count() == 2
    replace_run(run, dave, same, "again.run", order=Run.Order.RANK)
    assert bm25(campaign).pk != run.pk


def test_a_run_in_a_pool_or_in_a_panel_is_not_replaced(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    with pytest.raises(RunLocked, match="in a frozen pool"):
        replace_run(campaign.runs.get(tag="run"), carol, NEWER, "v2.run")
    compared = make.make_panel(campaign).first
    with pytest.raises(RunLocked, match="side by side"):
        replace_run(compared, carol, NEWER, "v2.run")


def test_a_pool_fixes_kind_and_priority_but_not_the_description(campaign: Campaign, make: Factory) -> None:
    run, carol = campaign.runs.get(tag="run"), make.make_user("carol")
    describe_run(run, carol, description="New.", kind=run.kind, priority=run.priority)
    assert campaign.runs.get(tag="run").description == "New."
    with pytest.raises(RunLocked, match="Only its description can change"):
        describe_run(run, carol, priority=9)


def test_a_hidden_run_is_left_out_of_tables_and_seen_by_its_group(campaign: Campaign, make: Factory) -> None:
    released(campaign, make)
    hide_run(bm25(campaign), make.make_user("carol"), is_hidden=True)
    make.publish(campaign)
    for name in ("carol", "dave", "rita"):
        assert "bm25" not in markup(signed_in(make, name).get("/campaigns/tiny/scores/1/")), name
    assert "bm25" not in markup(Client().get("/public/tiny/1/"))
    assert b"bm25" not in b"".join(Client().get("/public/tiny/1/scores/csv/"))
    seen = {
        name: (
            "bm25" in markup(signed_in(make, name).get("/campaigns/tiny/runs/")),
            signed_in(make, name).get("/campaigns/tiny/scores/1/runs/bm25/").status_code,
        )
        for name in ("carol", "dave", "rita", "ada")
    }
    assert seen == {"carol": (True, 200), "dave": (True, 200), "rita": (False, 404), "ada": (True, 200)}
    hide_run(bm25(campaign), make.make_user("carol"), is_hidden=False)
    assert "bm25" in markup(signed_in(make, "rita").get("/campaigns/tiny/scores/1/"))


def test_a_restored_run_is_scored_again(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    withdraw_run(bm25(campaign), carol, "A test.")
    released(campaign, make)
    restore_run(bm25(campaign), carol)
    assert "bm25" in markup(signed_in(make, "carol").get("/campaigns/tiny/scores/1/"))


def upload(client: Client, **files: bytes) -> str:
    named = [SimpleUploadedFile(f"{name}.run", content) for name, content in files.items()]
    return markup(
        client.post(
            "/campaigns/tiny/report/", {"run_files": named, "priority": "1", "tag_from": "column", "kind": ""}
        )
    )


def test_the_row_of_a_tag_collision_offers_the_tag_of_the_file_name(
    campaign: Campaign, make: Factory
) -> None:
    client = signed_in(make, "dave")
    page = upload(client, second=b"1 Q0 D3 1 2.0 bm25\n")
    assert "Store under the tag second" in page and 'data-resubmit="name"' in page
    page = upload(client, bm25=b"1 Q0 D3 1 2.0 bm25\n")  # that tag is taken too
    assert "Store under the tag" not in page


def test_every_file_has_its_row_also_an_empty_one(campaign: Campaign, make: Factory) -> None:
    page = upload(signed_in(make, "dave"), empty=b"", good=b"1 Q0 D3 1 2.0 good\n")
    assert "<b>empty.run</b> refused" in page and "stored as <code>good</code>" in page


def test_a_run_in_no_pool_is_not_pooled_yet(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "dave").get("/campaigns/tiny/runs/bm25/"))
    assert "not pooled yet" in page and "scored" not in page


def test_a_run_in_no_pool_gets_another_tag_on_its_page(campaign: Campaign, make: Factory) -> None:
    dave, address = signed_in(make, "dave"), "/campaigns/tiny/runs/bm25/edit/"
    assert 'value="bm25"' in markup(dave.get(address))
    same = {"description": "BM25.", "kind": "automatic", "priority": "1"}
    response = dave.post(address, same | {"tag": "standard-bm25"})
    assert response.headers["Location"] == "/campaigns/tiny/runs/standard-bm25/"
    run = campaign.runs.get(tag="standard-bm25")
    assert (run.file_tag, run.description) == ("bm25", "BM25.")
    entry = campaign.audit_log.get(verb="renamed a run")
    assert (entry.who, entry.sentence) == ("dave", "bm25 to standard-bm25")
    assert not [fault for faults in run_faults(campaign) for fault in faults]


@pytest.mark.parametrize(
    ("tag", "words"),
    [
        ("tiny", "The tag tiny is taken in this campaign."),
        ("two words", "Expected no blanks, no slash"),
        ("x" * 121, "at most 120 characters"),
        ("..", "Expected no blanks, no slash"),
        ("", "This field is required"),
    ],
)
def test_a_tag_that_is_taken_or_not_valid_changes_nothing(
    campaign: Campaign, make: Factory, tag: str, words: str
) -> None:
    campaign.runs.exclude(tag="bm25").update(tag="tiny")
    data = {"description": "New.", "kind": "automatic", "priority": "1", "tag": tag}
    page = markup(signed_in(make, "dave").post("/campaigns/tiny/runs/bm25/edit/", data))
    assert words in page
    assert bm25(campaign).description == ""


def test_the_tag_of_a_pooled_or_released_or_replaced_run_is_fixed(campaign: Campaign, make: Factory) -> None:
    dave, carol = make.make_user("dave"), make.make_user("carol")
    pooled = campaign.runs.exclude(tag="bm25").get()
    assert "is in a frozen pool" in why_not_renamed(pooled)
    page = markup(signed_in(make, "carol").get(f"/campaigns/tiny/runs/{pooled.tag}/edit/"))
    assert "whose manifest names it" in page and "disabled" in page
    assert why_not_renamed(bm25(campaign)) == ""
    newer = replace_run(bm25(campaign), dave, NEWER, "newer.run")
    assert "has versions" in why_not_renamed(newer)
    assert "has versions" in why_not_renamed(campaign.runs.get(tag="bm25~1"))
    plain = submit_run(campaign, dave, b"1 Q0 D3 1 2.0 plain\n", "plain.run", Submission(group="davelab"))
    released(campaign, make)
    assert "The scores of Qrels v1" in why_not_renamed(plain)
    with pytest.raises(RunLocked):
        change_run(plain, carol, "other", description="New.", kind=plain.kind, priority=plain.priority)
    plain.refresh_from_db()
    assert (plain.tag, plain.description) == ("plain", "")
