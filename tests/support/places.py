"""Every place of the site, as the URL configuration tells."""

from __future__ import annotations

from collections.abc import Iterator

from django.contrib.contenttypes.models import ContentType
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from accounts.mail import MailKind, switch_off_link
from accounts.services import create_token
from assess.models import Assignment
from metrics.battles.services import release_battles
from pooling.models import Campaign, Role
from pooling.services.first_organiser import create_link
from pooling.services.people import invite
from tests.support.factory import Factory

TAGS = {"api:answer_list": "answers", "api:answer_run_withdraw": "answers", "api:judge_run_withdraw": "gpt"}


def every_url(patterns: list[URLPattern | URLResolver], space: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield (name, the parts that its URL asks for)."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from every_url(pattern.url_patterns, pattern.namespace or space)
        else:
            yield f"{space}:{pattern.name}", list(pattern.pattern.regex.groupindex)


URLS = dict(every_url(get_resolver().url_patterns))


def token_of(name: str, campaign: Campaign, make: Factory) -> str:
    """Return the token of a link: at the end of a mail, for the first account, or else of an invitation."""
    if name == "accounts:mail_off":
        return switch_off_link(make.make_user("alice"), MailKind.DIGEST, "").split("/")[-2]
    if name == "pooling:first_organiser":
        return create_link("").split("/")[-2]
    return invite(campaign, Role.READER)


def place(name: str, campaign: Campaign, make: Factory) -> str:
    """Return the URL of a name, for things that the campaign holds."""
    key, number = 0, "2" if name == "api:label_record" else "1"
    if name in ("assess:member_change", "assess:member_remove"):
        key = make.make_user("rita").pk
    if name.endswith((":invitation_revoke", ":invitation_renew")):
        invite(campaign, Role.READER)
        key = campaign.invitations.latest("pk").pk
    if name in ("assess:judgment_card", "assess:document_part"):
        key = make.entry(campaign, "alice", "2", "D1").pk
    if name in ("assess:judge_labels", "assess:judge_replace"):
        key = make.make_user("alice").pk
    if name in (
        "assess:settle",
        "assess:reopen",
        "assess:ask_again",
        "assess:dispute_part",
        "assess:case_notes",
    ) or name.startswith(("api:dispute", "api:label_return")):
        key = make.pooled(campaign, "1", "D1").pk
    if name in ("assess:webhook_test", "assess:webhook_remove"):
        key = campaign.webhooks.get_or_create(url="http://127.0.0.1:9/", created_by=make.make_user("carol"))[
            0
        ].pk
    if name.startswith("assess:near_") and "pk" in URLS[name] or name == "assess:near_duplicates_tsv":
        key = make.make_near_duplicates(campaign).classes.get().pk
    if name in ("api:near_duplicates", "api:near_duplicate_classes", "api:near_duplicate_split"):
        key = make.make_near_duplicates(campaign).classes.get().pk
    if name.startswith("assess:near_cop"):
        key = make.entry(campaign, "alice", "1", "D1").pk
    if name in ("api:assignment_end", "api:assignment_move"):
        key = Assignment.objects.get(judge__username="alice", topic__campaign=campaign, topic__number="2").pk
    if name in ("pooling:job", "pooling:job_cancel", "api:job"):
        key = make.make_job(campaign).pk
    if name == "accounts:token_revoke":
        create_token(make.make_user("carol"), "test")
        key = make.make_user("carol").api_tokens.first().pk  # type: ignore[union-attr]
    thing = campaign if "campaign" in name else make.make_user("carol")
    text = "nDCG" if name == "metrics:measure" else ""
    if name == "accounts:session_end":
        Client().force_login(make.make_user("carol"))
        text = make.make_user("carol").sessions.latest("last_seen_at").name
    if name.split(":")[1].startswith("panel"):
        key = make.make_panel(campaign).pk
    if ":battle" in name and len(URLS[name]) > 1:
        battles = make.make_battles(campaign)
        mine = battles.battles.filter(judge__username="alice")[0]
        if "battle_release" in name and not battles.releases.exists():
            make.make_battle_vote(mine, "left")
            release_battles(battles, make.make_user("carol"))
        key = mine.pk
    if ":battle_program" in name and len(URLS[name]) > 1:
        key = make.make_battle_program(campaign).loads.get().pk
    if ":preference" in name and len(URLS[name]) > 1:
        key = make.make_preferences(campaign).tasks.get().pairs.all()[0].pk
    if ":grading" in name and len(URLS[name]) > 1:
        key = make.make_grading(campaign).tasks.filter(judge__username="alice")[0].pk
    if "pyramid_draft" in name and "pk" in URLS[name]:
        key = make.make_pyramid_draft(campaign).pk
    if ":pyramid" in name and "number" in URLS[name]:
        key = make.make_pyramid(campaign).peers.all()[0].pk
    if "nugget" in name and len(URLS[name]) > 1:
        bank = make.make_nugget_bank(campaign)
        number = f"{bank.number}"
        if name == "api:nugget_bank_download":
            number = f"{make.make_bank(campaign).number}"
        key = bank.nuggets.all()[0].pk
        if "nugget_load" in name:
            key = make.make_nugget_load(campaign).pk
        if name == "assess:own_nugget_delete":
            key = make.make_nugget(bank, "alice", "Ships are light").pk
        if name == "assess:own_nugget_mark_delete":
            key = make.make_answer_mark(make.make_nugget(bank, "alice", "Ships float")).pk
    if name == "assess:snippet_setup":
        make.make_snippets(campaign)  # which gives the results of the run a text
    if ":snippet_remove" in name or ":snippet_runs" in name:
        make.make_run_snippets(campaign)
    if ":snippet" in name and len(URLS[name]) > 1 and "tag" not in URLS[name]:
        key = make.make_snippets(campaign).tasks.filter(judge__username="alice")[0].pk
    if ":magnitude" in name and len(URLS[name]) > 1:
        key = make.make_magnitudes(campaign).tasks.filter(judge__username="alice")[0].pk
    if ":support" in name and len(URLS[name]) > 1:
        key = make.make_support(campaign).tasks.filter(judge__username="alice")[0].pk
    if name == "assess:collection_of_stored" and not campaign.documents.exists():
        make.make_document(campaign, "D1")
    if name in ("assess:collection_remove", "api:review_collection_remove"):
        make.make_collection(campaign)
    elif name.startswith(("assess:review", "api:review")) and "number" in URLS[name]:
        make.make_review(campaign)
    if ":matching" in name and len(URLS[name]) > 1:
        key = make.make_matching(campaign).tasks.filter(judge__username="alice")[0].pk
    if ":argue" in name:
        make.make_matching(campaign)
        make.make_support(campaign)
    if ":matching_program" in name and len(URLS[name]) > 1:
        key = make.make_matching_program(campaign).loads.get().pk
    if name in ("assess:judge_run_file", "assess:judge_run_withdraw", "api:judge_run_withdraw"):
        key = make.make_judge_run(campaign).pk
    if URLS[name] and "answer" in name or "cited" in name:
        key = make.make_answer_run(campaign).pk
    if ":answer_release" in name and "pk" in URLS[name]:
        key = make.make_answer_release(campaign).pk
    if ":system_quality" in name:
        make.make_system_figures(campaign)
    if "interleaving" in name and not campaign.interleavings.exists():
        make.make_panel(campaign)
        make.make_interleaving(campaign, "zebra-left", "zebra-right")
    if ":ab_test" in name and len(URLS[name]) > 1:
        key = make.make_ab_test(campaign).files.all()[0].pk
    if "interleaving_clicks" in name:
        key = make.make_clicks(campaign).pk
    if name.startswith(("assess:prompt", "assess:labelling", "assess:requests", "api:labelling")):
        make.make_labelling(campaign)
    if "machine_audit" in name and "number" in URLS[name]:
        make.make_audit(campaign)
    if ":click_" in name and "number" in URLS[name] and not campaign.click_logs.exists():
        make.make_click_log(campaign)
    if name.startswith(("assess:source", "api:source")) and "pk" in URLS[name]:
        machine = campaign.sources.programs().first()
        key = (machine or make.make_machine(campaign, "1 0 D1 3\n1 0 D3 0\n")).pk
    if name.endswith("_handover"):
        key = make.make_user("alice").pk
    checksum = ""
    if "sha256" in URLS[name]:
        folder = "documents" if "panel" in name else "documents/D1"
        docnos = ("P1", "P2") if "panel" in name else ("1", "2")
        checksum = make.make_image(campaign, *(f"{folder}/{each}.png" for each in docnos)).sha256
    parts = {
        "slug": campaign.slug,
        "tag": TAGS.get(name, "run"),
        "username": "rita",
        "rule": "lower",
        "pk": key or make.pooled(campaign, "2", "D1").pk,
        "number": number,
        "uid": 1,
        "part": 1 if "labelling_batch" in name else 0,
        "kind": "provenance",
        "state": "failed" if name == "assess:requests_again" else "public",
        "form": "csv",
        "rest": "nothing",
        "side": "left",
        "rank": 1,
        "place": 1,
        "citation": 1,
        "version": 1,
        "sha256": checksum,
        "topic": "1",
        "token": token_of(name, campaign, make) if "token" in URLS[name] else "",
        "uidb64": "MQ",
        "name": text,
        "id": thing.pk,
        "object_id": thing.pk,
        "app_label": "accounts",
        "content_type_id": ContentType.objects.get_for_model(thing).pk,
    }
    return reverse(name, kwargs={part: parts[part] for part in URLS[name]})
