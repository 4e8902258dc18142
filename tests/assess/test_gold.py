"""Training and gold: shown to judges, and in nothing that counts."""

from __future__ import annotations

import json
import re
from io import BytesIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import User
from assess.adjudication import DisputeFilter
from assess.models import JudgingPlan, Judgment, JudgmentEvent, LabelSummary, Probe, QueueEntry
from assess.queries.adjudication import dispute_queue
from assess.queries.agreement import agreement_scope
from assess.queries.campaign_reads import CampaignReads
from assess.queries.consistency import consistency
from assess.queries.judging import cards_of
from assess.queries.labels import judging_order, label_records
from assess.queries.progress import progress_grid
from assess.queries.release_draft import agreed_columns, release_preview
from assess.release.plan import ReleasePlan
from assess.services.assignments import assign, move_topic
from assess.services.gold import load_gold, withdraw_gold
from assess.services.imports import load_judgments
from assess.services.judging import SubmittedJudgment, record_judgment
from assess.services.queues import next_documents
from assess.services.releases import release_qrels
from metrics.queries.quality import pool_quality
from pooling.formats.files import BadFile
from pooling.models import Campaign, Topic
from tests.support.factory import Factory
from tests.support.markup import markup

URL = "/campaigns/tiny/judging/probes/"
GOLD_LINES = "1 LEARN 3 It answers all of it.\n1 GOLD 0\n1 D39 2\n"


def build_campaign(make: Factory) -> Campaign:
    """One topic of forty documents in a pool."""
    return make.make_forty()


@pytest.fixture
def topic(campaign: Campaign) -> Topic:
    return campaign.topics.get()


@pytest.fixture
def alice(make: Factory) -> User:
    return make.make_user("alice")


@pytest.fixture
def carol(make: Factory) -> User:
    return make.make_user("carol")


def load(campaign: Campaign, kind: str, lines: str) -> tuple[int, int, int]:
    return load_gold(campaign, User.objects.get(username="carol"), kind, lines.encode())


def label(entry: QueueEntry, relevance: int) -> JudgmentEvent:
    (card,) = cards_of([entry])
    return record_judgment(entry, SubmittedJudgment(uuid4(), card.docno, card.text_hash, relevance))


def label_all(judge: User, topic: Topic, relevance: int = 2) -> list[str]:
    order = []
    while entries := next_documents(judge, topic, 1):
        label(entries[0], relevance)
        order.append(entries[0].pooled.docno)
    return order


@pytest.mark.parametrize("part", ["primary", "shared", "second"])
def test_training_comes_first_and_gold_among_the_first_half(
    campaign: Campaign, topic: Topic, alice: User, part: str
) -> None:
    load(campaign, "training", "1 L1 3\n1 L2 0\n")
    load(campaign, "gold", "1 G1 0\n1 G2 3\n")
    assign([alice], [topic], part)
    order = label_all(alice, topic)
    assert set(order[:2]) == {"L1", "L2"}
    assert len(order) == len(set(order)) == 44
    assert all(3 <= order.index(docno) <= 24 for docno in ("G1", "G2"))


def test_every_judge_meets_gold_at_places_of_their_own(
    campaign: Campaign, topic: Topic, make: Factory
) -> None:
    load(campaign, "gold", "".join(f"1 G{n} 0\n" for n in range(4)))
    judges = [make.make_user("alice"), make.make_user("bob")]
    assign(judges, [topic])
    orders = [label_all(judge, topic) for judge in judges]
    first, second = ([order.index(f"G{n}") for n in range(4)] for order in orders)
    assert first != second


def test_gold_documents_loaded_later_reach_judges_at_work_and_not_those_who_finished(
    campaign: Campaign, topic: Topic, make: Factory, alice: User
) -> None:
    bob = make.make_user("bob")
    assign([alice, bob], [topic])
    label_all(bob, topic)
    prefetched = next_documents(alice, topic, 4)
    label(prefetched[0], 2)
    load(campaign, "training", "1 L1 3\n")
    load(campaign, "gold", "1 G1 0\n")
    assert next_documents(bob, topic, 4) == []
    order = label_all(alice, topic)
    assert order[0] == "L1" and order.index("G1") > 3


@pytest.mark.parametrize("part", ["primary", "shared"])
def test_gold_that_is_loaded_late_still_comes(
    campaign: Campaign, topic: Topic, alice: User, part: str
) -> None:
    assign([alice], [topic], part)
    for _ in range(22):
        label(next_documents(alice, topic, 1)[0], 2)
    load(campaign, "gold", "1 G1 0\n1 G2 0\n")
    order = label_all(alice, topic)
    assert len(order) == 20 and {"G1", "G2"} < set(order)


