"""A whole campaign through the API, and what its writes answer: values, refusals, conflicts and jobs."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from pytest_django import Settings

from assess.answers.services import set_answer_rules
from assess.api.settings import ScheduleIn, SettingsIn
from assess.forms.releases import default_form_values
from assess.forms.settings import ScheduleForm, SettingsForm
from assess.models import Assignment, JudgmentEvent, QueueEntry
from assess.queries.campaign_reads import CampaignReads
from assess.services.assignments import assign
from assess.services.gold import load_gold
from pooling.models import Campaign, Role
from tests.config.test_api_writes import client_of
from tests.support.factory import Factory

HOME = "/api/campaigns/tiny/"
TOPICS = b"<top>\n<num> Number: 1\n<title> one\n</top>\n<top>\n<num> Number: 2\n<title> two\n</top>\n"
RUN = b"1 Q0 D1 1 3.0 good\n1 Q0 D2 2 2.0 good\n2 Q0 D1 1 1.0 good\n"
TEXTS = b'{"docno": "D1", "text": "A sloop."}\n{"docno": "D2", "text": "A dinghy."}\n'


def upload(client: Client, url: str, content: bytes, **fields: Any) -> Any:
    return client.post(f"{HOME}{url}", {"file": SimpleUploadedFile("new.txt", content), **fields})


def post(client: Client, url: str, **body: Any) -> Any:
    return client.post(f"{HOME}{url}", body, content_type="application/json")


def made(response: Any, status: int = 201) -> Any:
    assert response.status_code == status, response.content
    return response.json()


@pytest.mark.parametrize(
    ("url", "content", "says"),
    [
        ("documents/", b'{"docno": "D1", "tale": "' + b"word " * 100 + b'"}\n', "REST API: map"),
        ("topics/", b"number,id,title\n1,2,boats\n", "(map)"),
        ("runs/", b"topic,docno,a_score,b_score\n1,D1,2,3\n", "(map)"),
        ("judges/", b"topic,docno,rel,rating\n1,D1,2,3\n", "(map)"),
        ("system-quality/", b"name,latency_ms\ngood,12\n", ""),
    ],
)
def test_a_refused_table_names_the_field_of_the_request(
    url: str, content: bytes, says: str, make: Factory
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1")
    refused = made(upload(client_of(make, "carol"), url, content, keep="all", judge="NIST"), 422)
    assert says in refused["detail"] and ("choose with" in refused["detail"]) == bool(says)
    assert "--map field" not in refused["detail"] and "--word" not in refused["detail"]


def judge_all(client: Client, topic: str, grade: int) -> None:
    """Label every document of a topic as a script does: take documents until there are none."""
    while cards := made(client.post(f"{HOME}judging/{topic}/"), 200)["cards"]:
        for card in cards:
            label = {name: card[name] for name in ("entry", "docno", "text_hash")}
            made(post(client, f"judging/{topic}/labels/", uuid=str(uuid.uuid4()), relevance=grade, **label))


def test_a_campaign_goes_from_its_creation_to_scores(make: Factory) -> None:
    make.let_create_campaigns("carol")
    make.make_user("alice")
    carol, alice = client_of(make, "carol"), client_of(make, "alice")
    scale = [{"value": 0, "label": "No"}, {"value": 1, "label": "Yes", "gain": 1}]
    about = {"name": "Tiny", "slug": "tiny", "scale": scale, "threshold": 1}
    created = made(carol.post("/api/campaigns/", about, content_type="application/json"))
    assert (created["roles"], created["scale"][1]["label"]) == (["organiser"], "Yes")
    assert made(upload(carol, "topics/", TOPICS)) == {"loaded": 2, "notes": []}
    assert made(upload(carol, "runs/", RUN))["tag"] == "good"
    draft = made(carol.get(f"{HOME}pools/draft/?strategy=depth&k=1&runs=good"), 200)
    assert (draft["documents"], draft["topics"]) == (2, {"1": 1, "2": 1})
    pool = made(post(carol, "pools/", strategy="depth", k=2, runs=["good"]))
    assert (pool["documents"], pool["runs"], pool["parameters"]["k"]) == (3, ["good"], 2)
    assert made(upload(carol, "documents/", TEXTS))["stored"] == 2
    assert made(post(carol, "members/", username="alice", role="judge"))["username"] == "alice"
    assert made(post(carol, "assignments/", judges=["alice"])) == {"assigned": 2}
    assert made(post(carol, "state/", state="open"), 200)["state"] == "open"
    judge_all(alice, "1", 1)
    judge_all(alice, "2", 0)
    mine = made(alice.get(f"{HOME}judging/"), 200)["items"]
    assert [(each["number"], each["judged"], each["total"]) for each in mine] == [("1", 2, 2), ("2", 1, 1)]
    release = made(post(carol, "releases/"))
    assert (release["number"], release["line_count"], release["state"]) == (1, 3, "internal")
    scores = made(carol.get(f"{HOME}releases/1/scores/good/?measures=P@1"), 200)
    assert scores["means"]["P@1"] == 0.5


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def test_an_invitation_shows_its_link_once(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    new = made(post(client, "invitations/", role="judge", topics=["1"], recipient="zoe"))
    assert Client().get(new["link"]).status_code == 200 and new["topics"] == ["1"]
    (listed,) = made(client.get(f"{HOME}invitations/"), 200)["items"]
    assert listed == {name: new[name] for name in new if name != "link"}
    assert client.delete(f"{HOME}invitations/{new['id']}/").status_code == 204
    assert Client().get(new["link"]).status_code == 410
    assert client.delete(f"{HOME}invitations/{new['id']}/").status_code == 404


def test_assignments_are_listed_and_ended(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    items = made(client.get(f"{HOME}assignments/"), 200)["items"]
    assert {(each["judge"], each["topic"], each["pool"], each["part"]) for each in items} == {
        (judge, topic, 1, "primary") for judge in ("alice", "bob") for topic in ("1", "2")
    }
    one = next(each for each in items if (each["judge"], each["topic"]) == ("bob", "1"))
    assert made(client.delete(f"{HOME}assignments/{one['id']}/"), 200) == {"documents": 3}
    assert not Assignment.objects.filter(judge__username="bob", topic__number="1").exists()


def test_a_topic_moves_to_another_judge(campaign: Campaign, make: Factory) -> None:
    client, one = client_of(make, "carol"), Assignment.objects.get(judge__username="bob", topic__number="1")
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    campaign.memberships.create(user=make.make_user("zoe"), role=Role.JUDGE)
    refused = made(post(client, f"assignments/{one.pk}/move/", judge="dave"), 422)  # who is no judge
    assert refused["errors"][0]["loc"] == ["body", "new_judge"]
    assert made(post(client, f"assignments/{one.pk}/move/", judge="zoe"), 200) == {"documents": 2}
    assert Assignment.objects.filter(judge__username="zoe", topic__number="1").exists()
    made(post(client, f"assignments/{one.pk}/move/", judge="zoe"), 404)  # bob has it no more


def test_roles_change_and_end(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")

    def change(name: str, **body: Any) -> Any:
        return client.patch(f"{HOME}members/{name}/", body, content_type="application/json")

    assert made(change("alice", roles=["reader"]), 200) == {"topics": 2, "documents": 4, "invitations": 0}
    roles = {each["username"]: each["role"] for each in made(client.get(f"{HOME}members/"), 200)["items"]}
    assert roles["alice"] == "reader" and not Assignment.objects.filter(judge__username="alice").exists()
    assert "cannot remove yourself" in made(change("carol", roles=["judge"]), 422)["detail"]
    made(change("dave", roles=["participant"]), 422)  # without a group
    made(change("mallory", roles=["reader"]), 404)  # who is no member
    assert made(client.delete(f"{HOME}members/alice/"), 200)["topics"] == 0
    made(client.delete(f"{HOME}members/alice/"), 404)
    assert "cannot remove yourself" in made(client.delete(f"{HOME}members/carol/"), 422)["detail"]


def test_a_group_withdraws_its_answers_and_labels(campaign: Campaign, make: Factory) -> None:
    answers = make.make_answer_run(campaign, tag="ours", group="davelab")
    labels = make.make_judge_run(campaign, group="davelab")
    client = client_of(make, "dave")
    made(client.post(f"{HOME}answer-runs/ours/withdrawal/"), 409)  # the switch is off
    set_answer_rules(campaign, make.make_user("carol"), {"accepts": True})
    campaign.accepts_judge_runs = True
    campaign.save()
    for place, run in (("answer-runs/ours", answers), ("judge-runs/gpt", labels)):
        assert client.post(f"{HOME}{place}/withdrawal/").status_code == 204
        run.refresh_from_db()
        assert run.withdrawn_at
        made(client.post(f"{HOME}{place}/withdrawal/"), 404)


def test_topics_are_distributed_as_on_the_page(campaign: Campaign, make: Factory) -> None:
    Assignment.objects.all().delete()
    client = client_of(make, "carol")
    assert made(post(client, "assignments/", judges=["alice", "bob"], part="deal", seconds=1)) == {
        "assigned": 4
    }
    assert {*Assignment.objects.values_list("part", flat=True)} == {"primary", "second"}


@pytest.mark.parametrize(
    ("url", "body", "field"),
    [
        ("assignments/", {"judges": ["carol"]}, "judges"),  # who is no judge
        ("assignments/", {"judges": ["alice"], "topics": ["7"]}, "topics"),
        ("members/", {"username": "nobody", "role": "judge"}, "username"),
        ("members/", {"username": "mallory", "role": "participant"}, "group"),
        ("invitations/", {"role": "judge", "topics": ["7"]}, "topics"),
        ("releases/", {"rule": "the loudest"}, "rule"),
        ("releases/", {"rule": "one judge"}, "judge"),
        ("releases/", {"topics": ["7"]}, "topics"),
        ("releases/", {"after": 3}, "after"),
        ("pools/", {"k": "deep"}, "k"),
        ("pools/", {"strategie": "depth"}, "strategie"),
    ],
)
def test_an_invalid_field_is_named(
    url: str, body: dict[str, Any], field: str, campaign: Campaign, make: Factory
) -> None:
    problem = made(post(client_of(make, "carol"), url, **body), 422)
    assert [error["loc"][-1] for error in problem["errors"]] == [field]
    assert problem["errors"][0]["msg"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"runs": ["walk"]}, "expected tags of runs in this campaign; found 'walk'"),
        ({"strategy": "rrf", "k": 3}, "found k"),
        ({"strategy": "all"}, "expected a strategy"),
    ],
)
def test_a_pool_that_cannot_be_built_is_refused(
    body: dict[str, Any], message: str, campaign: Campaign, make: Factory
) -> None:
    client = client_of(make, "carol")
    assert message in str(made(post(client, "pools/", **body), 422))
    assert message in str(made(client.get(f"{HOME}pools/draft/", body), 422))
    assert campaign.pools.count() == 1


def test_a_request_that_does_not_fit_what_is_stored_is_a_conflict(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    assert "already in a frozen pool" in made(post(client, "pools/", k=10), 409)["detail"]
    assert "Nothing has been judged" in made(post(client, "releases/"), 409)["detail"]
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    scale = [{"value": 0, "label": "No"}, {"value": 1, "label": "Yes"}]
    body = json.dumps({"scale": scale, "threshold": 1})
    refused = client.patch(f"{HOME}settings/", body, content_type="application/json")
    assert "Judgments use this scale" in made(refused, 409)["detail"]
    make.let_create_campaigns("carol")
    taken = client.post("/api/campaigns/", {"name": "Tiny"}, content_type="application/json")
    assert "short name tiny" in made(taken, 409)["detail"]


def test_the_same_judgments_are_released_once(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    client = client_of(make, "carol")
    first = made(post(client, "releases/"))
    assert "has the same judgments" in made(post(client, "releases/"), 409)["detail"]
    preview = campaign.releases.get().rule
    assert first["rule"] == preview == default_form_values(CampaignReads(campaign))["rule"]


def test_a_release_is_shared_published_restricted_and_withdrawn(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    client, reader = client_of(make, "carol"), client_of(make, "rita")
    made(post(client, "releases/"))
    assert made(reader.get(f"{HOME}releases/"), 200)["items"] == []
    assert made(post(client, "releases/1/audience/", state="shared"), 200)["shared_at"]
    assert made(reader.get(f"{HOME}releases/1/"), 200)["state"] == "shared"
    made(post(client, "releases/1/audience/", state="public", licence="CC0", home_page="no address"), 422)
    made(post(client, "releases/1/audience/", state="public", licence="CC0"), 200)
    assert Campaign.objects.get(slug="tiny").licence == "CC0"
    assert "already" in made(post(client, "releases/1/audience/", state="public"), 409)["detail"]
    problem = made(post(client, "releases/1/audience/", state="internal"), 422)
    assert problem["errors"][0]["loc"] == ["body", "reason"]
    made(post(client, "releases/1/audience/", state="internal", reason="Too early."), 200)
    assert reader.get(f"{HOME}releases/1/").status_code == 404
    withdrawn = made(post(client, "releases/1/withdrawal/", reason="A run was missing."), 200)
    assert withdrawn["withdrawal_reason"] == "A run was missing."
    made(post(client, "releases/1/withdrawal/", reason="Again."), 409)


def test_topics_are_reworded_and_removed(campaign: Campaign, make: Factory) -> None:
    client, url = client_of(make, "carol"), f"{HOME}topics/1/"
    make.make_topic(campaign, "3", "three")

    def change(number: str, **body: Any) -> Any:
        return client.patch(f"{HOME}topics/{number}/", body, content_type="application/json")

    problem = made(change("1", title="Boats"), 422)
    assert problem["errors"][0]["loc"] == ["body", "reason"]
    changed = made(change("1", narrative="All boats.", reason="It was unclear."), 200)
    assert changed == made(client.get(url), 200) and changed["title"] == "first things"
    assert made(change("3", title="Ships"), 200)["title"] == "Ships"
    assert client.delete(f"{HOME}topics/3/").status_code == 204
    assert "documents of it are pooled" in made(client.delete(url), 409)["detail"]


def test_a_later_pool_of_some_topics_is_given_to_their_judges_or_discarded(
    campaign: Campaign, make: Factory
) -> None:
    make.make_run(campaign, "1 D8 2\n2 D9 1", tag="late")
    client = client_of(make, "carol")
    draft = made(client.get(f"{HOME}pools/draft/?topics=2&runs=late"), 200)
    assert draft["topics"] == {"2": 1}
    pool = made(post(client, "pools/", topics=["2"], runs=["late"]))
    assert (pool["documents"], pool["runs"]) == (1, ["late"])
    assert made(client.post(f"{HOME}later-pools/"), 200) == {"documents": 1}
    assert made(client.post(f"{HOME}pools/2/discard/"), 200) == {"documents": 1}
    made(client.post(f"{HOME}pools/2/discard/"), 404)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    made(client.post(f"{HOME}pools/1/discard/"), 409)


def test_an_archived_campaign_takes_no_write(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    made(post(client, "state/", state="archived"), 200)
    made(post(client, "members/", username="mallory", role="judge"), 409)
    made(upload(client, "topics/", b"9\tnine\n"), 409)
    made(post(client, "state/", state="open"), 409)
    assert made(post(client, "state/", state="closed"), 200)["state"] == "closed"


def test_dates_are_changed_one_by_one(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")

    def change(**body: Any) -> Any:
        return client.patch(f"{HOME}schedule/", body, content_type="application/json")

    made(change(time_zone="Europe/Berlin", submission_closes_at="2030-01-01T12:00", accepts_runs=False), 200)
    changed = made(change(late_runs="mark"), 200)
    assert changed["submission_closes_at"] == "2030-01-01T11:00:59Z" and not changed["accepts_runs"]
    assert made(change(submission_closes_at=None), 200)["submission_closes_at"] is None
    assert made(change(judging_ends_at="soon"), 422)["errors"][0]["loc"] == ["body", "judging_ends_at"]


def test_a_group_replaces_and_withdraws_its_run(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    dave, carol = client_of(make, "dave"), client_of(make, "carol")
    newer = made(upload(dave, "runs/mine/replacement/", b"1 Q0 D2 1 2.0 mine\n"))
    assert (newer["tag"], newer["line_count"]) == ("mine", 1)
    assert made(post(dave, "runs/mine/description/", priority=3), 200)["priority"] == 3
    made(post(dave, "runs/run/description/", priority=3), 404)
    made(post(carol, "runs/run/description/", priority=3), 409)  # in a frozen pool
    made(post(carol, "runs/mine/withdrawal/"), 422)
    assert post(dave, "runs/mine/withdrawal/").status_code == 204
    made(dave.post(f"{HOME}runs/mine/restoration/"), 403)
    assert made(carol.post(f"{HOME}runs/mine/restoration/"), 200)["tag"] == "mine"
    assert made(post(carol, "runs/mine/visibility/", hidden=True), 200)["hidden"]


def test_a_group_gives_its_run_another_tag(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 1", tag="mine", group="davelab")
    dave = client_of(make, "dave")
    taken = post(dave, "runs/mine/description/", tag="run", priority=7)
    assert "is taken" in made(taken, 409)["detail"]
    assert made(dave.get(f"{HOME}runs/mine/"), 200)["priority"] == 1  # nothing of it was stored
    assert made(post(dave, "runs/mine/description/", tag="ours"), 200)["tag"] == "ours"
    made(dave.get(f"{HOME}runs/mine/"), 404)
    pooled = post(client_of(make, "carol"), "runs/run/description/", tag="other")
    assert "frozen pool" in made(pooled, 409)["detail"]


def test_settings_that_are_not_named_stay(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    body = {"guidelines": "Read *all*.", "collection_size": 7, "language": "zh-Hant", "joins_lines": True}
    body |= {"rules": "Two runs.", "contact": "carol@example.org", "shows_topic_statistics": True}
    before = made(client.get(HOME), 200)
    changed = made(client.patch(f"{HOME}settings/", body, content_type="application/json"), 200)
    assert changed["version"] != before.pop("version")
    assert changed == before | body | {"version": changed["version"]} == made(client.get(HOME), 200)
    client.patch(f"{HOME}settings/", {"collection_size": None}, content_type="application/json")
    assert made(client.get(HOME), 200)["collection_size"] is None
    named = [{"value": value, "label": f"grade {value}"} for value in range(4)]
    changed = made(client.patch(f"{HOME}settings/", {"scale": named}, content_type="application/json"), 200)
    assert [grade["label"] for grade in changed["scale"]] == ["grade 0", "grade 1", "grade 2", "grade 3"]


def test_the_api_changes_every_setting_of_the_page() -> None:
    assert set(SettingsForm.base_fields) == set(SettingsIn.model_fields) - {"version"}
    assert set(ScheduleForm.base_fields) == set(ScheduleIn.model_fields) - {"version"}


@pytest.mark.parametrize(
    ("path", "body"), [("settings/", {"rules": "Mine."}), ("schedule/", {"runs_per_day": 3})]
)
def test_a_change_that_another_person_made_is_not_written_over(
    path: str, body: dict[str, Any], campaign: Campaign, make: Factory
) -> None:
    client = client_of(make, "carol")
    read = made(client.get(HOME), 200)["version"]
    campaign.rules = "Of another person."
    campaign.save()
    refused = client.patch(HOME + path, body | {"version": read}, content_type="application/json")
    assert "changed since you read it" in made(refused, 409)["detail"]
    now = made(client.get(HOME), 200)
    assert (now["rules"], now["runs_per_day"]) == ("Of another person.", None)
    body |= {"version": now["version"]}
    assert made(client.patch(HOME + path, body, content_type="application/json"), 200) != now


def test_the_version_tells_no_rate(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "rita")
    before = made(client.get(HOME), 200)
    campaign.hourly_rate, campaign.currency = 30, "CHF"
    campaign.save()
    assert made(client.get(HOME), 200) == before


def test_a_line_that_cannot_be_read_is_named(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    problem = made(upload(client, "judges/", b"1 0 D1 2\n1 0 D2 9\n", judge="NIST"), 422)
    assert [error["line"] for error in problem["errors"]] == [2] and "found 9" in problem["errors"][0]["what"]
    problem = made(upload(client, "documents/", b'{"docno": "D1", "text": "New."}\n{"docno":\n'), 422)
    assert [error["line"] for error in problem["errors"]] == [2]
    assert not campaign.documents.exists() and not JudgmentEvent.objects.exists()


def test_labels_of_files_are_mapped_to_the_scale(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "carol")
    lines = b"1 0 D1 9\n1 0 d2.txt 0\n"
    loaded = made(upload(client, "judges/", lines, judge="NIST", grades="9=3"))
    counts = {
        "judgments": 2,
        "pooled": 1,
        "outside": 1,
        "unknown": 1,
        "match": {"rule": "upper case and endings", "names": {"d2.txt": "D2"}},
        "topics": [{"topic": "1", "judgments": 2, "pooled": 1}],
        "grades": [
            {"grade": 3, "judgments": 1, "pooled": 1},
            {"grade": 0, "judgments": 1, "pooled": 0},
        ],
    }
    assert loaded == counts | {"judge": "tiny/NIST", "labels": 1, "newly_pooled": 0, "notes": []}
    assert campaign.pools.count() == 1
    loaded = made(upload(client, "judges/", lines, judge="Two", grades="9=3", extend_pool="true"))
    assert loaded == counts | {"judge": "tiny/Two", "labels": 2, "newly_pooled": 1, "notes": []}
    about = {"name": "LLM", "model": "m-1", "prompt_sha256": "AB" * 32, "made_on": "2026-05-04"}
    machine = made(upload(client, "machines/", b"1 0 D1 1\n2 0 D8 1\n", **about))
    assert machine == {"judge": "tiny/LLM", "labels": 1, "left_out": 1}
    rules = {"name": "Rules", "model": "rules 2", "made_on": "2026-05-04"}  # a program without a prompt
    assert made(upload(client, "machines/", b"1 0 D1 1\n", **rules))["labels"] == 1
    made(upload(client, "machines/", b"1 0 D1 1\n", **rules | {"name": "X", "prompt_sha256": "short"}), 422)


def test_large_documents_and_releases_become_jobs(
    campaign: Campaign, make: Factory, settings: Settings
) -> None:
    settings.BACKGROUND_BYTES, settings.BACKGROUND_LABELS = 10, 0
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    client = client_of(make, "carol")
    documents = made(upload(client, "documents/", TEXTS, keep="all"), 202)
    release = made(post(client, "releases/"), 202)
    assert [documents["title"], release["title"]] == [
        "Load documents from new.txt",
        "Freeze v1 of the qrels",
    ]
    for each in (documents, release):
        assert made(client.get(f"{HOME}jobs/{each['id']}/"), 200)["state"] in ("waiting", "done")


def first_label(client: Client, topic: str = "1", **changes: Any) -> dict[str, Any]:
    """Return a label of the first document of a topic."""
    card = made(client.get(f"{HOME}judging/{topic}/"), 200)["cards"][0]
    label = {name: card[name] for name in ("entry", "docno", "text_hash")}
    return label | {"uuid": str(uuid.uuid4()), "relevance": 3} | changes


def test_a_repeated_label_changes_nothing(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "alice")
    label = first_label(client, comment="sloop", active_seconds=4.5)
    first = made(post(client, "judging/1/labels/", **label))
    assert made(post(client, "judging/1/labels/", **label)) == first
    event = JudgmentEvent.objects.get()
    assert (event.relevance, event.comment, event.source, event.active_seconds) == (3, "sloop", "api", 4.5)
    conflict = made(post(client, "judging/1/labels/", **label | {"relevance": 0}), 409)
    assert "already stored" in conflict["detail"]
    assert JudgmentEvent.objects.count() == 1


def test_a_label_of_another_text_or_document_is_a_conflict(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "alice")
    label = first_label(client)
    make.make_document(campaign, label["docno"], "A newer text.")
    assert "was replaced" in made(post(client, "judging/1/labels/", **label), 409)["detail"]
    label = first_label(client, docno="D9")
    assert "another document" in made(post(client, "judging/1/labels/", **label), 409)["detail"]


@pytest.mark.parametrize("changes", [{"relevance": 4}, {"relevance": None}, {"reason": "broken"}])
def test_a_label_is_one_grade_or_one_reason(
    changes: dict[str, Any], campaign: Campaign, make: Factory
) -> None:
    client = client_of(make, "alice")
    made(post(client, "judging/1/labels/", **first_label(client, **changes)), 422)
    made(post(client, "judging/1/labels/", **first_label(client, relevance=None, reason="broken")))


def test_a_label_of_an_entry_of_another_judge_is_not_found(campaign: Campaign, make: Factory) -> None:
    label = first_label(client_of(make, "bob"))
    made(post(client_of(make, "alice"), "judging/1/labels/", **label), 404)
    label = first_label(client_of(make, "bob"))
    made(post(client_of(make, "bob"), "judging/2/labels/", **label), 404)  # of another topic
    assert not JudgmentEvent.objects.exists()


def test_a_label_that_arrives_after_the_topic_was_taken_counts(campaign: Campaign, make: Factory) -> None:
    client = client_of(make, "alice")
    label = first_label(client)
    Assignment.objects.filter(judge__username="alice").delete()
    made(post(client, "judging/1/labels/", **label))


def test_judging_tells_nothing_of_runs_or_of_other_judges(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D1 7.125", tag="zebra-run", group="zebra-group")
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    load_gold(campaign, make.make_user("carol"), "gold", b"1 D3 1\n")
    client = client_of(make, "alice")
    answers = [
        client.get(f"{HOME}judging/"),
        client.get(f"{HOME}judging/1/"),
        client.post(f"{HOME}judging/1/"),
    ]
    label = first_label(client)
    answers.append(post(client, "judging/1/labels/", **label))
    assert [answer.status_code for answer in answers] == [200, 200, 200, 201]
    fields = {"entry", "docno", "title", "text", "url", "facts", "text_hash"}
    assert all(card.keys() == fields for card in answers[1].json()["cards"])
    for answer in answers:
        for secret in ("zebra", "bob", "7.125", "best_rank", "gold", "place", "kind"):
            assert secret not in answer.content.decode() + str(answer.headers), secret


def test_reading_takes_no_document_of_a_shared_topic(campaign: Campaign, make: Factory) -> None:
    QueueEntry.objects.all().delete()
    Assignment.objects.all().delete()
    judges = [make.make_user("alice"), make.make_user("bob")]
    assign(judges, campaign.topics.filter(number="1"), Assignment.Part.SHARED)
    client = client_of(make, "alice")
    seen = made(client.get(f"{HOME}judging/1/"), 200)
    assert (seen["cards"], seen["can_take"], QueueEntry.objects.count()) == ([], True, 0)
    taken = made(client.post(f"{HOME}judging/1/"), 200)
    assert (len(taken["cards"]), QueueEntry.objects.count()) == (3, 3)
    assert made(client_of(make, "bob").post(f"{HOME}judging/1/"), 200)["cards"] == []


def test_an_adjudicator_who_judges_reads_no_label_of_an_open_document(
    campaign: Campaign, make: Factory
) -> None:
    campaign.memberships.create(user=make.make_user("alice"), role=Role.ORGANISER)
    make.make_judgment(campaign, "bob", "1", "D1", 1)
    assert "bob" not in client_of(make, "alice").get(f"{HOME}labels/").getvalue().decode()
