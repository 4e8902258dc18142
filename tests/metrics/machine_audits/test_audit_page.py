"""The page of an audit: its figures are those of the pure functions, also with none or some labels."""

from __future__ import annotations

import csv
import io
import json
import random
import re

import numpy as np
import pytest
from django.test import Client

from assess.models import (
    JudgmentEvent,
    MachineAudit,
    MachineLabelling,
    MachinePrompt,
    MachineRequest,
    QueueEntry,
)
from assess.queries.audits import machine_uses
from assess.queries.campaign_reads import CampaignReads
from assess.release.plan import AS_JUDGES, FILL, ReleasePlan
from assess.services.assignments import assign
from metrics.machine_audits import estimates
from metrics.machine_audits.estimates import Estimate
from metrics.machine_audits.queries.figures import audit_report
from metrics.machine_audits.queries.runs import run_difference
from metrics.machine_audits.queries.samples import SamplePlan, audited_sample, statistical_strata
from metrics.machine_audits.report import RunDifference
from metrics.machine_audits.run_scores import difference_estimate
from metrics.machine_audits.services import draw_audit
from pooling.models import Campaign, Topic
from pooling.scale import FOUR_STEPS
from tests.assess.kappa.test_real_judges import LLM
from tests.assess.many_labels import llm_judges, store_labels
from tests.metrics.shared_data import BUNDLED
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judging/machines/audits/1/"


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Forty documents, 25, 5, 5, 5 of the machine's grades 0 to 3, and an audit of 30 that alice judges."""
    campaign = make.make_forty()
    lines = (f"1 0 D{rank:02} {rank % 4 if rank < 20 else 0}\n" for rank in range(40))
    make.make_machine(campaign, "".join(lines), "zebra")
    plan = SamplePlan(campaign.sources.programs().get(), 30, seed=5)
    draw_audit(campaign, make.make_user("carol"), plan, [make.make_user("alice")])
    return campaign


def audit_in(campaign: Campaign) -> MachineAudit:
    return campaign.machine_audits.select_related("machine__user").get()


def judge(campaign: Campaign, make: Factory, count: int) -> None:
    """Alice judges some sampled documents: as the machine, but 0 where it gave 1."""
    documents = audit_in(campaign).documents.order_by("pk")[:count]
    for each in documents.select_related("pooled"):
        grade = 0 if each.machine_grade == 1 else each.machine_grade
        make.make_judgment(campaign, "alice", "1", each.pooled.docno, grade)


def page(make: Factory, name: str = "carol", place: str = PAGE) -> str:
    client = Client()
    client.force_login(make.make_user(name))
    response = client.get(place)
    assert response.status_code == 200
    return markup(response)


def test_without_labels_the_page_shows_the_design_and_no_estimate(campaign: Campaign, make: Factory) -> None:
    shown = page(make)
    assert "No estimates yet" in shown and "30 of 30 sampled documents have no grade" in shown
    assert audit_report(CampaignReads(audit_in(campaign).campaign), audit_in(campaign)) is None
    assert '"figures": null' in page(make, place=f"{PAGE}json/")


def test_part_of_the_labels_gives_estimates_with_a_warning_and_no_verdict(
    campaign: Campaign, make: Factory
) -> None:
    judge(campaign, make, 15)
    shown = page(make)
    assert "missing at random" in shown and "No verdict yet" in shown
    assert "Sampled documents without a judge" not in shown  # all that wait are open in a queue of the audit


def test_documents_that_no_judge_has_are_offered_to_others(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 15)
    QueueEntry.objects.filter(state=QueueEntry.State.OPEN).update(state=QueueEntry.State.AWAY)
    shown = page(make)
    assert "Sampled documents without a judge: 15" in shown and "Give documents" in shown


def test_all_labels_give_the_figures_of_the_pure_functions(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 30)
    audit = audit_in(campaign)
    sample, report = (
        audited_sample(CampaignReads(audit.campaign), audit),
        audit_report(CampaignReads(audit.campaign), audit),
    )
    assert report is not None and report.counts.without == 0
    relevant = sample.human >= 2
    expected = estimates.stratified(1.0 * relevant, sample.stratum, statistical_strata(audit), True)
    assert report.share.stratified == expected
    assert report.share.machine == 10 / 40 and report.mean.machine == 30 / 40
    alone = estimates.human_only(1.0 * relevant, 40, True)
    assert report.share.others[0] == alone
    assert [(row.grade, round(row.total, 9)) for row in report.matrix] == [(0, 25), (1, 5), (2, 5), (3, 5)]
    assert report.grades[1].over_rating.value == 1
    (run,) = report.runs
    assert run.machine == pytest.approx(0.4)  # D02, D03, D06 and D07 of the first ten
    shown = page(make)
    assert "missing at random" not in shown and "Sampled documents without a judge" not in shown
    assert "(default)" in shown and "Human labels alone" in shown
    assert report.verdict is not None
    answers = {use.name.lower(): use.answer.capitalize() for use in report.verdict}
    said = dict(part.split(": ") for part in report.verdict_sentence.removesuffix(".").split(". "))
    assert {name: answer for answer, names in said.items() for name in names.split(", ")} == answers
    assert shown.index(report.verdict_sentence) < shown.index("Relevant documents in the pool")
    for use, row in ((FILL, report.verdict.holes), (AS_JUDGES, report.verdict.replacing)):
        (found,) = machine_uses(
            CampaignReads(campaign), ReleasePlan(machines=("tiny/zebra",), machine_use=use)
        )
        assert (found.answer, found.because) == (row.answer, row.because)


