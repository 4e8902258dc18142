"""A campaign is cloned, deleted while it holds no label, and listed with its state."""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from pytest_django import Settings

from accounts.models import User
from assess.services.campaigns import DeletionRefused, clone_campaign, delete_campaign, delete_unnamed_files
from assess.services.plans import change_plan
from config.archives.campaigns import export_campaign, import_campaign
from config.archives.zip_file import BadArchive
from pooling.models import AuditLogEntry, Campaign, Document, PooledDocument, Run
from pooling.scale import WEB, scale_to_json
from tests.support.factory import Factory
from tests.support.markup import markup

DELETE, CLONE = "/campaigns/tiny/settings/delete/", "/campaigns/tiny/settings/clone/"
CONFIRMED = {"confirmed": "yes", "typed": "tiny"}


def signed_in(make: Factory, name: str = "carol") -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


# deletion


@pytest.fixture
def queue(settings: Settings) -> QuerySet[DBTaskResult[Any, Any]]:
    settings.TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend"}}
    return DBTaskResult.objects.all()


def a_day_later(queue: QuerySet[DBTaskResult[Any, Any]]) -> None:
    """Check that no worker touches the files today, and do what one does tomorrow."""
    waiting = queue.get()
    assert waiting.run_after > timezone.now() + timedelta(hours=23)
    assert not DBTaskResult.objects.ready().exists()
    delete_unnamed_files.call(*waiting.args_kwargs["args"])


def test_a_file_that_another_campaign_stores_meanwhile_is_not_deleted(
    make: Factory, queue: QuerySet[DBTaskResult[Any, Any]]
) -> None:
    campaign = make.make_pooled_campaign()
    original = make.make_run(campaign, "1 D1 7\n1 D2 6", tag="own").original
    another = make.make_campaign("other")
    make.make_topic(another, "1")
    other = make.make_run(another, "1 D1 3", tag="run")
    delete_campaign(campaign, make.make_user("carol"))
    Run.objects.filter(pk=other.pk).update(original=original.name)  # stored before, its row a moment later
    a_day_later(queue)
    assert original.storage.exists(str(original.name))


def test_a_campaign_without_labels_is_deleted_with_its_rows_and_files(
    make: Factory, caplog: pytest.LogCaptureFixture, queue: QuerySet[DBTaskResult[Any, Any]]
) -> None:
    campaign, other = make.make_pooled_campaign(), make.make_campaign("other")
    make.make_document(campaign, "D1")
    make.make_topic(other, "1")
    make.make_run(campaign, "1 D1 7\n1 D2 6", tag="own")
    make.make_run(other, "1 D1 3\n1 D2 2\n1 D3 1", tag="run")
    make.make_run(campaign, "1 D1 3\n1 D2 2\n1 D3 1", tag="run2")
    own, shared = str(campaign.runs.get(tag="own").original), str(other.runs.get().original)
    Run.objects.filter(tag="run2").update(original=shared)  # both name one file
    make.make_panel(campaign)
    lists = str(make.make_interleaving(campaign, "zebra-left", "zebra-right").file)
    page = markup(signed_in(make).post(DELETE))
    assert "Type <b>tiny</b> to confirm" in page and "<dt>Topics</dt>" in page
    wrong = markup(signed_in(make).post(DELETE, CONFIRMED | {"typed": "tin"}))
    assert "The text differs from tiny" in wrong and Campaign.objects.count() == 2
    with caplog.at_level(logging.WARNING):
        answer = signed_in(make).post(DELETE, CONFIRMED, follow=True)
    assert "The campaign Tiny is deleted." in markup(answer)
    assert "carol deleted the campaign tiny (Tiny)" in caplog.text
    assert [each.slug for each in Campaign.objects.all()] == ["other"]
    assert not (Document.objects.exists() or PooledDocument.objects.exists())
    assert not AuditLogEntry.objects.exclude(campaign=other).exists()
    assert all(map(default_storage.exists, (own, lists, shared)))
    a_day_later(queue)
    assert not default_storage.exists(own) and not default_storage.exists(lists)
    assert default_storage.exists(shared)
    assert User.objects.filter(username="alice").exists()


