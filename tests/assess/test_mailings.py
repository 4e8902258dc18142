"""Mails to the people of a campaign: who gets which, with which text, and how each is switched off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from accounts.mail import MailKind, switch_off_link
from accounts.models import User
from accounts.tasks import send_mail
from assess.models import Assignment, QrelsRelease
from assess.services.mailings import MailRefused, mail_release_shared
from assess.services.releases import release_qrels
from pooling.models import Campaign, Role
from pooling.services.people import add_member, invite
from tests.support.factory import Factory
from tests.support.markup import markup

SITE = "https://pool.example.org"
REMIND = "/campaigns/tiny/judging/reminders/"


@pytest.fixture(autouse=True)
def sends_mail(settings: Settings) -> None:
    settings.SENDS_MAIL = True
    settings.SITE = SITE


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Any) -> Any:
    """A context in which what waits for the end of a transaction is done."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def signed_in(make: Factory, name: str = "carol") -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def address(*names: str) -> None:
    for name in names:
        User.objects.filter(username=name).update(email=f"{name}@example.org")


@pytest.fixture
def idle(make: Factory) -> Campaign:
    """Alice and bob were assigned two topics ten days ago and have not begun."""
    campaign = make.make_pooled_campaign()
    Assignment.objects.update(assigned_at=timezone.now() - timedelta(days=10))
    return campaign


@pytest.fixture
def release(make: Factory) -> QrelsRelease:
    """A release that is shared with dave and zoe, who take part."""
    campaign = make.make_pooled_campaign()
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    add_member(campaign, make.make_user("zoe"), Role.PARTICIPANT, "zoelab")
    release = release_qrels(campaign, make.make_user("carol"))
    release.state = QrelsRelease.State.SHARED
    release.save()
    return release


# reminders


def test_idle_judges_who_can_be_mailed_are_reminded_after_a_question(
    idle: Campaign, make: Factory, committed: Any
) -> None:
    address("alice")
    client = signed_in(make)
    assert "Remind 2 judges" in markup(client.get("/campaigns/tiny/progress/"))
    page = markup(client.get(REMIND))
    assert "Remind 1 judge<" in page.replace("\n", "") and "4 documents of topics 1, 2 still wait" in page
    assert "bob: has no e-mail address" in page and not mail.outbox
    with committed():
        assert "1 reminder will be mailed." in markup(client.post(REMIND, follow=True))
    (message,) = mail.outbox
    assert isinstance(message, EmailMessage)
    assert (message.to, message.subject) == (["alice@example.org"], "Tiny: 4 documents to judge")
    assert f"{SITE}/campaigns/tiny/judge/" in message.body and "Hello alice" in message.body
    entry = idle.audit_log.get(verb="reminded judges")
    assert (entry.who, entry.sentence) == ("carol", "alice")
    assert "The last mails of this kind" in markup(client.get(REMIND))


def test_a_reminder_goes_to_anyone_with_open_documents(idle: Campaign, make: Factory, committed: Any) -> None:
    address("alice", "bob")
    Assignment.objects.update(assigned_at=timezone.now())
    carol, bob = signed_in(make), make.make_user("bob")
    assert "No judge has stopped" in markup(carol.get(REMIND))
    page = markup(carol.get(REMIND + "?judge=all"))
    assert "Remind 2 judges" in page
    with committed():
        assert "1 reminder will be mailed." in markup(carol.post(f"{REMIND}?judge={bob.pk}", follow=True))
    assert [message.to for message in mail.outbox] == [["bob@example.org"]]
    for unknown in ("0", "x", "99999999999999999999"):
        assert "No judge has open documents" in markup(carol.get(f"{REMIND}?judge={unknown}"))


@pytest.mark.parametrize(
    ("change", "obstacle"),
    [
        ({"email": ""}, "has no e-mail address"),
        ({"wants_reminders": False}, "switched this mail off"),
        ({"password": "!"}, "cannot sign in"),
    ],
)
def test_who_has_no_address_or_switched_it_off_or_cannot_sign_in_gets_no_mail(
    idle: Campaign, make: Factory, committed: Any, change: dict[str, Any], obstacle: str
) -> None:
    address("alice")
    User.objects.filter(username="alice").update(**change)
    assert f"alice: {obstacle}" in markup(signed_in(make).get(REMIND))
    with committed():
        assert "Nobody can be mailed" in markup(signed_in(make).post(REMIND, follow=True))
        send_mail.enqueue(make.make_user("alice").pk, MailKind.REMINDER.value, "s", "t", SITE)
    assert not mail.outbox


