"""Every kind of change to a campaign is noted once, with who made it; what changes nothing is not."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client

from assess.battle_programs.services import withdraw_load
from assess.battles.queries.sets import BATTLES
from assess.battles.services import discard_battles
from assess.gradings.services import discard_grading
from assess.magnitudes.services import discard_magnitudes
from assess.matching_programs.services import withdraw_load as withdraw_labels
from assess.matchings.services import discard_matching
from assess.models import Adjudication, Probe
from assess.nuggets.banks import TWO_GRADES
from assess.nuggets.services.banks import begin_draft, discard_draft, freeze_bank
from assess.nuggets.services.loads import load_banks, withdraw_nuggets
from assess.nuggets.services.marks import delete_mark
from assess.nuggets.services.nuggets import (
    NuggetDetails,
    add_nugget,
    change_nugget,
    delete_nugget,
    join_nuggets,
    vote_on_importance,
)
from assess.panels.services import create_panel
from assess.preferences.services import discard_preferences
from assess.pyramids.drafts.queries import units_of
from assess.pyramids.drafts.services import discard_pyramid_draft, label_unit, unmark_words
from assess.pyramids.services import withdraw_peer, withdraw_pyramid
from assess.queries.adjudication import dispute_in
from assess.queries.campaign_reads import CampaignReads
from assess.services.adjudications import Settlement, reopen_case, require_reasons, settle
from assess.services.assignments import unassign_topic
from assess.services.audiences import change_audience
from assess.services.gold import load_gold, withdraw_gold
from assess.services.imports import MachineDetails, load_machine_labels
from assess.services.judged_sets import give_open_tasks
from assess.services.people import invite_to_topics
from assess.services.plans import change_plan
from assess.services.releases import release_qrels
from assess.services.settings import change_settings
from assess.snippets.services import discard_snippets, remove_snippets
from assess.support.services import discard_support
from metrics.ab_tests.services import withdraw_users
from metrics.interleaving.queries import lists_of
from metrics.interleaving.services import load_clicks
from metrics.system_quality.services import load_figures, remove_figures
from pooling.models import AuditLogEntry, Campaign
from pooling.queries.integrity import audit_log_faults
from pooling.services.jobs import cancel_job
from tests.support.factory import Factory


def build_campaign(make: Factory) -> Campaign:
    return make.make_pooled_campaign()


def noted(campaign: Campaign, act: Callable[[], object]) -> list[tuple[str, str, str]]:
    """Return who, verb and sentence of what an act writes into the trail."""
    last = campaign.audit_log.count()
    act()
    assert [fault for faults in audit_log_faults(campaign) for fault in faults] == []
    entries = AuditLogEntry.objects.filter(campaign=campaign, number__gt=last).order_by("number")
    return list(entries.values_list("who", "verb", "sentence"))


def test_publishing_and_restricting(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    release = release_qrels(campaign, carol)
    publish = lambda: change_audience(release, "public", carol)  # noqa: E731
    hide = lambda: change_audience(release, "internal", carol, "A topic is wrong.")  # noqa: E731
    assert noted(campaign, publish) == [
        ("carol", "published qrels", "Qrels v1, visible to anyone on the internet")
    ]
    assert noted(campaign, hide) == [
        ("carol", "restricted qrels", "Qrels v1, visible to organisers and adjudicators: A topic is wrong.")
    ]


def test_the_scale_and_what_else_the_settings_say(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    worded = tuple(grade._replace(label=f"{grade.label}!") for grade in campaign.grades)
    act = lambda: change_settings(campaign, worded, 1, by=carol, name="New", run_depth=100)  # noqa: E731
    assert noted(campaign, act) == [
        ("carol", "changed the scale", "scale, threshold from 2 to 1"),
        ("carol", "changed settings", "name, run_depth from 1000 to 100"),
    ]
    first = campaign.audit_log.get(verb="changed the scale")
    assert first.details["scale"]["was"][0]["label"] + "!" == first.details["scale"]["is"][0]["label"]


def test_how_people_judge(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    act = lambda: change_plan(campaign, carol, order="docno", repeat_share=5)  # noqa: E731
    before = {field: getattr(change_plan(campaign), field) for field in ("order", "repeat_share")}
    assert noted(campaign, act) == [
        (
            "carol",
            "changed the judging plan",
            f"order from {before['order']} to docno, repeat_share from {before['repeat_share']} to 5",
        )
    ]
    assert noted(campaign, act) == []


def test_what_an_adjudicator_settles_and_opens_again(campaign: Campaign, make: Factory) -> None:
    make.make_judgment(campaign, "alice", "1", "D2", 3)
    make.make_judgment(campaign, "bob", "1", "D2", 0)
    ada, pooled = make.make_user("ada"), make.pooled(campaign, "1", "D2")
    card = dispute_in(CampaignReads(campaign), ada, pooled.pk)
    assert card
    press = Settlement(uuid.uuid4(), "D2", card.text_hash, card.last_label, 2, "because")
    assert noted(campaign, lambda: settle(pooled, ada, press)) == [("ada", "settled a grade", "1 D2")]
    assert noted(campaign, lambda: settle(pooled, ada, press)) == []  # the same press again
    settled = Adjudication.objects.get().pk
    assert noted(campaign, lambda: reopen_case(pooled, ada, settled)) == [
        ("ada", "opened a grade again", "1 D2")
    ]


def test_whether_adjudicators_give_a_reason(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    assert noted(campaign, lambda: require_reasons(campaign, False, carol)) == []
    assert noted(campaign, lambda: require_reasons(campaign, True, carol)) == [
        ("carol", "changed the rule of adjudication", "a reason is required")
    ]


def test_a_topic_that_is_taken_back(campaign: Campaign, make: Factory) -> None:
    topic, alice = campaign.topics.get(number="1"), make.make_user("alice")
    act = lambda: unassign_topic(topic, alice, make.make_user("carol"))  # noqa: E731
    assert noted(campaign, act) == [("carol", "took a topic back", "1 from alice")]
    assert noted(campaign, act) == []


def test_probes(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    assert noted(campaign, lambda: load_gold(campaign, carol, "gold", b"1 D3 2\n", "gold.txt")) == [
        ("carol", "loaded probes", "1 gold from gold.txt")
    ]
    act = lambda: withdraw_gold(campaign, Probe.objects.all(), carol)  # noqa: E731
    assert noted(campaign, act) == [("carol", "withdrew probes", "1 document")]
    assert noted(campaign, act) == []
    assert campaign.audit_log.get(verb="withdrew probes").details == {"documents": [["1", "D3"]]}


def test_labels_of_a_machine(campaign: Campaign, make: Factory) -> None:
    machine, carol = MachineDetails("robot", "model-1", "ab" * 32, date(2026, 5, 4)), make.make_user("carol")
    load = lambda: load_machine_labels(campaign, carol, b"1 0 D1 2\n", "m.qrels", machine)  # noqa: E731
    assert noted(campaign, load) == [("carol", "loaded machine labels", "1 from m.qrels, as those of robot")]


def test_runs_side_by_side(campaign: Campaign, make: Factory) -> None:
    runs = campaign.runs.get(), make.make_run(campaign, "1 D3 2", tag="other")
    topics = campaign.topics.filter(number="1")
    act = lambda: create_panel(campaign, make.make_user("carol"), runs, 5, topics, seed=7)  # noqa: E731
    assert noted(campaign, act) == [("carol", "put runs side by side", "run and other, depth 5, 1 topic")]


def test_battles_of_answers(campaign: Campaign, make: Factory) -> None:
    runs = [make.make_answer_run(campaign, tag=tag) for tag in ("ans-a", "ans-b")]
    act = lambda: make.make_battles(campaign, runs=runs)  # noqa: E731
    made = ("carol", "made battles", "Battles 1: 1 of 2 answer runs for 1 judge")
    assert noted(campaign, act) == [made]
    stored, people = campaign.battle_sets.get(), [make.make_user(name) for name in ("alice", "bob", "carol")]
    give = lambda: give_open_tasks(BATTLES, stored, people[0], people[1:2], people[2])  # noqa: E731
    sentence = "Battles 1: 1 battle that alice had not finished"
    assert noted(campaign, give) == [("carol", "gave battles to others", sentence)]
    discard = lambda: discard_battles(campaign.battle_sets.get(), make.make_user("carol"))  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded battles", "Battles 1")]


def test_programs_for_battles(campaign: Campaign, make: Factory) -> None:
    make.make_battles(campaign)
    act = lambda: make.make_battle_program(campaign)  # noqa: E731
    assert noted(campaign, act) == [
        ("carol", "made a battle program", "Program 1: strict for Battles 1"),
        ("carol", "loaded program votes", "1 result from votes.csv for Program 1: strict"),
    ]
    load, carol = campaign.battle_programs.get().loads.get(), make.make_user("carol")
    withdraw = lambda: withdraw_load(load, carol)  # noqa: E731
    said = ("carol", "withdrew program votes", "votes.csv of Program 1: strict")
    assert noted(campaign, withdraw) == [said]


def test_releases_of_matchings(campaign: Campaign, make: Factory) -> None:
    made = ("carol", "released labels of answers", "Release 1 of Matching 1: 1 label")
    assert noted(campaign, lambda: make.make_answer_release(campaign))[-1] == made


def test_programs_for_matchings(campaign: Campaign, make: Factory) -> None:
    make.make_matching(campaign)
    act = lambda: make.make_matching_program(campaign)  # noqa: E731
    assert noted(campaign, act) == [
        ("carol", "made a matching program", "Program 1: strict for Matching 1"),
        ("carol", "loaded program labels of nuggets", "3 results from labels.jsonl for Program 1: strict"),
    ]
    load, carol = campaign.matching_programs.get().loads.get(), make.make_user("carol")
    withdraw = lambda: withdraw_labels(load, carol)  # noqa: E731
    said = ("carol", "withdrew program labels of nuggets", "labels.jsonl of Program 1: strict")
    assert noted(campaign, withdraw) == [said]


def test_preferences_between_documents(campaign: Campaign, make: Factory) -> None:
    act = lambda: make.make_preferences(campaign)  # noqa: E731
    made = ("carol", "made preferences", "Preferences 1: 1 topic, 3 pairs in the first stage")
    assert noted(campaign, act)[-1] == made
    carol = make.make_user("carol")
    discard = lambda: discard_preferences(campaign.preference_sets.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded preferences", "Preferences 1")]


def test_snippets_of_results(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    made = ("carol", "made a set of snippets", "Snippets 1: 4 results of run for 2 judges")
    assert noted(campaign, lambda: make.make_snippets(campaign))[-1] == made
    discard = lambda: discard_snippets(campaign.snippet_sets.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded a set of snippets", "Snippets 1")]
    loaded = ("carol", "loaded snippets of a run", "run: 1 snippet, from snippets.txt")
    assert noted(campaign, lambda: make.make_run_snippets(campaign)) == [loaded]
    remove = lambda: remove_snippets(campaign.runs.get(tag="run"), carol)  # noqa: E731
    assert noted(campaign, remove) == [("carol", "removed snippets of a run", "run: 1 snippet")]


def test_magnitudes_of_documents(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    made = ("carol", "made a set of magnitudes", "Magnitudes 1: 3 documents for 2 judges")
    assert noted(campaign, lambda: make.make_magnitudes(campaign))[-1] == made
    discard = lambda: discard_magnitudes(campaign.magnitude_sets.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded a set of magnitudes", "Magnitudes 1")]


def test_gradings_of_answers(campaign: Campaign, make: Factory) -> None:
    for tag in ("answers", "others"):
        make.make_answer_run(campaign, {"1": [(f"A sentence of {tag}.", [])]}, tag)
    made = ("carol", "made a grading", "Grading 1: 2 answers for 2 judges")
    assert noted(campaign, lambda: make.make_grading(campaign))[-1] == made
    carol = make.make_user("carol")
    discard = lambda: discard_grading(campaign.gradings.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded a grading", "Grading 1")]


def test_pyramids(campaign: Campaign, make: Factory) -> None:
    assert noted(campaign, lambda: make.make_pyramid(campaign)) == [
        ("carol", "stored a pyramid", "Pyramid 1 of topic 1: 20 units"),
        ("carol", "stored annotated peers", "Pyramid 1: 7, 8"),
    ]
    carol, pyramid = make.make_user("carol"), campaign.pyramids.get()
    withdraw = lambda: withdraw_peer(pyramid.peers.get(peer="7"), carol)  # noqa: E731
    assert noted(campaign, withdraw) == [("carol", "withdrew an annotated peer", "Pyramid 1: 7")]
    assert noted(campaign, lambda: make.make_pyramid_draft(campaign)) == [
        ("carol", "began a pyramid", "Draft of the pyramid of topic 2: 2 model summaries"),
        ("carol", "marked words of a unit", "Draft of the pyramid of topic 2: unit 1, 'Boats float'"),
        ("carol", "marked words of a unit", "Draft of the pyramid of topic 2: unit 1, 'Boats float'"),
    ]
    draft, place = campaign.pyramid_drafts.get(), "Draft of the pyramid of topic 2"
    steps: list[tuple[Callable[[], object], str, str]] = [
        (lambda: label_unit(draft, carol, 1, "Boats swim", "Boats float"), "labelled a unit",
         f"{place}: unit 1, 'Boats swim'"),
        (lambda: unmark_words(draft, carol, 1, units_of(draft)[0].parts[0]), "unmarked words of a unit",
         f"{place}: unit 1, 'Boats swim'"),
        (lambda: discard_pyramid_draft(draft, carol), "discarded a draft of a pyramid",
         f"{place} with 1 unit"),
    ]  # fmt: skip
    for act, verb, sentence in steps:
        assert noted(campaign, act) == [("carol", verb, sentence)]
    all_of_it = lambda: withdraw_pyramid(pyramid, carol)  # noqa: E731
    assert noted(campaign, all_of_it) == [("carol", "withdrew a pyramid", "Pyramid 1")]


def test_nugget_banks(campaign: Campaign, make: Factory) -> None:
    carol, topic = make.make_user("carol"), campaign.topics.get(number="1")
    made = [
        ("carol", "began a nugget bank", "Nugget bank 1, empty"),
        ("carol", "added a nugget", "Nugget bank 1, topic 1: 'Ships float on water'"),
    ]
    assert noted(campaign, lambda: make.make_nugget_bank(campaign)) == made
    draft = campaign.nugget_banks.get()
    nugget, place = draft.nuggets.get(), "Nugget bank 1, topic 1:"
    other = add_nugget(draft, topic, carol, NuggetDetails("Ships swim"))
    content = b'{"qid": "1", "nuggets": [{"text": "Wood floats", "importance": "okay"}]}'
    steps: list[tuple[Callable[[], object], str, str]] = [
        (lambda: change_nugget(nugget, carol, NuggetDetails("Boats float", "vital")), "changed a nugget",
         f"{place} 'Boats float'"),
        (lambda: vote_on_importance(other, carol, "okay"), "voted on a nugget", f"{place} 'Ships swim'"),
        (lambda: join_nuggets(nugget, other, carol), "joined nuggets", f"{place} 'Boats float'"),
        (lambda: load_banks(draft, carol, content, "a.jsonl"), "loaded nuggets",
         "1 nugget from a.jsonl into Nugget bank 1"),
        (lambda: withdraw_nuggets(draft.loads.get(), carol), "withdrew nuggets",
         "1 nugget of a.jsonl from Nugget bank 1"),
        (lambda: load_banks(draft, carol, content, "b.jsonl"), "loaded nuggets",
         "1 nugget from b.jsonl into Nugget bank 1"),
        (lambda: delete_nugget(draft.nuggets.get(text="Wood floats"), carol), "deleted a nugget",
         f"{place} 'Wood floats'"),
        (lambda: freeze_bank(draft, carol), "froze a nugget bank", "Nugget bank 1: 1 nugget"),
    ]  # fmt: skip
    for act, verb, sentence in steps:
        assert noted(campaign, act) == [("carol", verb, sentence)]
    copy = begin_draft(campaign, carol, TWO_GRADES, draft)
    marked = make.make_answer_mark(copy.nuggets.get())
    said = ("carol", "deleted a mark in an answer", "Nugget bank 2, topic 1: 'Boats float'")
    assert noted(campaign, lambda: delete_mark(marked, carol)) == [said]
    discard = lambda: discard_draft(copy, carol)  # noqa: E731
    said = ("carol", "discarded a nugget bank", "Nugget bank 2 with 1 nugget")
    assert noted(campaign, discard) == [said]


def test_matchings_of_nuggets(campaign: Campaign, make: Factory) -> None:
    made = ("carol", "made a matching", "Matching 1: 1 answer for 2 judges")
    assert noted(campaign, lambda: make.make_matching(campaign))[-1] == made
    carol = make.make_user("carol")
    discard = lambda: discard_matching(campaign.matchings.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded a matching", "Matching 1")]


def test_interleaving(campaign: Campaign, make: Factory) -> None:
    make.make_run(campaign, "1 D3 2", tag="other")
    act = lambda: make.make_interleaving(campaign, "run", "other")  # noqa: E731
    assert noted(campaign, act) == [("carol", "interleaved runs", "run and other, team-draft, 2 lists")]
    stored, carol = campaign.interleavings.get(), make.make_user("carol")
    clicks = f"list_id,user,clicks\n{lists_of(stored)[0].list_id},eve,1\n".encode()
    load = lambda: load_clicks(stored, carol, clicks, "eve.csv")  # noqa: E731
    assert noted(campaign, load) == [("carol", "loaded interleaving clicks", "1 session of Interleaving 1")]


def test_ab_tests(campaign: Campaign, make: Factory) -> None:
    act = lambda: make.make_ab_test(campaign)  # noqa: E731
    assert noted(campaign, act) == [
        ("carol", "planned an A/B test", "A/B test 1: Snippets"),
        ("carol", "loaded a file of an A/B test", "6 users of A/B test 1: Snippets"),
    ]
    file, carol = campaign.ab_tests.get().files.get(), make.make_user("carol")
    withdraw = lambda: withdraw_users(file, carol)  # noqa: E731
    said = ("carol", "withdrew a file of an A/B test", "6 users of users.csv of A/B test 1")
    assert noted(campaign, withdraw) == [said]


def test_system_figures(campaign: Campaign, make: Factory) -> None:
    carol, run = make.make_user("carol"), campaign.runs.all()[0]
    load = lambda: load_figures(campaign, carol, b"run,latency_ms\nrun,3\n", "a.csv")  # noqa: E731
    assert noted(campaign, load) == [("carol", "loaded system figures", "1 run, from a.csv")]
    assert noted(campaign, load) == []
    remove = lambda: remove_figures(run, carol)  # noqa: E731
    assert noted(campaign, remove) == [("carol", "removed system figures", "run")]


def test_a_job_that_is_cancelled(campaign: Campaign, make: Factory) -> None:
    job, carol = make.make_job(campaign, "Score"), make.make_user("carol")
    assert noted(campaign, lambda: cancel_job(job, carol)) == [("carol", "cancelled a job", "Score")]
    assert noted(campaign, lambda: cancel_job(job, carol)) == []


def test_who_opens_a_link_that_brings_topics(campaign: Campaign, make: Factory) -> None:
    link = invite_to_topics(campaign, campaign.topics.all(), "primary", by=make.make_user("carol"))
    client = Client()
    client.force_login(make.make_user("eve"))
    assert noted(campaign, lambda: client.post(f"/invitations/{link}/")) == [
        ("eve", "gave a role", "eve, judge"),
        ("eve", "assigned", "eve: 2 topics, primary"),
    ]


@pytest.mark.parametrize(
    ("place", "fields", "verb"),
    [
        ("judging/topics/1/take-back/", {}, "took a topic back"),
        ("adjudication/reasons/", {"required": "on"}, "changed the rule of adjudication"),
    ],
)
def test_the_trail_names_who_pressed_the_button(
    campaign: Campaign, make: Factory, place: str, fields: dict[str, str], verb: str
) -> None:
    client = Client()
    client.force_login(make.make_user("carol"))
    known = {"judge": make.make_user("alice").pk} | fields
    client.post(f"/campaigns/tiny/{place}", known)
    assert campaign.audit_log.get(verb=verb).who == "carol"


def test_sets_of_citations(campaign: Campaign, make: Factory) -> None:
    carol = make.make_user("carol")
    made = ("carol", "made a set of citations", "Citation support 1: 3 citations for 2 judges")
    assert noted(campaign, lambda: make.make_support(campaign))[-1] == made
    discard = lambda: discard_support(campaign.support_sets.get(), carol)  # noqa: E731
    assert noted(campaign, discard) == [("carol", "discarded a set of citations", "Citation support 1")]