def test_a_campaign_with_a_label_stays_and_the_page_says_why(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    page = markup(signed_in(make).post(DELETE, CONFIRMED))
    assert "It holds 1 label, and labels are never deleted." in page and "can be archived" in page
    with pytest.raises(DeletionRefused, match="holds 1 label"):
        delete_campaign(campaign, make.make_user("carol"))
    assert Campaign.objects.count() == 1


def test_a_vote_of_a_judge_and_an_unfinished_job_keep_a_campaign(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    make.make_job(campaign)
    with pytest.raises(DeletionRefused, match="A job of it is not finished yet"):
        delete_campaign(campaign, make.make_user("carol"))
    make.make_vote(make.make_panel(campaign), "alice", "1", "left")
    with pytest.raises(DeletionRefused, match="It holds 1 vote"):
        delete_campaign(campaign, make.make_user("carol"))


# clones


@pytest.fixture
def source(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    fields = {"guidelines": "Read it.", "rules": "One run a day.", "description": "About boats."}
    Campaign.objects.filter(pk=campaign.pk).update(
        scale=scale_to_json(WEB), threshold=1, run_depth=50, **fields
    )
    change_plan(campaign, overlap="share", overlap_share=20)
    return Campaign.objects.get(pk=campaign.pk)


def test_a_clone_is_a_draft_with_the_scale_texts_topics_and_plan(source: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    clone = clone_campaign(source, carol, "Next year", "next")
    assert (clone.state, clone.run_depth) == ("draft", 50)
    assert (clone.grades, clone.threshold) == (source.grades, 1)
    assert (clone.guidelines, clone.rules, clone.description) == (
        "Read it.",
        "One run a day.",
        "About boats.",
    )
    fields = ("number", "title", "place")
    assert list(clone.topics.values_list(*fields)) == list(source.topics.values_list(*fields))
    assert (clone.judging_plan.overlap, clone.judging_plan.overlap_share) == ("share", 20)
    assert source.judging_plan.pk == source.pk and source.topics.count() == 2
    assert not (clone.runs.exists() or clone.pools.exists())
    assert [str(each) for each in clone.memberships.all()] == ["carol, organiser"]
    entry = clone.audit_log.get(verb="cloned the campaign")
    assert (entry.who, entry.sentence) == ("carol", "from tiny: scale, guidelines, rules, topics, plan")


def test_a_clone_gets_only_what_was_chosen(source: Campaign, make: Factory) -> None:
    clone = clone_campaign(source, make.make_user("carol"), "Next", "next", ["members"])
    assert (clone.guidelines, clone.rules, clone.topics.count(), len(clone.grades)) == ("", "", 0, 4)
    roles = clone.memberships.values_list("user__username", "role", "group")
    assert set(roles) == set(source.memberships.values_list("user__username", "role", "group"))


def test_an_organiser_with_the_right_clones_on_the_page(source: Campaign, make: Factory) -> None:
    client, answers = signed_in(make), {"name": "Next", "slug": "next", "parts": ["topics"]}
    assert client.post(CLONE, answers).status_code == 403
    assert "you need the permission to create campaigns" in markup(client.get("/campaigns/tiny/settings/"))
    make.let_create_campaigns("carol")
    assert CLONE in markup(signed_in(make).get("/campaigns/tiny/settings/"))
    assert 'value="tiny-2"' in markup(signed_in(make).get(CLONE))
    taken = markup(signed_in(make).post(CLONE, answers | {"slug": "tiny"}))
    assert "There is a campaign with the short name tiny already." in taken
    answer = signed_in(make).post(CLONE, answers)
    assert answer.headers["Location"] == "/campaigns/next/"
    assert Campaign.objects.get(slug="next").topics.count() == 2


def test_a_command_clones(source: Campaign, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("clone_campaign", "tiny", "next", name="Next year")
    assert capsys.readouterr().out == "Campaign next created as a draft, with 2 topics.\n"
    assert Campaign.objects.get(slug="next").name == "Next year"
    for slug, complaint in (("next", "short name next already"), ("a b", "Expected a short name")):
        with pytest.raises(CommandError, match=complaint):
            call_command("clone_campaign", "tiny", slug)


def test_an_import_on_the_same_server_is_refused_and_names_the_clone(
    source: Campaign, tmp_path: Path
) -> None:
    archive = tmp_path / "tiny.zip"
    export_campaign(source, archive)
    for slug in ("", "again"):
        with pytest.raises(BadArchive, match="`clone_campaign` copies a campaign on the same server"):
            import_campaign(archive, {}, slug)


# the list of campaigns


def test_the_list_says_the_state_and_what_needs_the_person(make: Factory) -> None:
    campaign, old = make.make_pooled_campaign(), make.make_campaign("old")
    Campaign.objects.filter(pk=old.pk).update(state=Campaign.State.ARCHIVED)
    make.make_judgment(campaign, "alice", "1", "D1", 0)
    make.make_judgment(campaign, "bob", "1", "D1", 3)
    page = " ".join(markup(signed_in(make).get("/")).split())
    assert "1 case waits, 3 documents without text" in page and "<td>open</td>" in page
    assert "1 archived campaign" in page.partition('id="archived"')[2]
    assert "Old" not in page.partition('id="archived"')[0]
    assert "2 topics to judge" in markup(signed_in(make, "alice").get("/campaigns/"))
    assert "1 case waits" in markup(signed_in(make, "ada").get("/"))
    reader = markup(signed_in(make, "rita").get("/"))
    assert "case" not in reader and "without text" not in reader


def test_a_right_to_create_campaigns_is_off_by_default(make: Factory) -> None:
    make.make_campaign()
    for name in ("alice", "dave", "carol"):
        assert "New campaign" not in markup(signed_in(make, name).get("/"))
        assert signed_in(make, name).get("/new-campaign/").status_code == 403


def test_the_home_page_of_a_judge_has_the_outbox_of_each_campaign(make: Factory) -> None:
    make.make_campaign()
    closed = make.make_campaign("old")
    Campaign.objects.filter(pk=closed.pk).update(state=Campaign.State.CLOSED)
    page = markup(signed_in(make, "alice").get("/"))
    assert 'data-outbox="/campaigns/tiny/judge/outbox/" hidden>' in page
    assert 'data-outbox="/campaigns/old/judge/outbox/" data-paused hidden>' in page