def test_a_site_without_mail_shows_the_texts_to_copy(
    idle: Campaign, make: Factory, settings: Settings
) -> None:
    settings.SENDS_MAIL = False
    address("alice")
    page = markup(signed_in(make).get(REMIND))
    assert "alice: this site sends no mail" in page and "Hello alice" in page and "Copy text" in page
    assert "<button>Remind" not in page


def test_a_mail_that_fails_does_not_fail_the_action(
    idle: Campaign, make: Factory, committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError("no queue")

    address("alice")
    monkeypatch.setattr(type(send_mail), "enqueue", fail)
    with committed():
        assert signed_in(make).post(REMIND).status_code == 302
    assert idle.audit_log.filter(verb="reminded judges").exists()


# releases


def test_participants_get_the_news_of_a_shared_release(
    release: QrelsRelease, make: Factory, committed: Any
) -> None:
    address("dave", "alice", "zoe")
    User.objects.filter(username="zoe").update(wants_release_mail=False)
    client, url = signed_in(make), "/campaigns/tiny/qrels/1/mail/"
    assert url in markup(client.get("/campaigns/tiny/qrels/1/"))
    assert "Mail 1 participant<" in markup(client.get(url))
    with committed():
        assert "mailed to 1 participant." in markup(client.post(url, follow=True))
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["dave@example.org"], "Tiny: qrels v1 are shared")
    assert f"{SITE}/campaigns/tiny/qrels/1/" in str(message.body)


@pytest.mark.parametrize("withdrawn", [False, True])
def test_an_internal_or_withdrawn_release_is_no_news(
    release: QrelsRelease, make: Factory, committed: Any, withdrawn: bool
) -> None:
    address("dave")
    release.withdrawn_at = timezone.now() if withdrawn else None
    release.state = QrelsRelease.State.SHARED if withdrawn else QrelsRelease.State.INTERNAL
    release.save()
    with committed(), pytest.raises(MailRefused, match="Participants cannot open Qrels v1"):
        mail_release_shared(release, make.make_user("carol"), SITE)
    assert "qrels/1/mail/" not in markup(signed_in(make).get("/campaigns/tiny/qrels/1/"))
    assert not mail.outbox


# invitations


def invitation_link(message: Any) -> str:
    found = re.search(r"https://pool.example.org(/invitations/\S+/)", str(message.body))
    assert found
    return found[1]


@pytest.mark.parametrize(
    ("url", "answers"),
    [
        ("people/", {"username": "", "role": "judge", "recipient": "Noor"}),
        ("judging/invite/", {"topics": "all", "part": "primary", "recipient": "Noor"}),
    ],
)
def test_an_invitation_is_mailed_and_its_secret_is_shown_to_nobody_else(
    make: Factory, committed: Any, url: str, answers: dict[str, str]
) -> None:
    campaign = make.make_pooled_campaign()
    with committed():
        answers = answers | {"email": "noor@example.org"}
        page = markup(signed_in(make).post(f"/campaigns/tiny/{url}", answers, follow=True))
    assert "The invitation is mailed to noor@example.org" in page and "Send this link" not in page
    (message,) = mail.outbox
    assert (message.to, message.subject) == (["noor@example.org"], "Invitation to Tiny")
    assert "List-Unsubscribe" not in message.extra_headers
    assert "until" in message.body and "<" not in message.body  # plain text
    assert "You are invited as <b>judge</b>" in markup(Client().get(invitation_link(message)))
    assert campaign.invitations.get().email == "noor@example.org"
    assert "mailed to noor@example.org" in markup(signed_in(make).get("/campaigns/tiny/people/"))


def test_a_mailed_invitation_is_mailed_again_and_the_first_link_is_dead(
    make: Factory, committed: Any
) -> None:
    campaign, client = make.make_campaign(), signed_in(make)
    with committed():
        client.post("/campaigns/tiny/people/", {"role": "reader", "email": "noor@example.org"})
    url = f"/campaigns/tiny/people/invitations/{campaign.invitations.get().pk}/renew/"
    with committed():
        client.post(url, {"mail": "1"})
    first, second = map(invitation_link, mail.outbox)
    assert (Client().get(first).status_code, Client().get(second).status_code) == (410, 200)
    page = markup(client.post(url))  # without the mail: the link is shown to be sent by other means
    assert "Send this link" in page and len(mail.outbox) == 2
    assert Client().get(second).status_code == 410


