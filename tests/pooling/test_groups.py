"""A participant always has a group, sees its runs alone, and submits for no other."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.test import Client

from accounts.services import create_token
from pooling.models import Campaign, Membership, Role
from pooling.queries.campaigns import campaign_or_404, visible_runs
from pooling.services.people import MemberRefused, add_member, create_campaign, invite, store_acceptance
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

RUN = b"1 Q0 D1 1 2.0 %s\n"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    return campaign


def signed_in(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def submit(client: Client, tag: str, **fields: str) -> str:
    file = SimpleUploadedFile(f"{tag}.run", RUN % tag.encode())
    answers = {"priority": "1", "tag_from": "column", **fields, "run_files": file}
    return markup(client.post("/campaigns/tiny/runs/", answers))


def group_of(name: str) -> str:
    return Membership.objects.get(user__username=name, role=Role.PARTICIPANT).group


@pytest.mark.parametrize("group", ["", "  "])
def test_a_participant_without_a_group_is_refused(campaign: Campaign, make: Factory, group: str) -> None:
    for refused in (
        lambda: add_member(campaign, make.make_user("eve"), Role.PARTICIPANT, group),
        lambda: invite(campaign, Role.PARTICIPANT, group),
    ):
        with pytest.raises(MemberRefused, match="A participant needs a group"):
            refused()
    assert not campaign.memberships.filter(user__username="eve").exists()
    assert not campaign.invitations.exists()


def test_the_database_takes_no_participant_without_a_group(campaign: Campaign, make: Factory) -> None:
    with pytest.raises(IntegrityError, match="participant_has_a_group"):
        campaign.memberships.create(user=make.make_user("eve"), role=Role.PARTICIPANT)


@pytest.mark.parametrize("username", ["mallory", ""])
def test_the_people_page_asks_for_the_group_of_a_participant(
    campaign: Campaign, make: Factory, username: str
) -> None:
    client = signed_in(make, "carol")
    answer = {"username": username, "role": "participant", "group": " "}
    assert "A participant needs a group" in markup(client.post("/campaigns/tiny/people/", answer))
    assert not campaign.memberships.filter(user__username="mallory").exists()
    assert not campaign.invitations.exists()


@pytest.mark.parametrize("words", [("add_member", "tiny", "mallory"), ("invite", "tiny")])
def test_the_commands_ask_for_the_group_of_a_participant(campaign: Campaign, words: tuple[str, ...]) -> None:
    with pytest.raises(CommandError, match="A participant needs a group"):
        call_command(*words, "--role", "participant")


def test_a_run_without_a_group_is_nobodys_but_the_submitters(campaign: Campaign, make: Factory) -> None:
    dave, eve = make.make_user("dave"), make.make_user("eve")
    add_member(campaign, eve, Role.PARTICIPANT, "evelab")
    submit_run(campaign, make.make_user("carol"), RUN % b"baseline", "b.run", Submission())
    submit_run(campaign, dave, RUN % b"early", "e.run", Submission())
    seen = {
        user.username: {run.tag for run in visible_runs(user, campaign_or_404(user, "tiny"))}
        for user in (dave, eve)
    }
    assert seen == {"dave": {"early"}, "eve": set()}


def test_a_participant_sees_own_submissions_after_a_change_of_group(
    campaign: Campaign, make: Factory
) -> None:
    submit(signed_in(make, "dave"), "first")
    add_member(campaign, make.make_user("dave"), Role.PARTICIPANT, "newlab")
    assert signed_in(make, "dave").get("/campaigns/tiny/runs/first/").status_code == 200


def test_a_participant_reads_their_group_and_types_none(campaign: Campaign, make: Factory) -> None:
    page = markup(signed_in(make, "dave").get("/campaigns/tiny/runs/"))
    assert 'name="group"' not in page
    assert "You submit runs for the group <b>davelab</b>." in page
    assert 'name="group"' in markup(signed_in(make, "carol").get("/campaigns/tiny/runs/"))
    submit(signed_in(make, "dave"), "mine", group="carolab")
    assert campaign.runs.get(tag="mine").group == "davelab"


def test_the_api_refuses_another_group_than_the_persons_own(campaign: Campaign, make: Factory) -> None:
    token = create_token(make.make_user("dave"), "test")
    client = Client(headers={"Authorization": f"Bearer {token}"})
    url = "/api/campaigns/tiny/runs/"
    file = SimpleUploadedFile("a.run", RUN % b"a")
    answer = client.post(url, {"file": file, "group": "carolab"})
    assert answer.status_code == 422
    assert answer.json()["title"] == "Expected your own group, davelab, or none; found 'carolab'"
    assert not campaign.runs.exists()
    for tag in ("b", "c"):
        said = {"group": "davelab"} if tag == "b" else {}
        file = SimpleUploadedFile("a.run", RUN % tag.encode())
        assert client.post(url, {"file": file, **said}).json()["group"] == "davelab"


def test_a_link_to_another_group_changes_nothing_and_stays_open(campaign: Campaign, make: Factory) -> None:
    link = f"/invitations/{invite(campaign, Role.PARTICIPANT, 'evelab')}/"
    answer = signed_in(make, "dave").post(link)
    assert answer.status_code == 409
    page = markup(answer)
    assert "You take part for davelab; this invitation is for evelab." in page
    assert group_of("dave") == "davelab"
    signed_in(make, "eve").post(link)
    assert group_of("eve") == "evelab"


def test_a_link_for_a_role_that_the_person_has_already_changes_nothing(
    campaign: Campaign, make: Factory
) -> None:
    dave, before = make.make_user("dave"), campaign.audit_log.count()
    token = invite(campaign, Role.PARTICIPANT, "davelab")
    store_acceptance(token, dave)
    assert [m.group for m in campaign.memberships.filter(user=dave)] == ["davelab"]
    assert campaign.audit_log.count() == before + 1  # the invitation itself


def test_a_link_from_before_groups_were_required_is_refused_in_words(
    campaign: Campaign, make: Factory
) -> None:
    token = invite(campaign, Role.PARTICIPANT, "evelab")
    campaign.invitations.update(group="")
    answer = signed_in(make, "eve").post(f"/invitations/{token}/")
    assert answer.status_code == 409
    assert "A participant needs a group" in markup(answer)


def test_the_same_content_in_another_group_does_not_tell_its_tag(campaign: Campaign, make: Factory) -> None:
    add_member(campaign, make.make_user("eve"), Role.PARTICIPANT, "evelab")
    lines = b"1 Q0 D1 1 2.0 same\n"
    runs = [
        submit_run(campaign, make.make_user(name), lines, f"{tag}.run", Submission(tag, group))
        for name, tag, group in (("dave", "secret", "davelab"), ("eve", "e1", "evelab"))
    ]
    again = submit_run(campaign, make.make_user("eve"), lines, "e2.run", Submission("e2", "evelab"))
    assert "secret" not in str(runs[1].warnings) + str(again.warnings)
    assert "the content is that of another group's run" in str(runs[1].warnings)
    assert "the content is that of run e1" in str(again.warnings)


def test_the_campaigns_of_one_person_are_apart(campaign: Campaign, make: Factory) -> None:
    """The group that a person has in one campaign opens no run of another."""
    other = create_campaign(make.make_user("carol"), "Other", "other", campaign.grades, 2)
    add_member(other, make.make_user("dave"), Role.PARTICIPANT, "otherlab")
    make.make_run(campaign, "1 D1 1", tag="theirs", group="otherlab")
    assert signed_in(make, "dave").get("/campaigns/tiny/runs/theirs/").status_code == 404
