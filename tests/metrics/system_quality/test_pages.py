"""System quality on its page: the front, figures of tables and headers, their removal, who sees what."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from metrics.models import SystemFigures
from metrics.system_quality.services import FiguresRefused, load_figures, remove_figures
from pooling.formats.files import BadFile
from pooling.models import AuditLogEntry, Campaign, Run
from pooling.services.runs import Submission, submit_run
from tests.support.factory import Factory
from tests.support.markup import markup

Commits = Callable[..., AbstractContextManager[object]]
PAGE = "/campaigns/tiny/scores/system-quality/"
TABLE = b"""run,latency_ms,index_bytes,throughput_qps,hardware
run,30,2e9,9,big server
other,10,1e9,5,
third,30,1e9,5,
"""


@pytest.fixture
def campaign(make: Factory) -> Campaign:
    """Of the runs, `run` has AP 1 on topic 1; `other` and `third` have the relevant document later."""
    campaign = make.make_pooled_campaign()
    make.make_run(campaign, "1 D2 3\n1 D1 2", tag="other", group="davelab")
    make.make_run(campaign, "1 D2 3\n1 D1 2\n1 D3 1", tag="third", group="davelab")
    make.make_run(campaign, "1 D3 3", tag="silent", group="davelab")
    make.make_judgment(campaign, "alice", "1", "D1", 3)
    make.make_release(campaign)
    return campaign


def signed_in(make: Factory, name: str = "carol") -> Client:
    client = Client()
    client.force_login(make.make_user(name))
    return client


def load(campaign: Campaign, make: Factory, table: bytes = TABLE) -> int:
    return load_figures(campaign, make.make_user("carol"), table, "costs.csv").changed


def front_of(page: str) -> list[str]:
    return re.findall(r'<b class="tag">(.*?)</b>', page)


def test_the_undominated_runs_are_named_and_marked(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    page = markup(signed_in(make).get(PAGE, {"measures": "AP"}))
    assert "Of 3 runs with a figure for latency, 2 are undominated on AP" in page
    assert front_of(page) == ["other", "run"]
    assert "1 not compared on latency" in page and '<span class="tag">silent</span>' in page
    marks = re.findall(r"<tr>\s*<th scope=\"row\" class=\"tag\" title=\"(\w+)\">.*?</tr>", page, re.DOTALL)
    assert marks == ["other", "run", "third"]


def test_equal_runs_are_on_the_front_together_and_higher_throughput_is_better(
    campaign: Campaign, make: Factory
) -> None:
    load(campaign, make)
    client = signed_in(make)
    size = markup(client.get(PAGE, {"measures": "AP", "cost": "index_bytes"}))
    assert front_of(size) == ["other", "third", "run"] and "Index size (GB)" in size
    speed = markup(client.get(PAGE, {"measures": "AP", "cost": "throughput_qps"}))
    assert front_of(speed) == ["run"] and "1 is undominated" in speed


def test_the_front_of_a_group_is_that_of_its_runs(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    page = markup(signed_in(make).get(PAGE, {"measures": "AP", "group": "davelab"}))
    assert "Of 2 runs of davelab" in page and front_of(page) == ["other"]
    odd = {"measures": "AP", "group": "nobody", "cost": "cost-XXX", "release": "99"}
    assert front_of(markup(signed_in(make).get(PAGE, odd))) == ["other", "run"]


def test_a_measure_that_is_no_quality_has_no_front(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    page = markup(signed_in(make).get(PAGE, {"measures": "NumRet"}))
    assert "NumRet does not measure quality" in page and front_of(page) == []


def rows_of(client: Client, **asked: str) -> dict[str, dict[str, str]]:
    text = client.get(f"{PAGE}tsv/", asked).content.decode()
    return {row["run"]: row for row in csv.DictReader(io.StringIO(text), delimiter="\t")}


def test_the_file_has_all_runs_and_can_be_loaded_again(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    client = signed_in(make)
    rows = rows_of(client, measures="AP")
    assert {tag: row["undominated"] for tag, row in rows.items()} == {
        "run": "1", "other": "1", "third": "0", "silent": "",
    }  # fmt: skip
    assert float(rows["run"]["AP"]) == 1.0 and float(rows["other"]["AP"]) == 0.5
    assert load(campaign, make, client.get(f"{PAGE}tsv/").content) == 0


def test_a_table_that_is_loaded_again_changes_nothing(campaign: Campaign, make: Factory) -> None:
    assert load(campaign, make) == 3
    entries = AuditLogEntry.objects.filter(verb="loaded system figures")
    assert entries.count() == 1
    assert load(campaign, make) == 0 and entries.count() == 1
    assert load(campaign, make, b"run,latency_ms\nother,11\n") == 1
    latest = entries.order_by("-number")[0]
    assert latest.sentence == "1 run, from costs.csv"
    assert latest.details["changes"]["other"]["was"]["index_bytes"] == 1e9
    assert SystemFigures.objects.get(run__tag="other").figures == {"latency_ms": 11}


def test_of_a_table_with_an_error_nothing_is_stored(campaign: Campaign, make: Factory) -> None:
    file = SimpleUploadedFile("costs.csv", b"run,latency_ms\nother,11\nnobody,12\n")
    page = markup(signed_in(make).post(PAGE, {"file": file}))
    assert "costs.csv was refused" in page and "Line 3:" in page and "found &#x27;nobody&#x27;" in page
    assert not SystemFigures.objects.exists()
    with pytest.raises(BadFile):
        load(campaign, make, b"run,latency_ms\nother,11\nnobody,12\n")


def test_figures_are_removed_after_a_question(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    client, address = signed_in(make), f"{PAGE}runs/other/remove/"
    assert "Remove the system figures of other" in markup(client.post(address))
    assert SystemFigures.objects.count() == 3
    client.post(address, {"confirmed": "yes"})
    assert {row.run.tag for row in SystemFigures.objects.all()} == {"run", "third"}
    entry = AuditLogEntry.objects.get(verb="removed system figures")
    assert entry.details["figures"]["latency_ms"] == 10
    with pytest.raises(FiguresRefused, match="has no system figures"):
        remove_figures(Run.objects.get(tag="other"), make.make_user("carol"))
    assert client.get(address).status_code == 302


def submit(campaign: Campaign, make: Factory, header: str, tag: str) -> Run:
    head = "".join(f"# {line}\n" for line in header.splitlines())
    text = f"# ir_metadata.start\n{head}# ir_metadata.end\n1 Q0 D1 1 2.0 {tag}\n"
    return submit_run(campaign, make.make_user("dave"), text.encode(), f"{tag}.run", Submission(group="g"))


def test_the_header_of_a_submitted_run_is_taken(
    make: Factory, django_capture_on_commit_callbacks: Commits
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    with django_capture_on_commit_callbacks(execute=True):
        run = submit(campaign, make, "resources: {runtime: {wallclock: 171 ms}}", "tracked")
        submit(campaign, make, "tag: plain", "plain")
    figures = run.system_figures
    assert figures.figures == {"run_seconds": 0.171} and figures.origin == "header"
    assert campaign.audit_log.filter(verb="took system figures of a run").count() == 1
    assert SystemFigures.objects.count() == 1


def test_a_header_with_a_bad_figure_does_not_refuse_the_run(
    make: Factory, django_capture_on_commit_callbacks: Commits
) -> None:
    campaign = make.make_campaign()
    make.make_topic(campaign)
    with django_capture_on_commit_callbacks(execute=True):
        run = submit(campaign, make, "resources: {runtime: {wallclock: long}}", "odd")
    assert run.system_figures.figures == {}
    page = markup(signed_in(make).get(PAGE))
    assert "the figures of the header were not taken" in page and "resources, runtime, wallclock" in page
    assert "resources, runtime, wallclock" not in markup(signed_in(make, "dave").get(PAGE))


def test_participants_see_their_own_runs_until_the_release_is_public(
    campaign: Campaign, make: Factory
) -> None:
    load(campaign, make)
    dave = signed_in(make, "dave")
    assert set(rows_of(dave)) == {"other", "third", "silent"}
    assert "big server" not in markup(dave.get(PAGE))
    make.publish(campaign)
    assert set(rows_of(dave)) == {"run", "other", "third", "silent"}
    assert "Load figures" not in markup(dave.get(PAGE))


def test_before_a_release_organisers_see_the_figures_and_others_nothing(make: Factory) -> None:
    campaign = make.make_pooled_campaign()
    assert "No system figures" in markup(signed_in(make).get(PAGE))
    assert signed_in(make).get(f"{PAGE}tsv/").status_code == 404
    load(campaign, make, b"run,latency_ms\nrun,30\n")
    page = markup(signed_in(make).get(PAGE))
    assert "1 run has figures." in page and "Scores stand beside them from the first release on." in page
    assert "data-plot" not in page
    assert "No system figures" in markup(signed_in(make, "rita").get(PAGE))


def test_the_plot_has_the_points_in_order_and_marks_the_front(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    plot = signed_in(make).get(PAGE, {"measures": "AP"}).context["plot"]
    assert plot.rows == [
        [10.0, 0.5, "other", "davelab", "yes"],
        [30.0, 1.0, "run", "carolab", "yes"],
        [30.0, 0.5, "third", "davelab", ""],
    ]
    assert plot.more == {"front": 4, "groups": 3} and plot.columns[:2] == ["Latency (ms)", "mean AP"]


def test_points_of_one_group_need_no_symbols_of_groups(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    plot = signed_in(make).get(PAGE, {"measures": "AP", "group": "davelab"}).context["plot"]
    assert plot.more == {"front": 4}


def test_different_hardware_is_named(campaign: Campaign, make: Factory) -> None:
    load(campaign, make)
    assert "different hardware" not in markup(signed_in(make).get(PAGE))
    load(campaign, make, b"run,latency_ms,hardware\nother,10,laptop\n")
    assert "not be comparable: big server; laptop." in markup(signed_in(make).get(PAGE))