def test_without_a_mail_server_the_text_of_the_invitation_is_shown(make: Factory, settings: Settings) -> None:
    settings.SENDS_MAIL = False
    make.make_campaign()
    page = markup(signed_in(make).post("/campaigns/tiny/people/", {"role": "reader"}))
    assert "you are invited to the campaign Tiny as reader" in page and 'name="email"' not in page


def test_a_link_that_was_not_mailed_is_not_said_to_be(make: Factory) -> None:
    """Such as one of a list of people with addresses, on a site without a mail server."""
    invite(make.make_campaign(), Role.READER, email="noor@example.org")
    page = markup(signed_in(make).get("/campaigns/tiny/people/"))
    assert "for noor@example.org" in page and "mailed to" not in page


def test_the_link_to_a_draft_says_that_it_is_one(make: Factory) -> None:
    campaign = make.make_campaign()
    invited = {"role": "reader", "recipient": "Noor"}
    assert "The campaign is a draft" not in markup(signed_in(make).post("/campaigns/tiny/people/", invited))
    Campaign.objects.filter(pk=campaign.pk).update(state=Campaign.State.DRAFT)
    assert "The campaign is a draft" in markup(signed_in(make).post("/campaigns/tiny/people/", invited))


# digests


def test_organisers_get_a_digest_of_their_current_campaigns(
    idle: Campaign, make: Factory, committed: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    make.make_judgment(idle, "bob", "1", "D1", 3)
    for slug, state in (("old", Campaign.State.ARCHIVED), ("plan", Campaign.State.DRAFT)):
        Campaign.objects.filter(pk=make.make_campaign(slug).pk).update(state=state)
    add_member(idle, make.make_user("sam"), Role.ORGANISER)
    address("carol", "alice")
    with committed():
        call_command("send_digests")
    assert capsys.readouterr().out == "1 digest will be mailed.\n"
    (message,) = mail.outbox
    assert message.to == ["carol@example.org"]
    for line in (
        f"Tiny (open)\n{SITE}/campaigns/tiny/\n- new labels in the last 7 days: 1",
        "- labels that remain: 7",
        "- pooled documents without text: 3",
        "- alice has not begun in 10 days",
    ):
        assert line in str(message.body)
    assert "Old" not in str(message.body) and "Plan" not in str(message.body)


def test_digests_need_a_mail_server_and_the_address_of_the_site(settings: Settings, db: None) -> None:
    settings.SITE = ""
    with pytest.raises(CommandError, match="JURYPOOL_SITE or --site"):
        call_command("send_digests")
    settings.SENDS_MAIL = False
    with pytest.raises(CommandError, match="Set EMAIL_URL"):
        call_command("send_digests")


# switching off


@pytest.fixture
def link(make: Factory) -> Iterator[str]:
    """The link at the end of a digest for alice."""
    make.make_campaign()
    address("alice")
    send_mail.enqueue(make.make_user("alice").pk, MailKind.DIGEST.value, "Digest", "Text\n", SITE)
    (message,) = mail.outbox
    found = re.search(r"Switch it off: https://pool.example.org(\S+)", str(message.body))
    assert found and message.extra_headers == {
        "List-Unsubscribe": f"<{SITE}{found[1]}>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    yield found[1]


def test_a_link_in_the_mail_switches_its_kind_off_by_a_post_alone(link: str) -> None:
    client = Client(enforce_csrf_checks=True)  # a mail program posts without a token
    assert "Switch off these mails" in markup(client.get(link))
    assert User.objects.get(username="alice").wants_digest
    assert "This mail is switched off" in markup(client.post(link, {"List-Unsubscribe": "One-Click"}))
    alice = User.objects.get(username="alice")
    assert (alice.wants_digest, alice.wants_reminders, alice.wants_release_mail) == (False, True, True)


def test_a_link_that_we_did_not_sign_does_not_exist(link: str, make: Factory) -> None:
    bob = switch_off_link(make.make_user("bob"), MailKind.DIGEST, "")
    head, _, signature = link.rstrip("/").rpartition(":")
    for forged in (f"{bob.rpartition(':')[0]}:{signature}/", "/mail/off/nothing/"):
        assert Client().post(forged).status_code == 404
    assert User.objects.get(username="bob").wants_digest


def test_mails_are_switched_on_the_account_page(make: Factory) -> None:
    client = signed_in(make, "alice")
    page = markup(client.get("/account/"))
    assert page.count("checked") == 3 and "A weekly digest of my campaigns" in page
    client.post("/account/mail/", {"wants_digest": "on"})
    alice = User.objects.get(username="alice")
    assert (alice.wants_digest, alice.wants_reminders, alice.wants_release_mail) == (True, False, False)
