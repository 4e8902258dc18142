"""Triage: what a machine is unsure of, and what moves the order of runs, comes to people first."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assess.models import MachineLabelling, MachinePrompt, MachineRequest, QueueEntry
from assess.services.assignments import assign
from assess.services.plans import PlanLocked, change_plan
from assess.triage import disagreement, influence, rank_weights, triage_places
from pooling.models import Campaign
from tests.support.factory import Factory

KNOWN = st.dictionaries(st.text(min_size=1, max_size=3), st.floats(0, 1, allow_subnormal=False))


def test_the_influence_of_a_document_is_the_spread_of_its_weight_over_runs() -> None:
    lists = [["a", "b", "c"], ["b", "a"]]
    low = 1 / math.log2(3)
    assert rank_weights(lists, ["a", "b", "c", "d"]).tolist() == [[1, low], [low, 1], [0.5, 0], [0, 0]]
    spread = influence(lists, ["a", "b", "c", "d"])
    assert spread == pytest.approx({"a": (1 - low) / 2, "b": (1 - low) / 2, "c": 0.25, "d": 0})
    assert influence([["a"]], ["a"]) == {}


@given(KNOWN, KNOWN)
def test_every_document_of_which_something_is_known_has_a_place_from_1(
    uncertainty: dict[str, float], moves: dict[str, float]
) -> None:
    places = triage_places(uncertainty, moves)
    assert places.keys() == uncertainty.keys() | moves.keys()
    assert {*places.values()} == {*range(1, len({*places.values()}) + 1)}
    alone = triage_places(uncertainty, {})
    assert alone == triage_places(uncertainty, dict.fromkeys(uncertainty, 0.0))
    by_place = sorted(uncertainty, key=lambda docno: alone[docno])
    assert [round(uncertainty[docno], 6) for docno in by_place] == sorted(
        (round(value, 6) for value in uncertainty.values()), reverse=True
    )


def test_samples_disagree_by_the_share_outside_their_mode() -> None:
    assert [disagreement(grades) for grades in ([1, 1], [0, 1], [0, 1, 2])] == pytest.approx([0, 0.5, 2 / 3])


# in a queue


def build_campaign(make: Factory) -> Campaign:
    """Ten documents in one topic, of one run."""
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "\n".join(f"1 D{rank:02} {100 - rank}" for rank in range(10)))
    make.make_pool(campaign)
    return campaign


def ask(make: Factory, campaign: Campaign, samples: dict[str, list[int]], **own: Any) -> MachineLabelling:
    carol = make.make_user("carol")
    machine = make.make_machine(campaign, "1 0 D00 1\n")
    prompt = MachinePrompt.objects.create(campaign=campaign, number=1, sha256="0" * 64, created_by=carol)
    labelling = MachineLabelling.objects.create(
        campaign=campaign, number=1, prompt=prompt, name="robot", model="m", machine=machine, created_by=carol
    )
    for docno, grades in samples.items():
        for sample, grade in enumerate(grades, start=1):
            MachineRequest.objects.create(
                labelling=labelling, pooled=make.pooled(campaign, "1", docno), sample=sample, key="0" * 64,
                text_hash="0" * 64, state="answered", relevance=grade, **own,
            )  # fmt: skip
    return labelling


def queue(campaign: Campaign, name: str) -> list[str]:
    entries = QueueEntry.objects.filter(judge__username=name, topic__campaign=campaign).order_by("place")
    return [entry.pooled.docno for entry in entries.select_related("pooled")]


def test_the_documents_on_which_samples_disagree_come_first(campaign: Campaign, make: Factory) -> None:
    labelling = ask(make, campaign, {"D07": [0, 1, 2], "D03": [2, 2, 1], "D05": [1, 1, 1]})
    change_plan(campaign, make.make_user("carol"), order="triage", triage_machine=labelling.machine)
    for name in ("alice", "bob"):
        assign([make.make_user(name)], campaign.topics.all())
    assert queue(campaign, "alice")[:3] == ["D07", "D03", "D05"]
    assert queue(campaign, "alice") == queue(campaign, "bob")  # also the seven of which nothing is known
    make.make_judgment(campaign, "alice", "1", "D07", 1)
    with pytest.raises(PlanLocked):
        change_plan(campaign, triage_machine=None)


def test_probabilities_count_where_the_server_sent_them(campaign: Campaign, make: Factory) -> None:
    labelling = ask(make, campaign, {"D07": [1]}, probabilities={"grades": {"0": 0.4, "1": 0.6}, "mass": 1})
    for request in MachineRequest.objects.all():
        request.pk, request.pooled = None, make.pooled(campaign, "1", "D02")
        request.probabilities = {"grades": {"0": 0.5, "1": 0.5}, "mass": 1}
        request.save()
    change_plan(campaign, order="triage", triage_machine=labelling.machine)
    assign([make.make_user("alice")], campaign.topics.all())
    assert queue(campaign, "alice")[:2] == ["D02", "D07"]


def test_without_a_machine_what_moves_runs_comes_first(make: Factory) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    make.make_run(campaign, "1 A 3\n1 B 2\n1 C 1")
    make.make_run(campaign, "1 A 3\n1 D 2\n1 B 1", tag="other")
    make.make_pool(campaign)
    change_plan(campaign, order="triage")
    assign([make.make_user("alice")], campaign.topics.all())
    assert queue(campaign, "alice") == ["D", "C", "B", "A"]