def test_labels_of_gold_documents_make_no_judgment_and_count_nowhere(
    campaign: Campaign, topic: Topic, alice: User, make: Factory
) -> None:
    bob, carol = make.make_user("bob"), make.make_user("carol")
    load(campaign, "training", GOLD_LINES)
    assign([alice, bob], [topic])
    label_all(alice, topic)
    label_all(bob, topic)
    assert Judgment.objects.count() == 2 * 39
    row = progress_grid(CampaignReads(campaign)).rows[0]
    assert (row.pooled, row.judged, row.left) == (39, 39, 0)
    assert [(cell.done, cell.left) for cell in row.cells if cell] == [(39, 0), (39, 0)]
    assert len(agreed_columns(CampaignReads(campaign), ReleasePlan()).grades) == 39
    assert release_preview(CampaignReads(campaign), ReleasePlan()).without == 0
    assert agreement_scope(CampaignReads(campaign)).matrix.labels.places.shape[1] == 39
    gold_documents = {"LEARN", "GOLD", "D39"}
    assert not gold_documents & {label.docno for label in label_records(campaign)}
    judged = CampaignReads(campaign).pooled.docno[judging_order(CampaignReads(campaign))]
    assert not gold_documents & {docno.decode() for docno in judged.tolist()}
    release = release_qrels(campaign, carol)
    assert (release.line_count, release.manifest["pooled_without_a_grade"]) == (39, 0)
    assert len(release.manifest["pools"]) == 1
    with release.file.open("rb") as file:
        assert not any(docno.encode() in file.read() for docno in gold_documents)
    quality = pool_quality(CampaignReads(campaign))
    assert quality and quality.runs[0].brought.pooled == 39
    client = Client()
    client.force_login(carol)
    assert b"39 documents" in client.get("/campaigns/tiny/").content
    assert (
        b'<td class="number">40</td>' in client.get("/campaigns/tiny/topics/").content
    )  # as the pool was frozen


def test_a_label_that_was_under_way_for_a_new_gold_document_does_not_count(
    campaign: Campaign, topic: Topic, alice: User, make: Factory
) -> None:
    assign([alice], [topic])
    entry = make.entry(campaign, "alice", "1", "D39")
    load(campaign, "gold", "1 D39 2\n")
    label(entry, 3)
    assert not len(agreed_columns(CampaignReads(campaign), ReleasePlan()).grades)


def test_gold_does_not_come_again_as_a_hidden_repeat(campaign: Campaign, topic: Topic, alice: User) -> None:
    JudgingPlan.objects.create(campaign=campaign, repeat_share=20, seed=1)
    load(campaign, "gold", "".join(f"1 G{n} 0\n" for n in range(9)))
    assign([alice], [topic])
    order = label_all(alice, topic)
    assert JudgmentEvent.objects.filter(kind="repeat").exists()
    assert all(order.count(f"G{n}") == 1 for n in range(9))


def test_loading_again_corrects_the_grade_and_gives_nothing_twice(
    campaign: Campaign, topic: Topic, alice: User
) -> None:
    assert tuple(load(campaign, "training", GOLD_LINES)) == (3, 2, 1)
    assign([alice], [topic])
    assert tuple(load(campaign, "training", "1 LEARN 1 Only a part.\n")) == (1, 0, 0)
    probe = Probe.objects.get(pooled__docno="LEARN")
    assert (probe.relevance, probe.why) == (1, "Only a part.")
    assert QueueEntry.objects.filter(pooled__docno="LEARN").count() == 1
    assert campaign.pools.count() == 2


def test_a_withdrawn_gold_document_reaches_no_judge_and_still_does_not_count(
    campaign: Campaign, topic: Topic, alice: User
) -> None:
    load(campaign, "training", GOLD_LINES)
    assign([alice], [topic])
    assert withdraw_gold(campaign, Probe.objects.all()) == 3
    assert withdraw_gold(campaign, Probe.objects.all()) == 0
    assert len(label_all(alice, topic)) == 39
    load(campaign, "training", "1 LEARN 1\n")
    assert not Probe.objects.get(pooled__docno="LEARN").withdrawn


