"""Runs of machine judges: submitted, withdrawn, and ranked against the labels of people."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from assess.judge_runs.queries import judge_run_faults
from assess.judge_runs.services import JudgeRunDetails, submit_judge_run, withdraw_judge_run
from assess.models import JudgeRun
from assess.queries.campaigns import named_files
from assess.services.campaigns import delete_unnamed_files
from assess.services.imports import load_judgments
from config.archives.campaigns import export_campaign, import_campaign
from metrics.judge_runs.queries import KAPPA, TAU, JudgeRunRanking, judge_run_ranking
from metrics.measures.names import parse_measure
from pooling.campaign_states import StateRefused
from pooling.formats.files import BadFile
from pooling.formats.run_checks import RunRefused
from pooling.models import Campaign
from tests.metrics.shared_data import BUNDLED
from tests.support.factory import Factory
from tests.support.markup import markup

PAGE = "/campaigns/tiny/judge-runs/"
RANKING = "/campaigns/tiny/scores/1/judge-runs/"
LINES = "1 Q0 D1 3 0.9 llm\n1 Q0 D2 2 0.6 llm\n1 Q0 D3 0 1 llm\n2 Q0 D1 3 1 llm\n"


def build_campaign(make: Factory) -> Campaign:
    """Three runs: davelab's retrieves D2 first, which people found not relevant. Judge runs are accepted."""
    campaign = make.make_campaign()
    for number in ("1", "2"):
        make.make_topic(campaign, number)
    make.make_run(campaign, "1 D1 3\n1 D2 2\n2 D1 1", tag="good", group="carolab")
    make.make_run(campaign, "1 D3 3\n1 D1 2\n2 D1 1", tag="fair", group="carolab")
    make.make_run(campaign, "1 D2 3\n1 D3 2", tag="poor", group="davelab")
    make.make_pool(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(accepts_judge_runs=True)
    campaign.refresh_from_db()
    return campaign


def client_of(make: Factory, name: str) -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def submit(
    campaign: Campaign, make: Factory, lines: str = LINES, who: str = "dave", group: str = "davelab"
) -> JudgeRun:
    about = JudgeRunDetails(group, model="model-1")
    return submit_judge_run(campaign, make.make_user(who), lines.encode(), "llm.txt", about)


def judge(campaign: Campaign, make: Factory, state: str = "shared") -> None:
    people = b"1 0 D1 3\n1 0 D2 0\n1 0 D3 1\n2 0 D1 2\n"
    load_judgments(campaign, make.make_user("carol"), people, "people.qrels", "NIST")
    make.make_release(campaign, state)


def ranking(campaign: Campaign, make: Factory, who: str = "carol", order: str = KAPPA) -> JudgeRunRanking:
    release = campaign.releases.get()
    roles = campaign.memberships.filter(user=make.make_user(who)).values_list("role", flat=True)
    release.campaign.my_roles = frozenset(roles)
    return judge_run_ranking(make.make_user(who), release, parse_measure("P@1"), order)


def test_the_figures_of_a_small_example(campaign: Campaign, make: Factory) -> None:
    """People: 3 0 1 2, relevant from 2. The program: 3 2 0 3."""
    submit(campaign, make)
    judge(campaign, make)
    (row,) = ranking(campaign, make).rows
    assert row.figures and row.figures.order
    found, order = row.figures.agreement, row.figures.order
    assert (found.documents, found.labelled) == (4, 4)
    assert (found.table.tp, found.table.fp, found.table.fn, found.table.tn) == (2, 1, 0, 1)
    assert found.kappa.value == pytest.approx(1 / 4 - (2 / 4 + 1 / 4 + 0 + 1 / 4) / 4)  # observed less chance
    assert found.binary.value == pytest.approx((3 / 4 - 1 / 2) / (1 - 1 / 2))
    assert found.over_rating == pytest.approx((0 + 2 - 1 + 1) / 4)
    # bins: 0.9 is right; 0.6 is wrong; 1 and 1 are wrong, and in the bin of 0.9
    assert found.calibration_error == pytest.approx((abs(0.9 + 1 + 1 - 1) + 0.6) / 4)
    # P@1 by people: good 1, fair 0.5, poor 0; by the program: good 1, fair 0.5, poor 0.5
    assert order.tau.value == pytest.approx(2 / 3)
    assert (order.drop, row.dropped, order.own, order.own_change) == (0, "", 1, 1.0)


def test_documents_without_a_label_lower_the_coverage(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make, "1 Q0 D1 3 1 llm\n1 Q0 D77 3 1 llm\n")
    judge(campaign, make)
    (row,) = ranking(campaign, make).rows
    assert row.figures and row.figures.agreement.coverage == 0.25
    assert row.figures.agreement.calibration_error is None
    assert row.figures.agreement.kappa.reason


def test_files_after_the_release_stand_last(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make)
    judge(campaign, make)
    copied = "1 Q0 D1 3 1 copied\n1 Q0 D2 0 1 copied\n1 Q0 D3 1 1 copied\n2 Q0 D1 2 1 copied\n"
    submit(campaign, make, copied)
    for order in (KAPPA, TAU):
        rows = ranking(campaign, make, order=order).rows
        assert [(row.judge_run.tag, row.late) for row in rows] == [("llm", None), ("copied", 1)]


def test_participants_see_their_own_figures_once_they_may_see_the_release(
    campaign: Campaign, make: Factory
) -> None:
    submit(campaign, make)
    submit(campaign, make, LINES.replace("llm", "carolab-llm"), "carol", "carolab")
    judge(campaign, make, "internal")
    assert client_of(make, "dave").get(RANKING).status_code == 404
    campaign.releases.update(state="shared")
    page = markup(client_of(make, "dave").get(RANKING))
    assert "llm" in page and "carolab-llm" not in page and "Order of the runs" not in page
    table = client_of(make, "dave").get(RANKING + "csv/?order=tau").content.decode()
    assert "tau" not in table and "carolab" not in table
    campaign.releases.update(state="public")
    page = markup(client_of(make, "dave").get(RANKING))
    assert "carolab-llm" in page and "Order of the runs" in page


def test_the_table_has_every_figure(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make)
    judge(campaign, make)
    table = client_of(make, "rita").get(f"{RANKING}csv/?measure=P@5").content.decode()
    (row,) = csv.DictReader(io.StringIO(table))
    assert (row["tag"], row["kappa_binary"], row["own_runs_P@5"]) == ("llm", "0.5", "1")


def test_a_release_with_machine_lines_says_so(campaign: Campaign, make: Factory) -> None:
    submit(campaign, make)
    judge(campaign, make)
    release = campaign.releases.get()
    release.manifest["machines"] = [{"judge": "robot"}]
    release.save()
    assert "Not of people alone" in markup(client_of(make, "carol").get(RANKING))


def test_a_participant_submits_and_withdraws(campaign: Campaign, make: Factory) -> None:
    dave = client_of(make, "dave")
    form = {"file": SimpleUploadedFile("llm.txt", LINES.encode()), "kind": "automatic", "model": "model-1"}
    page = markup(dave.post(PAGE, form, follow=True))
    stored = campaign.judge_runs.get()
    assert "llm stored, 4 lines." in page and (stored.group, stored.line_count) == ("davelab", 4)
    assert stored.warnings == []
    sent = b"".join(dave.get(f"{PAGE}{stored.pk}/file/"))
    assert gzip.decompress(sent) == LINES.encode()
    assert "Withdraw llm?" in markup(dave.post(f"{PAGE}{stored.pk}/withdraw/"))
    dave.post(f"{PAGE}{stored.pk}/withdraw/", {"confirmed": "yes"})
    stored.refresh_from_db()
    assert stored.withdrawn_at
    assert submit(campaign, make).tag == "llm"  # the tag is free again
    verbs = list(campaign.audit_log.order_by("-number").values_list("verb", flat=True)[:3])
    assert verbs == [
        "submitted a run of a machine judge",
        "withdrew a run of a machine judge",
        "submitted a run of a machine judge",
    ]


def test_errors_are_listed_with_their_lines(campaign: Campaign, make: Factory) -> None:
    bad = b"1 Q0 D1 9 1 llm\n1 Q0 D2 1 2 llm\n"
    form = {"file": SimpleUploadedFile("llm.txt", bad), "kind": "automatic"}
    page = markup(client_of(make, "dave").post(PAGE, form))
    assert "expected a grade of the scale 0, 1, 2, 3 as label, found 9" in page
    assert "expected a confidence from 0 to 1" in page and not campaign.judge_runs.exists()


def test_other_groups_do_not_see_a_file(campaign: Campaign, make: Factory) -> None:
    stored = submit(campaign, make, who="carol", group="carolab")
    dave = client_of(make, "dave")
    assert "llm" not in markup(dave.get(PAGE)).split("Submit a judge run")[0]
    assert dave.get(f"{PAGE}{stored.pk}/file/").status_code == 404
    assert dave.post(f"{PAGE}{stored.pk}/withdraw/", {"confirmed": "yes"}).status_code == 404


def test_the_switch_decides_what_participants_may(campaign: Campaign, make: Factory) -> None:
    dave = client_of(make, "dave")
    listed = dave.get(f"{PAGE}pool/").content.decode()
    assert listed == "1 Q0 D1\n1 Q0 D2\n1 Q0 D3\n2 Q0 D1\n"
    stored = submit(campaign, make)
    Campaign.objects.filter(pk=campaign.pk).update(accepts_judge_runs=False)
    campaign.refresh_from_db()
    assert dave.get(f"{PAGE}pool/").status_code == 403
    assert dave.post(f"{PAGE}{stored.pk}/withdraw/", {"confirmed": "yes"}).status_code == 409
    with pytest.raises(StateRefused, match="not switched on"):
        submit(campaign, make, LINES.replace("llm", "other"))
    submit(campaign, make, LINES.replace("llm", "other"), "carol")  # an organiser may


def test_a_tag_is_taken_until_its_file_is_withdrawn(campaign: Campaign, make: Factory) -> None:
    stored = submit(campaign, make)
    with pytest.raises(BadFile, match="the tag llm is taken"):
        submit(campaign, make)
    withdraw_judge_run(stored, make.make_user("dave"))
    assert submit(campaign, make).pk != stored.pk


def test_published_agreement_of_llmjudge(make: Factory) -> None:
    """Kappas of the 2024 LLMJudge challenge, from the file of each judge and the labels of NIST."""
    folder = BUNDLED / "judges-llmjudge-2024"
    campaign = make.make_campaign()
    people = folder / "llmjudge_test_qrel_idx.txt"
    for number in dict.fromkeys(line.split()[0] for line in people.read_text().splitlines()):
        make.make_topic(campaign, number)
    load_judgments(
        campaign, make.make_user("carol"), people.read_bytes(), people.name, "NIST", extend_pool=True
    )
    make.make_release(campaign)
    for name in ("willia-umbrela1", "h2oloo-zeroshot1", "TREMA-4prompts"):
        submit(campaign, make, six_columns(folder / "scores" / f"{name}.txt", name), "carol")
    with pytest.raises(RunRefused, match="found 5") as refused:
        submit(campaign, make, six_columns(folder / "scores" / "RMITIR-llama70B.txt", "llama"), "carol")
    assert len(refused.value.errors) == 2
    rows = {row.judge_run.tag: row.figures for row in ranking(campaign, make).rows}
    assert list(rows) == ["willia-umbrela1", "h2oloo-zeroshot1", "TREMA-4prompts"]
    umbrela, trema = rows["willia-umbrela1"], rows["TREMA-4prompts"]
    assert umbrela and trema
    assert umbrela.agreement.kappa.value == pytest.approx(0.2863, abs=5e-5)
    assert umbrela.agreement.weighted.value == pytest.approx(0.5044, abs=5e-5)
    assert umbrela.agreement.binary.value == pytest.approx(0.3985, abs=5e-5)
    assert umbrela.agreement.relevant_share == pytest.approx(0.1938, abs=5e-5)
    assert umbrela.agreement.relevant_share_of_people == pytest.approx(0.2679, abs=5e-5)
    assert umbrela.agreement.table.recall == pytest.approx(0.460, abs=5e-4)
    assert umbrela.agreement.table.fallout == pytest.approx(0.096, abs=5e-4)
    assert trema.agreement.relevant_share == pytest.approx(0.5980, abs=5e-5)


def six_columns(path: Path, tag: str) -> str:
    """Return a file of qrels as a run of a machine judge without confidences."""
    return "".join(
        f"{topic} Q0 {docno} {label} 1 {tag}\n"
        for topic, _, docno, label in map(str.split, path.read_text().splitlines())
    )


def test_the_integrity_check_compares_the_file(campaign: Campaign, make: Factory) -> None:
    stored = submit(campaign, make)
    assert [fault for faults in judge_run_faults(campaign) for fault in faults] == []
    JudgeRun.objects.filter(pk=stored.pk).update(sha256="0" * 64, line_count=9)
    assert [fault.what for faults in judge_run_faults(campaign) for fault in faults] == [
        "run of a machine judge checksum",
        "run of a machine judge line count",
    ]
    stored.original.delete(save=False)
    (faults,) = judge_run_faults(campaign)
    assert [fault.what for fault in faults] == ["original of a machine judge"]


def test_a_file_that_is_lost_is_named_on_the_page(campaign: Campaign, make: Factory) -> None:
    stored = submit(campaign, make)
    judge(campaign, make)
    stored.original.delete(save=False)
    assert "The stored file cannot be read." in markup(client_of(make, "carol").get(RANKING))


def test_an_archive_has_the_file(campaign: Campaign, make: Factory, tmp_path: Path) -> None:
    stored = submit(campaign, make)
    withdraw_judge_run(stored, make.make_user("dave"))
    manifest = export_campaign(campaign, tmp_path / "tiny.zip")
    assert stored.original.name in manifest["files"]
    assert manifest["tables"]["assess.JudgeRun"]["rows"] == 1
    Campaign.objects.filter(pk=campaign.pk).update(slug="former")
    people = {name: name for name in ("carol", "alice", "bob", "dave", "rita", "ada")}
    arrived = import_campaign(tmp_path / "tiny.zip", people).campaign
    assert arrived.judge_runs.get().sha256 == stored.sha256


def test_deleting_a_campaign_deletes_its_files(campaign: Campaign, make: Factory) -> None:
    stored = submit(campaign, make)
    assert stored.original.name in named_files(campaign)
    delete_unnamed_files.call([stored.original.name])  # another row names it
    assert stored.original.storage.exists(stored.original.name)
