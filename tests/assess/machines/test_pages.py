"""The pages of prompts and labellings: an organiser's walk, escaped texts, and refusals in words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.machines.model_families import runs_of_family
from assess.machines.prompt import SHORT
from assess.machines.services.prompts import PromptDetails, create_prompt
from assess.models import Probe
from assess.services.gold import load_gold
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

HOME = "/campaigns/tiny/judging/machines/"
ATTACK = "<script>__xss=1</script> {scale}"
PROMPT = {"template": SHORT, "topic_fields": ["title", "narrative"]}
LABELLING = {
    "name": "judge", "prompt": "1", "model": "carol-7b", "topics": "all", "temperature": "0",
    "max_tokens": "50", "tokens_name": "max_tokens", "samples": "1", "characters": "1000", "probes": "0",
    "input_price": "2.5", "output_price": "10",
}  # fmt: skip


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    for docno in ("D1", "D2", "D3"):
        make.make_document(campaign, docno, f"{docno} {ATTACK}")
    campaign.runs.update(description="Reranked by Carol.")
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


def body_of(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def test_from_a_prompt_to_labels(campaign: Campaign, carol: Client) -> None:
    shown = markup(carol.post(f"{HOME}prompts/", PROMPT, follow=True))
    assert "Prompt 1 is stored." in shown and campaign.prompts.get().sha256 in shown
    assert "&lt;script&gt;__xss=1&lt;/script&gt; {scale}" in shown
    asked = markup(carol.post(f"{HOME}labellings/", LABELLING))
    assert "Create 4 requests" in asked and "at most" in asked and "in common with" in asked
    assert not campaign.labellings.exists()
    page = markup(carol.post(f"{HOME}labellings/", LABELLING | {"confirmed": "yes"}, follow=True))
    assert "Labelling 1: judge" in page and "4 requests" in page
    file = carol.get(f"{HOME}labellings/1/batch/1/")
    assert file["Content-Disposition"] == 'attachment; filename="tiny-labelling-1-part-1.jsonl"'
    lines = [json.loads(line) for line in body_of(file).splitlines()]
    replies = ['{"grade": 2}', '{"grade": 0}', f"I think {ATTACK}", "3"]
    results = b"".join(
        json.dumps({
            "custom_id": line["custom_id"],
            "response": {"status_code": 200, "body": {"choices": [{"message": {"content": reply}}]}},
        }).encode() + b"\n"
        for line, reply in zip(lines, replies, strict=True)
    )  # fmt: skip
    sent = {"file": SimpleUploadedFile("results.jsonl", results)}
    page = markup(carol.post(f"{HOME}labellings/1/", sent, follow=True))
    assert "4 answers stored, 1 without a readable grade." in page and "1 request without a grade" in page
    assert "I think &lt;script&gt;__xss=1&lt;/script&gt;" in page
    assert "Store 3 labels" in markup(carol.post(f"{HOME}labellings/1/labels/"))
    done = carol.post(f"{HOME}labellings/1/labels/", {"confirmed": "yes"}, follow=True)
    assert "3 labels of judge (carol-7b) stored." in markup(done)
    assert "of this labelling are stored already" in markup(
        carol.post(f"{HOME}labellings/1/labels/", {"confirmed": "yes"}, follow=True)
    )
    assert carol.get(f"{HOME}labellings/").status_code == 200
    assert campaign.audit_log.filter(verb="stored machine labels").count() == 1


def test_a_prompt_is_chosen_by_its_number_not_by_its_key(
    campaign: Campaign, carol: Client, make: Factory
) -> None:
    other, user = make.make_campaign("other"), make.make_user("carol")
    for system in ("Be fair.", "Be strict."):  # so that keys and numbers differ
        create_prompt(other, user, PromptDetails(SHORT, system))
    carol.post(f"{HOME}prompts/", PROMPT)
    prompt = campaign.prompts.get()
    assert prompt.pk != prompt.number == 1
    assert '<option value="1">' in markup(carol.get(f"{HOME}labellings/"))
    assert "Create 4 requests" in markup(carol.post(f"{HOME}labellings/", LABELLING))


def test_refusals_are_on_the_page(campaign: Campaign, carol: Client) -> None:
    unknown = PROMPT | {"template": SHORT + "{query}"}
    assert "{query} is not a placeholder" in markup(carol.post(f"{HOME}prompts/", unknown))
    carol.post(f"{HOME}prompts/", PROMPT)
    assert "is in no pool of the topic" in markup(
        carol.get(f"{HOME}prompts/1/", {"topic": "1", "docno": "D9"})
    )
    carol.post(f"{HOME}labellings/", LABELLING | {"confirmed": "yes"})
    assert "The name judge is in use" in markup(carol.post(f"{HOME}labellings/", LABELLING))
    wrong = {"file": SimpleUploadedFile("results.jsonl", b"\nno JSON\n")}
    page = markup(carol.post(f"{HOME}labellings/1/", wrong))
    assert "results.jsonl was refused" in page and "Line 2: expected a JSON object" in page
    none = markup(carol.post(f"{HOME}labellings/1/labels/", {"confirmed": "yes"}, follow=True))
    assert "No request has a readable grade yet" in none
    assert carol.get(f"{HOME}labellings/1/batch/2/").status_code == 404


def test_training_documents_are_offered_as_examples(campaign: Campaign, carol: Client, make: Factory) -> None:
    load_gold(campaign, make.make_user("carol"), Probe.Kind.TRAINING, b"2 D1 3\n")
    page = markup(carol.get(f"{HOME}prompts/?template=short"))
    assert "D1 of topic 2, grade 3" in page and "Reply with a JSON object" in page
    sent = PROMPT | {"examples": [Probe.objects.get().pk]}
    assert "D1 of topic 2, grade 3" in markup(carol.post(f"{HOME}prompts/", sent, follow=True))
    assert campaign.prompts.get().examples == [["2", "D1", 3]]


def test_a_word_of_the_model_in_a_run_is_a_warning() -> None:
    runs = [("gpt-rerank", ""), ("bm25", "A large baseline."), ("dense", "By GPT."), ("aegpt", "")]
    assert runs_of_family("gpt-4o-large", runs) == ["gpt-rerank", "dense"]
    assert runs_of_family("7b-instruct", runs) == []