@pytest.mark.parametrize("kind", Probe.Kind.values)
def test_loaded_judgments_of_a_gold_document_are_summarised_nowhere(
    campaign: Campaign, carol: User, kind: str
) -> None:
    load_gold(campaign, carol, kind, b"1 P1 2 It answers.\n")
    for name, grade in (("Expert", 3), ("Other", 0)):
        load_judgments(campaign, carol, f"1 0 P1 {grade}\n1 0 D01 2\n".encode(), "expert.qrels", name)
    assert set(LabelSummary.objects.values_list("pooled__docno", "graders")) == {("D01", 2)}
    assert not dispute_queue(campaign, carol, DisputeFilter())  # 3 and 0 are apart, and gold is not settled
    call_command("audit", campaign.slug)
    # as before, where a summary was stored: the repair empties it
    gold = Judgment.objects.filter(pooled__docno="P1")[0].pooled
    LabelSummary.objects.create(pooled=gold, campaign=campaign, graders=2, lowest=0, highest=3, distance=3)
    call_command("audit", campaign.slug, repair=True)
    assert LabelSummary.objects.get(pooled=gold).graders == 0


def test_a_topic_that_moves_brings_its_gold_documents(
    campaign: Campaign, topic: Topic, alice: User, make: Factory
) -> None:
    bob = make.make_user("bob")
    load(campaign, "training", "1 L1 3\n")
    assign([alice], [topic])
    move_topic(topic, alice, bob)
    assert next_documents(bob, topic, 4)[0].pooled.docno == "L1"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("1 X 3\n9 X 3", "line 2: topic 9 is not in this campaign"),
        ("1 X 7", "line 1: expected a grade of the scale 0, 1, 2, 3, found 7"),
        (
            "1 X 3\n1 D00 3",
            "line 2: expected a document without labels, but D00 of topic 1 has labels",
        ),
        ("1 G 3", "line 1: G of topic 1 is already a gold document"),
    ],
)
def test_invalid_gold_lines_are_named_and_nothing_is_stored(
    campaign: Campaign, topic: Topic, alice: User, make: Factory, lines: str, expected: str
) -> None:
    load(campaign, "gold", "1 G 0\n")
    assign([alice], [topic])
    make.make_judgment(campaign, "alice", "1", "D00", 2)
    with pytest.raises(BadFile) as refusal:
        load(campaign, "training", lines)
    assert expected in str(refusal.value)
    assert Probe.objects.count() == 1 and campaign.pools.count() == 2


# the page, and what the judge reads


def test_the_page_takes_lines_or_a_file_and_says_what_became_of_them(campaign: Campaign, carol: User) -> None:
    client = Client()
    client.force_login(carol)
    page = markup(client.post(URL, {"kind": "training", "lines": GOLD_LINES}, follow=True))
    assert "3 training or gold documents loaded. Not in a pool before: 2." in page
    assert "In a pool before: 1." in page
    upload = {"kind": "gold", "file": BytesIO(b"1 G1 0\n")}
    assert "1 training or gold document loaded" in markup(client.post(URL, upload, follow=True))
    probe = Probe.objects.get(pooled__docno="G1")
    page = markup(client.post(f"{URL}withdraw/", {"probe": [probe.pk, "x"]}, follow=True))
    assert "1 document withdrawn" in page
    assert "Nothing was withdrawn" in markup(client.post(f"{URL}withdraw/", follow=True))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"kind": "training", "lines": "1 D1"}, "Line 1: expected topic, docno and grade"),
        ({"kind": "training", "lines": " "}, "Give either lines or a file, not both."),
        ({"kind": "silver", "lines": "1 D1 2"}, "silver is not one of the available choices"),
    ],
)
def test_the_page_keeps_what_was_typed_when_it_cannot_be_taken(
    campaign: Campaign, carol: User, data: dict[str, str], expected: str
) -> None:
    client = Client()
    client.force_login(carol)
    page = markup(client.post(URL, data))
    assert expected in page and data["lines"] in page
    assert not Probe.objects.exists()


def send(client: Client, judge: User, entry: QueueEntry, relevance: int | None, reason: str = "") -> str:
    (card,) = cards_of([entry])
    fields = {
        "uuid": str(uuid4()), "entry": entry.pk, "docno": card.docno, "text_hash": card.text_hash,
        "relevance": relevance, "reason": reason, "later": False, "postponed": 0, "comment": "",
        "source": "key", "active_seconds": 3, "highlighted": False, "evidence": None,
    }  # fmt: skip
    body = {"judge": judge.pk, "topic": "1", "want": 4, "have": [], "labels": [fields]}
    response = client.post("/campaigns/tiny/judge/outbox/", json.dumps(body), "application/json")
    assert response.status_code == 200
    return markup(response)