def test_anyone_can_compute_the_estimate_again_from_the_file(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 30)
    rows = list(csv.DictReader(io.StringIO(page(make, place=f"{PAGE}csv/"))))
    weights = [int(row["stratum_documents"]) / int(row["stratum_sampled"]) for row in rows]
    relevant = [int(row["human_grade"]) >= 2 for row in rows]
    report = audit_report(CampaignReads(audit_in(campaign).campaign), audit_in(campaign))
    assert report is not None
    assert np.average(relevant, weights=weights) == pytest.approx(report.share.stratified.value)
    assert [1 / float(row["probability"]) for row in rows] == pytest.approx(weights)


def test_an_organiser_who_judges_sees_no_open_document_in_the_file(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 10)
    campaign.memberships.create(user=make.make_user("alice"), role="organiser")
    shown = page(make, "alice")
    assert "You are still to judge 20 sampled documents yourself" in shown
    assert "Over-rating by topic" not in shown
    assert len(page(make, "alice", f"{PAGE}csv/").splitlines()) == 1 + 10


def add_runs(campaign: Campaign, make: Factory) -> None:
    """Two runs more: of the documents from the last to the first, and from D09 on."""
    for tag, start, step in (("reverse", 39, -1), ("late", 9, 1)):
        lines = (f"1 D{(start + step * place) % 40:02} {100 - place}" for place in range(40))
        make.make_run(campaign, "\n".join(lines), tag, "lab")


def test_the_difference_of_two_runs_is_that_of_the_pure_function(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 30)
    assert "Difference of two runs" not in page(make)  # there is one run
    add_runs(campaign, make)
    audit, docnos = audit_in(campaign), [f"D{rank:02}" for rank in range(40)]
    first, second = np.zeros(40), np.zeros(40)
    first[9:19], second[:10] = 0.1, 0.1
    documents = list(audit.documents.order_by("pk").values_list("pooled__docno", "stratum", "machine_grade"))
    human = [float(grade >= 2) for _, _, grade in documents]
    labels = (
        [float(rank < 20 and rank % 4 >= 2) for rank in range(40)], human,
        [docnos.index(docno) for docno, *_ in documents], [stratum for _, stratum, _ in documents],
        statistical_strata(audit),
    )  # fmt: skip
    expected = difference_estimate(second, first, *labels)
    tags = (
        [row.tag for row in report.runs]
        if (report := audit_report(CampaignReads(audit.campaign), audit))
        else []
    )
    assert tags == ["late", "run", "reverse"]
    found = run_difference(CampaignReads(audit.campaign), audit, 10, "late", "run")
    assert found.estimate == expected and found.machine == pytest.approx(0.1)
    assert "The sample cannot tell which run is better: " in page(make)
    figures = json.loads(page(make, place=f"{PAGE}json/?first=run&second=reverse"))
    assert (figures["difference"]["first"], figures["difference"]["machine"]) == ("run", pytest.approx(0.4))
    assert "Choose two different runs" in page(make, place=f"{PAGE}?first=run&second=run")
    assert 'first=late&amp;second=run"' in page(make, place=f"{PAGE}?first=no-run")


def test_the_difference_says_which_run_is_better() -> None:
    def finding(low: float | None, high: float | None, note: str = "") -> str:
        return RunDifference("a", "b", 0.1, Estimate(0.1, 0.1, low, high, "", 9, note)).sentence

    assert finding(0.05, 0.2).startswith("a is better than b")
    assert finding(-0.2, -0.05).startswith("b is better than a")
    assert finding(-0.1, 0.1).startswith("The sample cannot tell") and "few" in finding(None, None, "few")
    assert finding(0.0, 0.0) == "Both runs have the same score."


