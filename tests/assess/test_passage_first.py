"""Passage first: the densest passage alone, the whole text on a press, and labels that say which was read."""

from __future__ import annotations

from assess.document.highlighting import topic_terms
from assess.document.passages import first_passage
from assess.models import JudgingPlan, JudgmentEvent
from assess.queries.agreement import agreement_scope
from assess.queries.campaign_reads import CampaignReads
from assess.queries.judging import Card, cards_of
from assess.queries.reading_modes import reading_modes
from assess.services.plans import change_plan
from pooling.models import Campaign
from tests.assess.test_unsure import HOME, client_of, label
from tests.support.factory import Factory
from tests.support.markup import markup

FILLER = "Nothing of it is said in this paragraph, which is here for its length alone. " * 8
TEXT = f"{FILLER}\n\nBoats float, and title words of boats occur here.\n\n{FILLER}"


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_pooled_campaign()
    campaign.topics.filter(number="1").update(title="boats that float")
    for docno in ("D1", "D2"):
        make.make_document(campaign, docno, TEXT)
    make.make_document(campaign, "D3", "A short text on boats.")
    return campaign


def card(make: Factory, campaign: Campaign, docno: str, judge: str = "alice") -> Card:
    entry = make.entry(campaign, judge, "1", docno)
    entry.judge, entry.topic.campaign = make.make_user(judge), campaign
    return cards_of([entry])[0]


def test_a_passage_is_shown_only_where_it_is_a_part_of_the_text_and_has_a_term() -> None:
    passage = first_passage(TEXT, topic_terms("boats that float"))
    assert passage is not None and passage.found == 2
    assert "".join(span.text for span in passage.passage[0].spans).startswith("Boats float")
    assert first_passage("A short text on boats.", topic_terms("boats")) is None
    assert first_passage(TEXT, topic_terms("submarines")) is None
    assert first_passage("", topic_terms("boats")) is None


def test_the_plan_decides_which_documents_begin_with_a_passage(campaign: Campaign, make: Factory) -> None:
    assert card(make, campaign, "D1").passage is None
    change_plan(campaign, passage_first=JudgingPlan.PassageFirst.ALWAYS)
    assert card(make, campaign, "D1").passage and card(make, campaign, "D3").passage is None
    entry = make.entry(campaign, "alice", "1", "D1")
    page = markup(client_of(make, "alice").get(f"{HOME}judge/{entry.pk}/"))
    assert 'data-read="passage"' in page and 'class="whole-text"' in page
    assert page.index("first-passage") < page.index("whole-text") and page.count("Boats</mark> ") >= 2


def test_half_of_the_documents_are_drawn_for_each_judge(campaign: Campaign, make: Factory) -> None:
    shown = set()
    for seed in range(12):
        change_plan(campaign, seed=seed, passage_first=JudgingPlan.PassageFirst.HALF)
        drawn = [bool(card(make, campaign, "D1", judge).passage) for judge in ("alice", "bob")]
        assert drawn == [bool(card(make, campaign, "D1", judge).passage) for judge in ("alice", "bob")]
        shown.add(tuple(drawn))
    assert len(shown) == 4  # two judges of a document can see it in different ways


def test_a_label_says_what_was_read_and_its_document_is_shown_whole_again(
    campaign: Campaign, make: Factory
) -> None:
    change_plan(campaign, passage_first=JudgingPlan.PassageFirst.ALWAYS)
    label(make, campaign, "alice", "1", "D1", relevance=2, read="passage")
    label(make, campaign, "alice", "1", "D2", relevance=0, read="opened")
    assert [*JudgmentEvent.objects.values_list("read", flat=True)] == ["passage", "opened"]
    assert card(make, campaign, "D1").passage is None


def test_agreement_compares_both_ways_to_read(campaign: Campaign, make: Factory) -> None:
    change_plan(campaign, passage_first=JudgingPlan.PassageFirst.HALF)
    label(make, campaign, "alice", "1", "D1", relevance=2, read="passage", active_seconds=4)
    label(make, campaign, "bob", "1", "D1", relevance=3, read="passage", active_seconds=8)
    label(make, campaign, "alice", "1", "D2", relevance=0, read="opened")
    label(make, campaign, "bob", "1", "D2", relevance=2)
    reads = CampaignReads(campaign)
    rows = {mode.name: mode[1:] for mode in reading_modes(agreement_scope(reads), make.make_user("carol"))}
    assert rows == {
        "Passage alone": (2, 1.0, 6.0),
        "Passage, then whole text": (1, 0.0, None),
        "Whole text at once": (1, 1.0, None),
    }
    carol = client_of(make, "carol")
    page = markup(carol.get(f"{HOME}agreement/"))
    assert "Passage first" in page and "Seconds a label" in page
    for read, documents in (("", 2), ("passage", 1), ("whole", 1)):
        scope = agreement_scope(reads, read=read)
        assert len(scope.labels.items) == documents
    page = markup(carol.get(f"{HOME}agreement/", {"read": "whole"}))
    assert "read=whole" in page


def test_agreement_says_nothing_of_passages_where_none_came_first(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D1", 2)
    make.make_judgment(campaign, "bob", "1", "D1", 2)
    scope = agreement_scope(CampaignReads(campaign))
    assert reading_modes(scope, make.make_user("carol")) == []
    assert "Passage first" not in markup(client_of(make, "carol").get(f"{HOME}agreement/"))
