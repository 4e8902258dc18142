"""Where everything in the campaign of `track` is that answers a GET. Run inside `manage.py shell`."""

from __future__ import annotations

import json

from django.urls import reverse

from accounts.models import User
from assess.adjudication import DisputeFilter
from assess.models import Panel, QueueEntry, Source
from assess.queries.adjudication import dispute_queue
from metrics.models import InterleavingClicks
from pooling.models import Campaign, Job, Role
from pooling.services.people import invite
from tests.support.places import URLS

TAGS = ("run000", "run001", "run002")
QUERIES = {  # what a page's own links ask of parts that are empty without
    "metrics:compare": "?" + "&".join(f"runs={tag}" for tag in TAGS),
    "metrics:other_tests": "?" + "&".join(f"runs={tag}" for tag in TAGS),
    "pooling:pool_draft": "?strategy=depth&k=100&seconds=30",
    "metrics:swap_draws": "?draws=1000",
}
ELSEWHERE = (
    "admin:", "accounts:", "api:openapi", "api:unknown-address", "api:api-root",
    "assess:nugget", "assess:own_nugget",  # nobody wrote nuggets there
    "assess:near_duplicate_", "assess:near_duplicates_",  # nobody made classes there
    "assess:preference", "metrics:preference",  # nor preferences
    "assess:snippet", "metrics:snippet",  # nor snippets
    "assess:magnitude", "metrics:magnitude",  # nor magnitudes
    "assess:grading", "metrics:grading",  # nor gradings
    "assess:matching", "metrics:matching", "metrics:answer_release",  # nor matchings
    "assess:support", "metrics:support",  # nor sets of citations
    "assess:battle_program", "metrics:battle_program",  # nor programs
    "metrics:battle_release_file",  # nor releases of votes
    "metrics:argue",  # nor labels of sentences
    "assess:pyramid", "metrics:pyramid",  # nor pyramids
    "metrics:ab_test",  # nor A/B tests
    "assess:review", "assess:collection_load",  # nor reviews
)  # fmt: skip


def addresses() -> dict[str, str]:
    """Return name -> address; of what one judge alone may see, the first judge's."""
    campaign = Campaign.objects.get()
    judge, ada = User.objects.get(username="judge00"), User.objects.get(username="ada")
    entries = QueueEntry.objects.filter(judge=judge, state=QueueEntry.State.OPEN)
    entry = entries.order_by("topic__place", "place").select_related("pooled", "topic")[0]
    disputed = dispute_queue(campaign, ada, DisputeFilter())[0]
    panel, job = Panel.objects.get().pk, Job.objects.latest("pk").pk
    battle = campaign.battle_sets.get().battles.filter(judge=judge)[0].pk
    keys = {
        "assess:judgment_card": entry.pk,
        "assess:document_part": entry.pk,
        "assess:near_copies": entry.pk,
        "assess:judge_labels": judge.pk,
        "assess:judge_replace": judge.pk,
        "assess:battle_handover": judge.pk,
        "assess:agreement_document": disputed,
        "assess:dispute_part": disputed,
        "assess:case_notes": disputed,
        "api:dispute": disputed,
        "pooling:job": job,
        "assess:answer_run": campaign.answer_runs.get(tag="answers").pk,
        "assess:answer_run_file": campaign.answer_runs.get(tag="answers").pk,
        "assess:answer_run_receipt": campaign.answer_runs.get(tag="answers").pk,
        "assess:answer": campaign.answer_runs.get(tag="answers").pk,
        "assess:cited_passage": campaign.answer_runs.get(tag="answers").pk,
        "assess:battle": battle,
        "assess:battle_source": battle,
        "assess:judge_run_file": campaign.judge_runs.get().pk,
        "assess:source": campaign.sources.exclude(kind=Source.Kind.PERSON)[0].pk,
        "metrics:interleaving_clicks": InterleavingClicks.objects.get().pk,
    }
    parts = {
        "slug": campaign.slug,
        "tag": TAGS[0],
        "number": "1",
        "part": 0,
        "state": "shared",
        "sha256": campaign.images.values_list("sha256", flat=True)[0],
        "kind": "provenance",
        "form": "csv",
        "side": "left",
        "rank": 1,
        "place": 1,
        "citation": 1,
        "topic": entry.topic.number,
        "token": invite(campaign, Role.READER),
        "name": "nDCG",
    }
    of_topics = (
        "pooling:topic",
        "assess:judge",
        "assess:topic_note",
        "assess:own_examples",
        "assess:recent_labels",
        "assess:panel_topic",
        "api:topic",
    )
    found = {}
    for name, asked in URLS.items():
        if name.startswith(ELSEWHERE) or not set(asked) <= {*parts, "pk"}:
            continue
        here = parts | {"pk": panel if "panel" in name else keys.get(name, 0)}
        if name in (
            *of_topics,
            "assess:judge_labels",
            "assess:topic_judges",
            "assess:panel_document",
            "assess:panel_image",
        ):
            here["number"] = entry.topic.number
        if name == "api:answer_list":
            here["tag"] = "answers"
        if "labelling_batch" in name:
            here["part"] = 1
        found[name] = reverse(name, kwargs={part: here[part] for part in asked}) + QUERIES.get(name, "")
    return found


def dump() -> None:
    print(json.dumps(addresses()))