def test_the_order_of_runs_is_known_if_people_graded_the_first_of_all(
    campaign: Campaign, make: Factory
) -> None:
    add_runs(campaign, make)
    assign([make.make_user("bob")], campaign.topics.all())
    for rank in range(39):  # of the first ten, people call 2 of run relevant, 1 of late, 0 of reverse
        make.make_judgment(campaign, "bob", "1", f"D{rank:02}", 3 * (rank in (2, 3, 10)))
    assert "not known: 1 of 29 pooled documents among the first 10 of the runs" in page(make)
    make.make_judgment(campaign, "bob", "1", "D39", 0)
    report = audit_report(CampaignReads(audit_in(campaign).campaign), audit_in(campaign))
    assert report is not None and report.order.tau == pytest.approx(1 / 3)
    shown = page(make)
    assert "grades is 0.333, from" in shown
    assert "tau with the order of runs" not in shown  # too few runs for the verdict


def test_the_link_to_the_next_release_selects_the_machine_judge(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 30)
    found = re.search(r'href="(/campaigns/tiny/qrels/[^"]+)#next"', page(make))
    assert found
    asked = page(make, place=found[1].replace("&amp;", "&"))
    assert re.search(r'value="tiny/zebra"[^>]* checked', asked) and "Filling holes by zebra" in asked


def test_a_second_group_of_runs_makes_the_test_for_bias_needed(campaign: Campaign, make: Factory) -> None:
    judge(campaign, make, 30)
    shown = page(make)
    assert "all runs are of one group" in shown and "<td>not applicable</td>" in shown
    add_runs(campaign, make)
    shown = page(make)
    assert "<td>not applicable</td>" not in shown and "all runs are of one group" not in shown
    report = audit_report(CampaignReads(audit_in(campaign).campaign), audit_in(campaign))
    assert report is not None and report.verdict is not None
    (_, fair, *_) = report.verdict.ranking.conditions
    assert fair.holds is None and "30 of each are needed" in fair.clause
    for row in report.groups:
        assert f"{row.test.members} and only other runs {row.test.others}" in fair.clause


def test_probes_are_shown_with_their_mean_grades(campaign: Campaign, make: Factory) -> None:
    carol, machine = make.make_user("carol"), campaign.sources.programs().get()
    prompt = MachinePrompt.objects.create(campaign=campaign, number=1, template="?", created_by=carol)
    labelling = MachineLabelling.objects.create(
        campaign=campaign, number=1, prompt=prompt, name="zebra", model="m", machine=machine, created_by=carol
    )
    for sample, (probe, grade) in enumerate([("plain", 0), ("plain", 0), ("order", 3), ("order", 2)], 1):
        MachineRequest.objects.create(
            labelling=labelling, pooled=make.pooled(campaign, "1", "D00"), sample=sample, probe=probe,
            relevance=grade, state=MachineRequest.State.ANSWERED,
        )  # fmt: skip
    shown = page(make)
    assert "An order to the judge inserted" in shown and "2.50" in shown


@pytest.mark.slow
def test_a_real_machine_judge_audited_with_real_labels(make: Factory) -> None:
    campaign = make.make_campaign(grades=FOUR_STEPS)
    people, machines = llm_judges(BUNDLED / LLM)
    name = "willia-umbrela1"
    order = random.Random(3)
    for tag, noise in (("good", 1.0), ("poor", 9.0)):
        scores = {pair: grade + noise * order.random() for pair, grade in people["NIST"].items()}
        if not campaign.topics.exists():
            for place, number in enumerate(dict.fromkeys(topic for topic, _ in scores)):
                Topic.objects.create(campaign=campaign, number=number, title=number, place=place)
        make.make_run(campaign, "\n".join(f"{t} {d} {s}" for (t, d), s in scores.items()), tag, tag)
    store_labels(campaign, people | {name: machines[name]}, [name])
    plan = SamplePlan(campaign.sources.programs().get(), 400, seed=1)
    drawn = draw_audit(campaign, make.make_user("carol"), plan, [make.make_user("alice")])
    assert drawn.given == 0  # every document has a label of people
    assert [each["sampled"] for each in drawn.audit.design["strata"]] == [211, 111, 55, 23]
    report = audit_report(CampaignReads(audit_in(campaign).campaign), audit_in(campaign))
    assert report is not None and report.effect.by_strata is not None
    truth = sum(grade >= 2 for grade in people["NIST"].values()) / len(people["NIST"])
    low, high, width = (getattr(report.share.stratified, field) for field in ("low", "high", "width"))
    assert low < truth < high and 0.066 < width < 0.08
    assert 400 < report.effect.by_strata < 600
    assert "use the labels themselves" in page(make)
    assert not JudgmentEvent.objects.filter(judge__username="alice").exists()
