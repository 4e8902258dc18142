"""A release of reviewed topics says what was promised, what recall is, and why each document was judged."""

from __future__ import annotations

import json
from typing import Any

from django.core.management import call_command
from django.test import Client

from assess.active_learning.queries.releases import review_statement
from assess.active_learning.queries.reviews import progress_of
from assess.active_learning.recall import SampleEstimate, recall_in_sample
from assess.active_learning.services.batches import freeze_batches
from assess.active_learning.services.reviews import stop_review
from assess.active_learning.services.searches import add_found_documents
from assess.active_learning.statements import ReviewFacts, review_sentence
from assess.forms.releases import default_form_values
from assess.models import QrelsRelease, Review
from assess.queries.campaign_reads import CampaignReads
from assess.release.public_manifest import public_manifest
from assess.services.assignments import assign
from assess.services.queues import next_documents
from assess.services.releases import release_qrels
from pooling.models import Campaign
from tests.support.factory import Factory
from tests.support.markup import markup

TEXTS = {f"D{row:02}": f"sail and mast number{row}" for row in range(16)} | {
    f"D{row:02}": f"flour and oven number{row}" for row in range(16, 20)
}


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    make.make_topic(campaign, "1", "sail and mast")
    make.make_topic(campaign, "2", "another topic")
    make.make_collection(campaign, TEXTS)
    return campaign


def label_all(campaign: Campaign, make: Factory) -> None:
    for entry in next_documents(make.make_user("alice"), campaign.topics.get(number="1"), want=50):
        docno = entry.pooled.docno
        make.make_judgment(campaign, "alice", "1", docno, 3 if docno < "D16" else 0)


def provenance(release: QrelsRelease, kind: str = "provenance") -> list[dict[str, Any]]:
    with release.files.get(kind=kind).file.open("rb") as file:
        return [json.loads(line) for line in file]


def test_the_promise_the_recall_and_the_reasons_are_in_the_release(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=14, sample_size=19)
    review.campaign = campaign
    known = set(review.documents.values_list("row", flat=True))
    (free,) = sorted(set(range(16)) - known)[:1] or [15]
    add_found_documents(review, make.make_user("alice"), [free], "mast")
    for _ in range(2):
        label_all(campaign, make)
        freeze_batches(campaign, {review.pk: Review.objects.get().rounds + 1}, make.make_user("carol"))
    label_all(campaign, make)
    review = Review.objects.select_related("topic", "collection", "campaign").get()
    carol = make.make_user("carol")
    stop_review(review, carol, "qbcb", 0.8)
    client = Client()
    client.force_login(carol)
    draft = markup(client.get("/campaigns/tiny/qrels/"))
    values = default_form_values(CampaignReads(campaign)) | {"after": 0}
    asked = markup(client.post("/campaigns/tiny/qrels/", values))
    release = release_qrels(campaign, carol)
    (statement,) = release.manifest["selection"]
    assert statement["topic"] == "1" and statement["rule"] == "QBCB 0.8"
    assert statement["promise"] == "recall at least 0.8 in 95 of 100 samples, however often one looks"
    assert statement["sample"] == {"size": 19, "judged": 19}
    sentence = statement["sentence"]
    assert sentence in draft and sentence in asked and "Freeze release of 20 judgments" in asked
    assert sentence.startswith("Topic 1: continuous active learning over 20 documents: 2 batches, 20 judged.")
    assert "Stopped by the rule QBCB 0.8 (promise: recall at least 0.8" in sentence
    recall = progress_of(review).recall.value
    assert f"Recall of what the model found: {recall:.3f}, of 20 documents, and each has a label." in sentence
    assert recall is not None
    assert statement["recall"] == {"value": round(recall, 4), "interval": "none: every document has a label"}
    lines = provenance(release)
    reasons = {line["docno"]: line["selection"] for line in lines}
    assert len(reasons) == 20
    assert {each["reason"] for each in reasons.values()} <= {"model", "sample", "search"}
    stored = {each.pooled.docno: each for each in review.documents.select_related("pooled")}
    assert all(
        each["round"] == (stored[docno].sample_round if each["reason"] == "sample" else stored[docno].round)
        for docno, each in reasons.items()
    )
    numbered = json.dumps(provenance(release, "provenance-numbered"))
    assert "alice" not in numbered and '"reason": "model"' in numbered
    assert "alice" not in json.dumps(public_manifest(release.manifest, {"alice": "judge 1"})["selection"])
    assert sentence in markup(client.get(f"/campaigns/tiny/qrels/{release.number}/"))
    call_command("audit", campaign.slug)


