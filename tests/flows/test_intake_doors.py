"""One file means the same at every entrance: pages, REST API, commands, command lines and library.

The files stand in `tests/data/intake/`. The expected rows and refusals are the same for all entrances.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from html import unescape
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client

import jurypool as jp
from accounts.services import create_token
from assess.kappa.label_file import parse_labels
from jurypool.__main__ import main
from pooling.models import Campaign, Run
from pooling.queries.runs import scored_lines
from pooling.refusals import Refused
from tests.support.factory import Factory
from tests.support.markup import markup

DATA = Path(__file__).parents[1] / "data" / "intake"
Row = tuple[str, str, float]
Outcome = frozenset[Row] | str  # the rows, or a part of the refusal

DOCNOS = ("D2", "D1", "D3", "D4", "D5")
TOPICS = ("101", "101", "101", "102", "102")


def run_rows(scores: Iterable[float], ending: str = "") -> frozenset[Row]:
    return frozenset(zip(TOPICS, (docno + ending for docno in DOCNOS), scores, strict=True))


BASE = run_rows([9, 8, 7, 5, 4])
RUNS: dict[str, Outcome] = {
    "base.run": BASE,
    "middle-blank.run": BASE,
    "trailing-blank.run": BASE,
    "bom-in-the-middle.run": BASE,
    "run.json": BASE,
    "run.jsonl": BASE,
    "endings.run": run_rows([9, 8, 7, 5, 4], ".txt"),
    "underflow.run": run_rows([3e-50, 1e-46, 1e-55, 2e-50, 1e-50]),
    "overflow.run": frozenset(
        zip(TOPICS, ("D1", "D3", "D2", "D4", "D5"), [9e40, 8e40, 7e39, 2e50, 1e50], strict=True)
    ),
    "long-topic.run": frozenset([("101", "D2", 1.0)]),
    "run-1.run": frozenset([("1", "D1", 9.0)]),
    "run-51.run": frozenset([("51", "D1", 9.0), ("52", "D2", 8.0)]),
    "subtopics.run": frozenset([("1", "b", 3.0), ("1", "a", 2.0), ("1", "c", 1.0)]),
    "self.run": frozenset([("D1", "D1", 9.0), ("D1", "D2", 8.0)]),
    "index-column.run": "the first column seems to number the lines",
    "tag-with-blanks.run": "a tag must not contain blanks",
    "base.qrels": "found 4, as qrels have",
    "qrels.xlsx": "an Excel workbook: save it as CSV",
    "runs.tar.gz": "a tar archive: unpack it first",
}
GRADES = frozenset(zip(TOPICS, DOCNOS, [0.0, 2, 1, 1, 0], strict=True))
QRELS: dict[str, Outcome] = {
    "base.qrels": GRADES,
    "bom-in-the-middle.qrels": GRADES,
    "beir.tsv": GRADES,
    "beir-decimals.tsv": GRADES,
    "semicolon.csv": frozenset([("101", "D1", 2.0), ("101", "D2", 0.0)]),
    "typo.qrels": frozenset([("101", "D1", 2.0), ("101", "D2-typo", 1.0)]),
    "self.qrels": frozenset([("D1", "D2", 1.0)]),
    "subtopics.qrels": "expected each document once in a topic, found 'a'",
    "base.run": "found 6, as a run has",
    "qrels.xlsx": "an Excel workbook: save it as CSV",
    "runs.tar.gz": "a tar archive: unpack it first",
    "run.parquet": "a Parquet file: save it as CSV",
}
ANY_TOPIC: dict[str, Outcome] = {  # qrels with topics that no campaign can have
    "quepid.csv": frozenset(
        [("garden bench oak", "D1", 2.0), ("garden bench oak", "D2", 0.0), ("lamp", "D4", 1.0)]
    ),
    "long-topic.qrels": frozenset([(f"enwiki:{'A' * 205}", "D1", 1.0), ("101", "D2", 1.0)]),
}
LABELS: dict[str, frozenset[tuple[str, str, str, int]] | str] = {
    "commas.csv": frozenset([("1", "D1", "ann", 1), ("1", "D1", "ben", 1)]),
    "words.tsv": frozenset([("1", "D1", "ann", 1), ("1", "D1", "ben", 0)]),
    "wide.csv": frozenset(
        ("all", docno, judge, grade)
        for docno, judge, grade in [
            ("D1", "ann", 2), ("D1", "ben", 1), ("D2", "ann", 0), ("D2", "ben", 0), ("D3", "ben", 1),
        ]
    ),
    "blank-label.tsv": "line 2: expected a label, found nothing",
    "qrels.xlsx": "an Excel workbook: save it as CSV",
    "runs.tar.gz": "a tar archive: unpack it first",
}  # fmt: skip


def build_campaign(make: Factory) -> Campaign:
    campaign = make.make_campaign()
    for topic in ("101", "102", "1", "51", "52", "D1"):
        make.make_topic(campaign, topic)
    return campaign


@pytest.fixture
def pooled(campaign: Campaign, make: Factory) -> Campaign:
    make.make_run(
        campaign, "\n".join(f"{topic} {docno} 1" for topic, docno in zip(TOPICS, DOCNOS, strict=True))
    )
    make.make_pool(campaign)
    return campaign


@pytest.fixture
def carol(campaign: Campaign, make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


@pytest.fixture
def script(campaign: Campaign, make: Factory) -> Client:
    """A program with a token of the organiser."""
    token = create_token(make.make_user("carol"), "script")
    return Client(headers={"Authorization": f"Bearer {token}"})


def upload(name: str) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, (DATA / name).read_bytes())


def agrees(expected: Outcome, found: Callable[[], Iterable[Row]], said: str) -> bool:
    """Tell whether an entrance stored the rows, or refused them with the words that are expected."""
    return expected in said if isinstance(expected, str) else frozenset(found()) == expected


def stored_rows(campaign: Campaign) -> list[Row]:
    (run,) = campaign.runs.all()
    lines = [line.split() for text in scored_lines(run) for line in text.decode().splitlines()]
    return [(topic, docno, float(score)) for topic, _, docno, _, score, _ in lines]


def labels_of(campaign: Campaign) -> list[Row]:
    labels = campaign.sources.get().user.judgments.all()
    return [(topic, docno, float(grade or 0)) for topic, docno, grade in labels.values_list(
        "pooled__topic__number", "pooled__docno", "relevance"
    )]  # fmt: skip


def said_by_command(*words: str) -> str:
    out = StringIO()
    try:
        call_command(*words, stdout=out, stderr=out)
    except CommandError as error:
        return f"{out.getvalue()}{error}"
    return out.getvalue()


def called(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(words)
    out, wrong = capsys.readouterr()
    return code, out, wrong


each_run = pytest.mark.parametrize("name", RUNS)
each_qrels = pytest.mark.parametrize("name", QRELS)


@each_run
def test_a_run_is_the_same_in_the_library_and_for_the_command_lines(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, expected, base = f"{DATA / name}", RUNS[name], f"{DATA / 'base.qrels'}"
    if isinstance(expected, str):
        with pytest.raises(Refused, match=expected):
            jp.read_run(path)
    else:
        run = jp.read_run(path)
        topics = [run.topics[index] for index in run.topic_of_rows()]
        docnos = [docno.decode() for docno in run.docnos.tolist()]
        assert frozenset(zip(topics, docnos, run.scores.tolist(), strict=True)) == expected
    code, out, wrong = called(capsys, "pool", "--k", "100", path)
    pairs = {tuple(line.split()) for line in out.splitlines()}
    assert expected in wrong if isinstance(expected, str) else pairs == {row[:2] for row in expected}
    assert (code != 0) is isinstance(expected, str)
    commands = ("evaluate", "--qrels", base, "--measures", "AP", "--format", "tsv", path), (
        "compare", path, path, "--qrels", base,
    )  # fmt: skip
    for words in commands:
        code, out, wrong = called(capsys, *words)
        if isinstance(expected, str):
            assert code and expected in wrong
        elif any(topic in TOPICS for topic, _, _ in expected):
            mean = jp.evaluate(sorted(expected), base, "AP")["AP"].mean
            assert not code and "AP\t" + (f"{mean:.6f}"[:5] if mean else "0") in out


@each_run
def test_a_run_is_the_same_on_the_page(name: str, campaign: Campaign, carol: Client) -> None:
    data = {"run_files": upload(name), "priority": "1", "tag_from": "name", "group": "g"}
    page = unescape(markup(carol.post("/campaigns/tiny/runs/", data)))
    assert agrees(RUNS[name], lambda: stored_rows(campaign), page), page
    assert isinstance(RUNS[name], str) != campaign.runs.exists()


@each_run
def test_a_run_is_the_same_for_the_api(name: str, campaign: Campaign, script: Client) -> None:
    answer = script.post("/api/campaigns/tiny/runs/", {"file": upload(name), "tag": "t"})
    assert agrees(RUNS[name], lambda: stored_rows(campaign), answer.json().get("detail", ""))
    assert answer.status_code == (422 if isinstance(RUNS[name], str) else 201)


@each_run
def test_a_run_is_the_same_for_the_management_command(name: str, campaign: Campaign, carol: Client) -> None:
    said = said_by_command("submit_runs", "tiny", f"{DATA / name}", "--tag-from", "name")
    assert agrees(RUNS[name], lambda: stored_rows(campaign), said), said


@pytest.mark.parametrize("name", [*QRELS, *ANY_TOPIC])
def test_judgments_are_the_same_in_the_library_and_for_the_command_lines(
    name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, expected = f"{DATA / name}", (QRELS | ANY_TOPIC)[name]
    if name == "run.parquet":
        pass  # the library reads it, and refuses its fields; see the next tests
    elif isinstance(expected, str):
        with pytest.raises(Refused, match=expected):
            jp.read_qrels(path)
    else:
        qrels = jp.read_qrels(path)
        topics = [qrels.topics[index] for index in qrels.topic_of_rows()]
        docnos = [docno.decode() for docno in qrels.docnos.tolist()]
        assert frozenset(zip(topics, docnos, qrels.grades.tolist(), strict=True)) == expected
    run = tmp_path / "all.run"
    rows = frozenset({("101", "D2", 1.0)}) if isinstance(expected, str) else expected
    run.write_text("".join(f"{topic.split()[0]} Q0 {docno} 1 1 all\n" for topic, docno, _ in sorted(rows)))
    for words in (
        ("evaluate", "--qrels", path, "--measures", "AP nDCG", "--format", "json", "--by-topic", f"{run}"),
        ("compare", f"{run}", f"{run}", "--qrels", path),
        ("pool", "--strategy", "mtf", "--budget", "100", "--qrels", path, f"{run}"),
    ):
        code, _, wrong = called(capsys, *words)
        assert (code != 0 and expected in wrong) if isinstance(expected, str) else code == 0, words


@each_qrels
def test_judgments_are_the_same_on_the_page(name: str, pooled: Campaign, carol: Client) -> None:
    data: dict[str, Any] = {"judge": "NIST", "confirmed": "yes", "extend_pool": "yes"}
    data |= {"file": upload(name)}
    page = unescape(markup(carol.post("/campaigns/tiny/judging/load/", data, follow=True)))
    assert agrees(QRELS[name], lambda: labels_of(pooled), page), page
    assert isinstance(QRELS[name], str) != pooled.sources.exists()


@each_qrels
def test_judgments_are_the_same_for_the_api(name: str, pooled: Campaign, script: Client) -> None:
    data = {"judge": "NIST", "extend_pool": "true", "file": upload(name)}
    answer = script.post("/api/campaigns/tiny/judges/", data)
    assert agrees(QRELS[name], lambda: labels_of(pooled), answer.json().get("detail", "")), answer.json()


@each_qrels
def test_judgments_are_the_same_for_the_management_command(
    name: str, pooled: Campaign, carol: Client
) -> None:
    said = said_by_command("load_judgments", "tiny", f"{DATA / name}", "--judge", "NIST", "--extend-pool")
    assert agrees(QRELS[name], lambda: labels_of(pooled), said), said


@pytest.mark.parametrize("name", ANY_TOPIC)
def test_judgments_of_topics_that_the_campaign_lacks_are_refused_by_their_topic(
    name: str, pooled: Campaign, carol: Client, script: Client
) -> None:
    said = said_by_command("load_judgments", "tiny", f"{DATA / name}", "--judge", "NIST")
    answer = script.post("/api/campaigns/tiny/judges/", {"judge": "NIST", "file": upload(name)})
    page = markup(carol.post("/campaigns/tiny/judging/load/", {"judge": "NIST", "file": upload(name)}))
    for text in (said, answer.json()["detail"], page):
        assert "is not in this campaign" in text


def test_an_unknown_docno_of_judgments_is_counted_and_the_pool_stays(
    pooled: Campaign, script: Client
) -> None:
    answer = script.post("/api/campaigns/tiny/judges/", {"judge": "NIST", "file": upload("typo.qrels")})
    assert [answer.json()[count] for count in ("labels", "outside", "unknown", "newly_pooled")] == [
        1,
        1,
        1,
        0,
    ]
    assert pooled.pools.count() == 1


@pytest.mark.parametrize("name", LABELS)
def test_labels_are_the_same_in_the_library_and_for_kappa(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path, expected = f"{DATA / name}", LABELS[name]
    code, out, wrong = called(capsys, "kappa", path, "--json", "--draws", "0")
    if isinstance(expected, str):
        assert code == 2 and expected in wrong
        with pytest.raises(Refused, match=expected):
            jp.agreement(path)
        return
    assert code == 0 and json.loads(out)["file"] == path
    assert frozenset(parse_labels((DATA / name).read_bytes(), None, name).records) == expected
    assert jp.agreement(path, draws=0) == jp.agreement(sorted(expected), draws=0)


def scores(name: str, qrels: str = "base.qrels", measure: str = "AP", **settings: Any) -> float:
    result = jp.evaluate(f"{DATA / name}", f"{DATA / qrels}", measure, **settings)
    return float(round(result[measure].mean, 4))


def test_the_scores_are_those_of_trec_eval_and_beir() -> None:
    assert {name: scores(name) for name in RUNS if RUNS[name] == BASE} == dict.fromkeys(
        (name for name in RUNS if RUNS[name] == BASE), 0.7917
    )
    assert [scores(name) for name in ("underflow.run", "overflow.run")] == [0.6667, 0.6667]
    exact = [scores(name, profile="trec_eval-10") for name in ("underflow.run", "overflow.run")]
    assert exact == [0.9167, 1.0]
    assert scores("long-topic.run", "long-topic.qrels", missing="intersection") == 1.0
    assert scores("self.run", "self.qrels", "nDCG@10") == 0.6309
    assert scores("self.run", "self.qrels", "nDCG@10", ignore_identical_ids=True) == 1.0


@pytest.mark.parametrize(
    ("run", "note"),
    [
        ("endings.run", "no document of this run is in the qrels"),
        ("underflow.run", "32-bit"),
        ("overflow.run", "32-bit"),
    ],
)
def test_a_run_that_scores_oddly_has_a_note(run: str, note: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "--qrels", f"{DATA / 'base.qrels'}", "--measures", "AP", f"{DATA / run}"]
    assert note in called(capsys, *words)[2]


def test_subtopics_are_refused_by_ad_hoc_measures_whatever_else_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    qrels, run = f"{DATA / 'subtopics.qrels'}", f"{DATA / 'subtopics.run'}"
    for measures in ("nDCG@20", "alpha_nDCG@20 nDCG@20"):
        code, out, wrong = called(capsys, "evaluate", "--qrels", qrels, "--measures", measures, run)
        assert (code, out) == (2, ""), (measures, out)
        assert "subtopics" in wrong
    assert called(capsys, "evaluate", "--qrels", qrels, "--measures", "alpha_nDCG@20", run)[0] == 0


def test_a_parquet_file_is_read_by_the_library_and_named_elsewhere(
    campaign: Campaign, script: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"{DATA / 'run.parquet'}"
    run = jp.read_run(path)
    assert sorted(run.scores.tolist()) == [4, 5, 7, 8, 9]
    assert "a Parquet file: save it as CSV" in called(capsys, "pool", path)[2]
    answer = script.post("/api/campaigns/tiny/runs/", {"file": upload("run.parquet")})
    assert "a Parquet file: save it as CSV" in answer.json()["detail"]


def test_an_archive_of_runs_is_taken_by_the_page_and_named_elsewhere(
    campaign: Campaign, carol: Client, script: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    data = {"run_files": upload("mac.zip"), "priority": "1", "tag_from": "name", "group": "g"}
    carol.post("/campaigns/tiny/runs/", data)
    assert {run.tag for run in Run.objects.all()} == {"a", "b"}
    assert "a zip archive: unpack it first" in called(capsys, "pool", f"{DATA / 'mac.zip'}")[2]
    answer = script.post("/api/campaigns/tiny/runs/", {"file": upload("mac.zip")})
    assert "a zip archive: unpack it first" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["middle-blank.run", "trailing-blank.run", "tag-with-blanks.run"])
def test_trec_eval_mode_takes_what_trec_eval_takes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["trec-eval", "-m", "map", f"{DATA / 'base.qrels'}", f"{DATA / name}"]
    assert called(capsys, *words)[:2] == (0, "map                   \tall\t0.7917\n")


@pytest.mark.parametrize("name", ["beir.tsv", "semicolon.csv"])
def test_trec_eval_mode_refuses_qrels_that_trec_eval_cannot_read(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, wrong = called(capsys, "trec-eval", f"{DATA / name}", f"{DATA / 'base.run'}")
    assert (code != 0, out) == (True, "")
    assert "expected 4 fields" in wrong