def test_after_a_training_label_the_judge_reads_the_organisers_grade_and_why(
    campaign: Campaign, topic: Topic, alice: User
) -> None:
    load(campaign, "training", "1 LEARN 3 It answers <b>all</b>.\n")
    load(campaign, "gold", "1 GOLD 0 Nobody reads this.\n")
    assign([alice], [topic])
    client = Client()
    client.force_login(alice)
    first, *others = next_documents(alice, topic, 41)
    response = send(client, alice, first, 1)
    assert (
        "<p data-feedback>LEARN: your grade 1, the organiser&#x27;s 3: It answers &lt;b&gt;all&lt;/b&gt;.</p>"
        in response
    )
    for entry in others:
        assert "data-feedback" not in send(client, alice, entry, 1)
    assert "Nobody reads this" not in response


def test_cannot_judge_in_training_is_answered_too_and_so_is_the_plain_form(
    campaign: Campaign, topic: Topic, alice: User
) -> None:
    load(campaign, "training", "1 L1 3\n1 L2 3 Because.\n")
    assign([alice], [topic])
    client = Client()
    client.force_login(alice)
    first, second = next_documents(alice, topic, 2)
    response = send(client, alice, first, None, "broken")
    assert "L1: your label “cannot judge”, the organiser&#x27;s 3." in response
    (card,) = cards_of([second])
    press = {"uuid": uuid4(), "docno": "L2", "text_hash": card.text_hash, "relevance": 3, "source": "click"}
    page = markup(client.post(f"/campaigns/tiny/judge/{second.pk}/", press, follow=True))
    assert "L2: your grade 3, the organiser&#x27;s too: Because." in page


def test_no_card_shows_that_it_is_gold(campaign: Campaign, topic: Topic, alice: User, make: Factory) -> None:
    load(campaign, "gold", "1 D38 3 Says so.\n")
    assign([alice], [topic])
    for docno in ("D37", "D38"):
        make.make_document(campaign, docno)
    client = Client()
    client.force_login(alice)
    cards = {}
    for entry in next_documents(alice, topic, 41):
        if entry.pooled.docno in ("D37", "D38"):
            card = markup(client.get(f"/campaigns/tiny/judge/{entry.pk}/"))
            card = re.sub(r'data-(entry|url|place)="[^"]*"', "", card)
            cards[entry.pooled.docno] = card.replace(entry.pooled.docno, "")
    assert cards["D37"] == cards["D38"]


def test_consistency_compares_with_what_is_known(campaign: Campaign, topic: Topic, alice: User) -> None:
    load(campaign, "training", "1 L1 3\n1 L2 0\n")
    load(campaign, "gold", "1 G1 2\n1 G2 0\n1 G3 3\n")
    assign([alice], [topic])
    label_all(alice, topic, relevance=2)
    (found,) = consistency(CampaignReads(campaign))
    assert found.gold[:2] == (1, 3) and found.gold_sides[:2] == (2, 3)
    assert (found.training.exact, found.training.higher, found.training.lower) == (0, 0.5, 0.5)


def test_nothing_on_a_card_distinguishes_gold_from_other_documents(
    campaign: Campaign, topic: Topic, alice: User, make: Factory
) -> None:
    """Gold that is loaded after the queue was filled, and a hidden repeat, have keys among the others'."""
    assign([alice], [topic])
    load_gold(campaign, make.make_user("carol"), "gold", "".join(f"1 G{n} 0\n" for n in range(5)).encode())
    queue = QueueEntry.objects.filter(judge=alice)
    gold = set(queue.filter(kind="gold").values_list("pk", flat=True))
    in_order = list(queue.order_by("pk").values_list("pk", flat=True))
    assert len(gold) == 5 and set(in_order[-5:]) != gold != set(in_order[:5])
    client = Client()
    client.force_login(alice)
    cards = {
        kind: markup(client.get(f"/campaigns/tiny/judge/{queue.filter(kind=kind)[0].pk}/"))
        for kind in ("gold", "judging")
    }
    tags = {kind: re.findall(r"<article [^>]*>", card)[0] for kind, card in cards.items()}
    named = {kind: re.findall(r'([a-z-]+)="', tag) for kind, tag in tags.items()}
    assert named["gold"] == named["judging"]
    assert "data-place" not in named["gold"], "equal places would tell which document was put in later"