def test_the_recall_of_a_sample_comes_with_its_interval_and_its_counts() -> None:
    recall = recall_in_sample(13, 14)
    facts = ReviewFacts("7", 900, 9, 400, False, "", "", 300, 300, recall, 14, 13)
    assert review_sentence(facts).endswith(
        "Recall of what the model found: 0.929, 95 % interval 0.661 to 0.998, estimated from 300 random"
        " documents, of which 14 are relevant and 13 were found. The release has the other one as well."
    )
    estimated = facts._replace(relevant_known=41, relevant=SampleEstimate(43.6, 41.0, 58.0))
    assert review_sentence(estimated).endswith(
        "as well. 41 documents are labelled relevant, of 44 estimated (95 % interval 41 to 58)."
    )


def test_the_manifest_has_the_estimate_with_its_interval_while_documents_have_no_label(
    campaign: Campaign, make: Factory
) -> None:
    review = make.make_review(campaign, judges=["alice"], first_batch=8, sample_size=8)
    review.campaign = campaign
    label_all(campaign, make)
    progress, said = progress_of(review), review_statement(campaign, "1")["recall"]
    assert progress.unlabelled and progress.sample.relevant
    value, low, high, _ = progress.recall
    assert value is not None and low is not None and high is not None and low < value
    assert said == {
        "value": round(value, 4),
        "low": round(low, 4),
        "high": round(high, 4),
        "confidence": 0.95,
        "interval": "Clopper-Pearson",
    }
    statement, in_all = review_statement(campaign, "1"), progress.relevant
    assert statement["relevant_labelled"] == progress.relevant_known
    assert in_all.value is not None and statement["relevant"]["value"] == round(in_all.value, 4)


def test_a_review_that_goes_on_promises_nothing(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign, judges=["alice"], first_batch=3, sample_size=2)
    said = review_statement(campaign, "1")
    assert said["sentence"] == (
        "Topic 1: continuous active learning over 20 documents: 1 batch, 0 judged, 4 given to judges without"
        " a label. The review was going on: nothing is promised. Recall is not known: no relevant document in"
        " the sample (0 judged of 2 random documents)."
    )
    assert said["rule"] is said["promise"] is said["stopped_at"] is None
    assert said["recall"] == {"value": None, "why": "no relevant document in the sample"}


def test_a_review_that_was_stopped_without_a_rule_promises_nothing(campaign: Campaign, make: Factory) -> None:
    review = make.make_review(campaign, judges=["alice"], sample_size=0)
    review.campaign = campaign
    stop_review(review, make.make_user("carol"), "", None)
    said = review_statement(campaign, "1")["sentence"]
    assert said.endswith(
        "Stopped without a rule: nothing is promised. Recall is not known: there is no random sample."
    )


def test_releases_of_other_topics_say_nothing(campaign: Campaign, make: Factory) -> None:
    make.make_review(campaign)
    make.make_run(campaign, "2 D01 1\n")
    make.make_pool(campaign)
    assign([make.make_user("alice")], [campaign.topics.get(number="2")])
    make.make_judgment(campaign, "alice", "2", "D01", 1)
    release = release_qrels(campaign, make.make_user("carol"))
    assert "selection" not in release.manifest
    assert all("selection" not in line for line in provenance(release))
