"""From a prompt to the labels of a machine judge, over batch files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from accounts.models import User
from assess.machines import batch
from assess.machines.prompt import SHORT, STEPS, BadPrompt
from assess.machines.queries import requests as machine_requests
from assess.machines.queries.labellings import estimate, machine_grades, probe_effects
from assess.machines.queries.requests import Outdated, batch_lines, batch_parts, body_of, counts
from assess.machines.services.labellings import LabellingDetails, create_labelling
from assess.machines.services.prompts import MachineRefused, PromptDetails, create_prompt
from assess.machines.services.requests import (
    ServerAnswer,
    store_answer,
    store_failure,
    store_machine_labels,
)
from assess.machines.services.results import LoadedResults, load_results
from assess.models import (
    AuditedDocument,
    MachineAudit,
    MachineLabelling,
    MachinePrompt,
    MachineRequest,
    Probe,
)
from assess.queries.campaign_reads import CampaignReads
from assess.queries.labels import label_counts
from assess.services.gold import load_gold
from pooling.formats.files import BadLine
from pooling.models import Campaign, Document
from pooling.scale import THREE_STEPS
from tests.support.factory import Factory


def build_campaign(make: Factory) -> Campaign:
    """Three documents of topic 1, one of topic 2; D3 has no text."""
    campaign = make.make_pooled_campaign()
    for docno, text in {"D1": "Wind. {topic}", "D2": "Bread.", "D3": ""}.items():
        make.make_document(campaign, docno, text)
    return campaign


@pytest.fixture
def carol(make: Factory) -> User:
    return make.make_user("carol")


@pytest.fixture
def prompt(campaign: Campaign, carol: User) -> MachinePrompt:
    return create_prompt(campaign, carol, PromptDetails(STEPS))


def start(prompt: MachinePrompt, name: str = "judge", samples: int = 1, **scope: Any) -> MachineLabelling:
    options = {"temperature": 0, "max_tokens": 100, "samples": samples, "characters": 6, "seed": 1}
    details = LabellingDetails(prompt, name, "m-1", options, scope, Decimal(1), Decimal(2))
    return create_labelling(prompt.campaign, prompt.created_by, details)


def lines_of(labelling: MachineLabelling) -> list[dict[str, Any]]:
    return [
        json.loads(line) for part in batch_parts(labelling) for line in batch_lines(labelling, part.number)
    ]


def results_of(lines: Sequence[dict[str, Any]], replies: Sequence[str]) -> bytes:
    """A result file in reverse order; a reply of "!" is an error."""
    results = []
    for line, reply in zip(lines, replies, strict=True):
        choice = {"message": {"content": reply}, "finish_reason": "stop"}
        body = {"choices": [choice], "model": "m-1b", "usage": {"prompt_tokens": 50, "completion_tokens": 5}}
        result = {
            "custom_id": line["custom_id"],
            "response": {"status_code": 200, "body": body},
            "error": None,
        }
        if reply == "!":
            result |= {"response": None, "error": {"message": "Expired."}}
        results.append(json.dumps(result) + "\n")
    return "".join(reversed(results)).encode()


def answer(labelling: MachineLabelling, *replies: str) -> LoadedResults:
    content = results_of(lines_of(labelling), replies)
    return load_results(labelling, labelling.created_by, content, "results.jsonl")


def test_a_batch_file_goes_out_and_its_results_become_labels(prompt: MachinePrompt, carol: User) -> None:
    campaign = prompt.campaign
    before = estimate(campaign, prompt, {"samples": 1, "max_tokens": 100}, {}, (Decimal(1), Decimal(2)))
    assert (before.documents, before.without_text, before.requests, before.output_tokens) == (3, 1, 3, 300)
    labelling = start(prompt)
    lines = lines_of(labelling)
    assert [line["body"]["model"] for line in lines] == ["m-1"] * 3
    asked = [line["body"]["messages"][-1]["content"] for line in lines]
    assert "Passage:\nWind. \n" in asked[0] and "{topic}" not in asked[0]  # cut at the sixth character
    assert abs(before.input_tokens - sum(map(len, asked)) / 4) < 0.15 * before.input_tokens
    content = results_of(lines, ["##final score: 3", "Relevant, I think.", "!"])
    assert load_results(labelling, carol, content, "r.jsonl") == LoadedResults(2, 1, 1, 0)
    assert load_results(labelling, carol, content, "r.jsonl") == LoadedResults(0, 0, 1, 2)
    assert answer(labelling, "1") == LoadedResults(1, 0, 0, 0)  # the failed one is asked again
    found = counts(labelling)
    assert (found.answered, found.unreadable, found.failed, found.cut) == (3, 1, 0, 2)
    assert (found.input_tokens, found.output_tokens, found.cost) == (150, 15, Decimal("0.00018"))
    machine = store_machine_labels(labelling, carol)
    assert (machine.kind, machine.prompt_sha256, machine.left_out) == ("model", prompt.sha256, 1)
    labels = machine.user.judgments.values_list("pooled__topic__number", "pooled__docno", "relevance")
    assert sorted(labels) == [("1", "D1", 3), ("2", "D1", 1)]
    assert label_counts(CampaignReads(campaign)).labels == 0  # a machine's labels are no people's
    for again in (
        lambda: store_machine_labels(labelling, carol),
        lambda: load_results(labelling, carol, content, ""),
    ):
        with pytest.raises(MachineRefused, match="are stored"):
            again()


def test_an_answer_is_never_asked_for_twice(prompt: MachinePrompt) -> None:
    answer(start(prompt), "3", "0", "no idea")
    again = start(prompt, "second")
    assert counts(again)[:4] == (3, 0, 0, 3)
    assert (counts(again).reused, counts(again).input_tokens, batch_parts(again)) == (3, 0, [])
    assert machine_grades(again).grades == {("1", "D1"): 3, ("1", "D2"): 0}
    twice = start(prompt, "third", samples=2)
    assert (counts(twice).answered, counts(twice).waiting) == (3, 3)


def test_equal_requests_are_sent_once(prompt: MachinePrompt, make: Factory) -> None:
    Document.objects.filter(docno="D3").update(text="Bread.", text_hash="a" * 64)
    labelling = start(prompt, topics=["1"])
    assert counts(labelling).requests == 3 and len(lines_of(labelling)) == 2
    assert answer(labelling, "2", "1") == LoadedResults(3, 0, 0, 0)
    assert machine_grades(labelling).grades["1", "D3"] == 1
    assert (counts(labelling).reused, counts(labelling).input_tokens) == (1, 100)


def test_the_mode_of_samples_is_the_label_and_a_tie_is_none(prompt: MachinePrompt) -> None:
    labelling = start(prompt, samples=3)
    assert [line["body"]["seed"] for line in lines_of(labelling)][:3] == [1, 2, 3]
    answer(labelling, "3", "1", "3", "0", "2", "?", "?", "?", "!")
    found = machine_grades(labelling)
    assert (found.grades, found.ties, found.missing) == ({("1", "D1"): 3}, 1, 1)


def test_probes_measure_planted_texts_and_give_no_labels(prompt: MachinePrompt, make: Factory) -> None:
    campaign = prompt.campaign
    make.make_judgment(campaign, "alice", "1", "D2", 0)
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    labelling = start(prompt, topics=["1"], unlabelled=False, probes=5)
    texts = [line["body"]["messages"][-1]["content"] for line in lines_of(labelling)]
    assert len(texts) == 5  # D1, D2, and D2 three times more
    assert "first things\n\nBread.\n\nfirst things" in texts[3] and "its grade is 3." in texts[4]
    answer(labelling, "3", "0", "0", "2", "3")
    words, order = probe_effects(labelling)
    assert (words.documents, words.unchanged, words.planted, words.rise, words.raised) == (1, 0, 2, 2, 1)
    assert (order.probe, order.rise) == ("order", 3)
    assert machine_grades(labelling).grades == {("1", "D1"): 3, ("1", "D2"): 0}


def test_parts_keep_their_requests(prompt: MachinePrompt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_requests, "MOST_LINES", 2)
    labelling = start(prompt)
    assert batch_parts(labelling) == [(1, 2), (2, 1)]
    first = [json.loads(line) for line in batch_lines(labelling, 1)]
    load_results(labelling, labelling.created_by, results_of(first, ["1", "2"]), "")
    assert batch_parts(labelling) == [(2, 1)]
    assert batch.MOST_LINES == 50_000


def test_requests_of_a_text_that_was_changed_are_not_sent(prompt: MachinePrompt) -> None:
    labelling = start(prompt)
    Document.objects.filter(docno="D2").update(text="Cake.")
    assert len(lines_of(labelling)) == 2
    request = labelling.requests.get(pooled__docno="D2")
    with pytest.raises(Outdated, match="The text of D2"):
        body_of(request)
    assert body_of(labelling.requests.first())["model"] == "m-1"  # type: ignore[arg-type]


def test_a_file_with_a_bad_line_stores_nothing(prompt: MachinePrompt, carol: User) -> None:
    labelling = start(prompt)
    lines = lines_of(labelling)
    strange = lines[0] | {"custom_id": "0" * 64}
    for content in (results_of([*lines, strange], "0123"), results_of(lines, "012") + b"{}\n"):
        with pytest.raises(BadLine):
            load_results(labelling, carol, content, "r.jsonl")
    assert counts(labelling).waiting == 3


def test_answers_one_by_one(prompt: MachinePrompt) -> None:
    labelling = start(prompt)
    first, second, _ = labelling.requests.all()
    assert store_answer(first, ServerAnswer("##final score: 2", "stop", "m-1b", 9, 1, 0.5))
    assert not store_answer(first, ServerAnswer("0"))
    store_failure(first, "Too late.")
    store_failure(second, "Time-out.", attempts=3)
    first, second = (MachineRequest.objects.get(pk=each.pk) for each in (first, second))
    assert (first.state, first.relevance, first.seconds, first.problem) == ("answered", 2, 0.5, "")
    assert (second.state, second.problem, second.attempts) == ("failed", "Time-out.", 3)


def test_a_prompt_is_a_version_with_its_examples(campaign: Campaign, carol: User) -> None:
    load_gold(campaign, carol, Probe.Kind.TRAINING, b"2 D1 3\n")
    load_gold(campaign, carol, Probe.Kind.GOLD, b"1 D1 3\n")
    training, gold = Probe.objects.order_by("-kind")
    first = create_prompt(campaign, carol, PromptDetails(SHORT))
    second = create_prompt(campaign, carol, PromptDetails(SHORT, examples=[training.pk]))
    assert (first.number, second.number, second.examples) == (1, 2, [["2", "D1", 3]])
    assert "Wind. {topic}" in str(second.content["user"]) and first.sha256 != second.sha256
    for examples, why in (([gold.pk], "must be training documents"), ([0], "must be training documents")):
        with pytest.raises(MachineRefused, match=why):
            create_prompt(campaign, carol, PromptDetails(SHORT, examples=examples))
    with pytest.raises(MachineRefused, match="the same as prompt 1"):
        create_prompt(campaign, carol, PromptDetails(SHORT))
    with pytest.raises(BadPrompt):
        create_prompt(campaign, carol, PromptDetails("no places"))


def test_an_example_is_never_a_document_of_an_audit(campaign: Campaign, carol: User, make: Factory) -> None:
    load_gold(campaign, carol, Probe.Kind.TRAINING, b"2 D1 3\n")
    machine = make.make_machine(campaign, "1 0 D1 3\n")
    audit = MachineAudit.objects.create(
        campaign=campaign, machine=machine, number=1, design={}, created_by=carol
    )
    probe = Probe.objects.get()
    AuditedDocument.objects.create(
        audit=audit, pooled=probe.pooled, stratum=0, machine_grade=1, probability=1
    )
    with pytest.raises(MachineRefused, match="D1 of topic 2 is in the sample of an audit"):
        create_prompt(campaign, carol, PromptDetails(SHORT, examples=[probe.pk]))


def test_labellings_that_cannot_be_created(prompt: MachinePrompt, carol: User) -> None:
    start(prompt)
    with pytest.raises(MachineRefused, match="The name judge is in use"):
        start(prompt)
    with pytest.raises(MachineRefused, match="no document to label"):
        start(prompt, "other", topics=["9"])
    Campaign.objects.update(scale=[grade._asdict() for grade in THREE_STEPS])
    prompt.campaign.refresh_from_db()
    with pytest.raises(MachineRefused, match="Prompt 1 asks for grades"):
        start(prompt, "other")
