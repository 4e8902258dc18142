"""Files that are handed in reach their services: good ones are stored whole, damaged ones leave nothing.

`test_form_services` types anything into every form; files made of anything are hardly ever a run.
"""

from __future__ import annotations

import bz2
import gzip
import html
import json
import lzma
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import pairwise
from typing import Any, NamedTuple

import pytest
from django import forms
from django.conf import settings as installed
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from assess.active_learning.forms import CollectionForm
from assess.active_learning.queries.collections import opened
from assess.answers.forms import AnswerRunForm
from assess.clicks.forms import ClickLogForm
from assess.forms.imports import JudgmentsForm, MachineForm
from assess.forms.plans import ProbesForm
from assess.forms.runs import ReplacementForm
from assess.forms.sources import SourceFileForm
from assess.judge_runs.forms import JudgeRunForm
from assess.judge_runs.queries import judge_run_lines
from assess.models import (
    AnnotatedPeer,
    Answer,
    ClickedDocument,
    Judgment,
    JudgmentEvent,
    Probe,
    QueueEntry,
    RunSnippet,
)
from assess.pyramids.drafts.forms import PyramidDraftForm
from assess.pyramids.example import example_pyramid
from assess.pyramids.files import write_pan, write_pyr
from assess.snippets.forms import RunSnippetsForm
from metrics.ab_tests.forms import UsersForm
from metrics.interleaving.forms import ClicksForm
from metrics.models import ABTestFile, InterleavingClicks, SystemFigures
from metrics.pyramids.forms import PeersForm, PyramidForm
from metrics.system_quality.forms import SystemFiguresForm
from pooling.checksum import sha256_of
from pooling.forms.documents import DocumentsForm
from pooling.forms.runs import SubmissionForm
from pooling.forms.topics import TopicsSourceForm
from pooling.models import Campaign
from pooling.queries.documents import pooled_in
from pooling.queries.runs import docno_table, run_columns, submitted_text
from tests.assess.answers.files import answer_file
from tests.assess.pyramids.files import peer_with, pyramid_with
from tests.config.test_form_services import PLACES
from tests.config.test_form_services import stored as rows_of_tables
from tests.config.test_forms import FORMS, Files, build_campaign
from tests.support.factory import Factory
from tests.support.markup import markup

__all__ = ["build_campaign"]  # for the fixture of campaigns

Rows = frozenset[Any]


class Made(NamedTuple):
    """A good file. first: how many lines of head it has. wrong: lines that it must not hold, once a line of
    its own stands before them. rows: what is stored of it."""

    lines: list[str]
    wrong: list[str]
    rows: Rows
    first: int = 0
    suffix: str = "txt"  # inside an archive a table of documents is told by its name

    def content(self, end: str = "\n") -> bytes:
        return "".join(line + end for line in self.lines).encode()


class Upload(NamedTuple):
    """What is handed in, and what a campaign holds of its kind. taken: what is no damage to it."""

    field: str
    made: st.SearchStrategy[Made]
    held: Callable[[Campaign], Rows]
    data: dict[str, Any] = {}
    taken: tuple[bytes, ...] = ()
    zipped: bool = False


words = st.text("abcXYZ019-_.+é日", min_size=1, max_size=12)
titles = st.lists(words, min_size=1, max_size=4).map(" ".join)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
BYTES = [b"\xff", b"1 0 \xc3 1"]  # that are not UTF-8
blanks = st.sampled_from([" ", "\t", "  ", " \t "])
grades = st.sampled_from([0, 1, 2, 3])
docnos = words | st.sampled_from(["D1", "D2", "D3"])
POOLED = {("1", "D1"), ("1", "D2"), ("1", "D3"), ("2", "D1")}
pairs = st.lists(st.tuples(st.sampled_from("12"), docnos), min_size=1, max_size=8, unique=True)


@st.composite
def topics(draw: st.DrawFn) -> Made:
    """A table, JSON Lines or SGML."""
    numbers = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    rows = [(number, draw(titles), draw(titles)) for number in numbers]
    held = frozenset((*row, "") for row in rows)
    form = draw(st.sampled_from(["table", "json", "sgml"]))
    if form == "table":
        return Made(
            ["\t".join(row) for row in rows], ["n\tt\td\tn\tm", "\tt", "n n\tt", "n\t ", "n/n\tt"], held
        )
    if form == "json":
        lines = [json.dumps(dict(zip(("id", "title", "description"), row, strict=True))) for row in rows]
        return Made(lines, ["{", "[]", '{"id": "n"}', '{"id": "n n", "title": "t"}', '{"title": "t"}'], held)
    lines = [f"<top><num>{n}</num><title>{t}</title><desc>{d}</desc></top>" for n, t, d in rows]
    wrong = [
        "<top><num>n</num></top>",
        "<top><num>n n<title>t</top>",
        "<top><title>t</top>",
        "<top><num>" + "n" * 61,
    ]
    return Made(lines, wrong, held)


@st.composite
def runs(draw: st.DrawFn) -> Made:
    """With an ir_metadata header or none."""
    numbers = st.floats(-1e6, 1e6) | st.integers(-9, 9)
    rows = [(*pair, float(draw(numbers))) for pair in draw(pairs)]
    tag, between = draw(words), draw(blanks)
    lines = [between.join([topic, "Q0", docno, "1", f"{score!r}", tag]) for topic, docno, score in rows]
    head = ["# ir_metadata.start", "# actor:", "#   team: a", "# ir_metadata.end"] * draw(st.booleans())
    wrong = ["1 Q0 n 1 2.0", "9 Q0 n 1 2.0 t", "1 Q0 n 1 nan t", "1 Q0 n 1 1e999 t", "1 Q0 n\x01 1 2 t"]
    return Made([*head, *lines], [*wrong, lines[-1]], frozenset((tag, *row) for row in rows), len(head))


@st.composite
def documents(draw: st.DrawFn) -> Made:
    """JSON Lines, a table or SGML."""
    names = draw(st.lists(docnos, min_size=1, max_size=5, unique=True))
    form = draw(st.sampled_from(["json", "table", "sgml"]))
    rows = [(name, draw(titles), draw(texts if form == "json" else titles)) for name in names]
    held = frozenset(rows)
    if form == "json":
        lines = [json.dumps(dict(zip(("docno", "title", "text"), row, strict=True))) for row in rows]
        return Made(lines, ["{", "[]", '{"text": "t"}', '{"docno": "n n", "text": "t"}'], held)
    if form == "table":
        return Made(
            ["\t".join(row) for row in rows],
            ["n", "n\tt\td\tn\tm", "\tt\tt", "n n\tt\tt"],
            held,
            suffix="tsv",
        )
    lines = [f"<DOC><DOCNO>{n}</DOCNO><TITLE>{t}</TITLE><TEXT>{x}</TEXT></DOC>" for n, t, x in rows]
    return Made(lines, ["<DOC><TEXT>t</TEXT></DOC>", "<DOC><DOCNO>n n</DOCNO></DOC>"], held)


@st.composite
def qrels(draw: st.DrawFn) -> Made:
    """TREC's, BEIR's or NTCIR's, in the grades of others: 5 is our 3. Of a pooled document at least."""
    found = [("1", "D2"), *(pair for pair in draw(pairs) if pair != ("1", "D2"))]
    rows = [(*pair, draw(grades | st.just(5))) for pair in found]
    held = frozenset((topic, docno, 3 if grade == 5 else grade) for topic, docno, grade in rows)
    form, between = draw(st.sampled_from(["trec", "beir", "ntcir"])), draw(blanks)
    if form == "beir":
        head = ["query-id\tcorpus-id\tscore"]
        lines = [*head, *(between.join([topic, docno, f"{grade}"]) for topic, docno, grade in rows)]
        return Made(lines, ["1 n", "1 n x", "9 n 1", "1 n 9", "1 n 1.5", lines[-1]], held, len(head))
    mark = "L" if form == "ntcir" else ""
    lines = [between.join([topic, "0", docno, f"{mark}{grade}"]) for topic, docno, grade in rows]
    return Made(lines, ["1 n", "1 0 n x", f"9 0 n {mark}1", f"1 0 n {mark}9", lines[-1]], held)


def pooled_only(made: Made) -> Made:
    """A machine does not decide what is pooled."""
    return made._replace(rows=frozenset(row for row in made.rows if row[:2] in POOLED))


@st.composite
def click_logs(draw: st.DrawFn) -> Made:
    """Two sessions for each topic, one line a shown result; the second one clicks nothing."""
    found = [("1", "D2"), *(pair for pair in draw(pairs) if pair != ("1", "D2"))]
    rows = [(*pair, draw(st.integers(0, 1))) for pair in found]
    lines = [
        f"{topic},{session},{rank},{docno},{click * (session == 's')}"
        for rank, (topic, docno, click) in enumerate(rows, start=1)
        for session in "st"
    ]
    held = frozenset((topic, docno, 2, click) for topic, docno, click in rows if (topic, docno) in POOLED)
    wrong = ["1,n", "1,n,0,D1,0", "1,n,x,D1,0", "1,n,1,D1,2", "1,n,1,,0", '1,"n,1,D1,0', "1,n,1,D\x01,0"]
    return Made(["topic,session,rank,docno,click", *lines], wrong, held, 1)


@st.composite
def probes(draw: st.DrawFn) -> Made:
    rows = [(*pair, draw(grades), draw(titles | st.just(""))) for pair in draw(pairs) if pair != ("1", "D1")]
    rows = rows or [("2", "D9", 1, "")]
    between = draw(blanks)
    lines = [between.join([topic, docno, f"{grade}", why]) for topic, docno, grade, why in rows]
    wrong = ["1 n", "1 n x", "9 n 1", "1 n 9", "1 n -1", "1 D1 2 It is judged.", lines[-1]]
    return Made(lines, wrong, frozenset(rows))


@st.composite
def judge_runs(draw: st.DrawFn) -> Made:
    rows = [(*pair, draw(grades), draw(st.floats(0, 1))) for pair in draw(pairs)]
    tag, between = draw(words), draw(blanks)
    lines = [
        between.join([topic, "Q0", docno, f"{grade}", f"{confidence!r}", tag])
        for topic, docno, grade, confidence in rows
    ]
    wrong = ["1 Q0 n 1 1", f"9 Q0 n 1 1 {tag}", f"1 Q0 n 9 1 {tag}", f"1 Q0 n 1 2 {tag}", "1 Q0 n 1 1 t/t"]
    return Made(lines, [*wrong, lines[-1]], frozenset((tag, *row) for row in rows))


def judge_runs_held(campaign: Campaign) -> Rows:
    rows = set()
    for judge_run in campaign.judge_runs.all():
        found = judge_run_lines(judge_run)
        columns = found.topics, found.docnos, found.grades.tolist(), found.confidences.tolist()
        rows |= {(found.tag, *row) for row in zip(*columns, strict=True)}
    return frozenset(rows)


@st.composite
def answer_runs(draw: st.DrawFn) -> Made:
    """Answers to both topics in one of the forms."""
    sentences = st.lists(st.tuples(titles, st.lists(words, unique=True, max_size=3)), min_size=1, max_size=4)
    topics = draw(st.sampled_from(["1", "2", "12"]))
    form, tag = draw(st.sampled_from(["rag", "rag-2024", "rag-2026", "report"])), draw(words)
    answers = {topic: draw(sentences) for topic in topics}
    lines = answer_file(answers, form, tag=tag).decode().splitlines()
    own = partial(answer_file, form=form, tag=tag)
    bad = own({"9": [("A.", [])]}) + own({topics[0]: [("B.", [])]})
    wrong = ["{", "[]", "{}", *bad.decode().splitlines()]
    held = {
        (tag, topic, place, text, tuple(docnos))
        for topic, own_sentences in answers.items()
        for place, (text, docnos) in enumerate(own_sentences)
    }
    return Made(lines, [*wrong, lines[0]], frozenset(held), suffix="jsonl")


def answer_runs_held(campaign: Campaign) -> Rows:
    answers = Answer.objects.filter(run__campaign=campaign).select_related("run", "topic")
    return frozenset(
        (answer.run.tag, answer.topic.number, place, sentence.text, tuple(sentence.citations))
        for answer in answers
        for place, sentence in enumerate(answer.stored_sentences)
    )


@st.composite
def clicks(draw: st.DrawFn) -> Made:
    """CSV or JSON Lines, of sessions on one list that is no list of the campaign."""
    shown = {"topic": "1", "run_a": "run", "run_b": "other", "documents": "D1 D2", "teams": "A B"}
    sessions = draw(st.lists(st.sampled_from(["", "1", "2", "1 2"]), min_size=1, max_size=8))
    wins_a, wins_b = sessions.count("1"), sessions.count("2")
    clicked, decided = sum(map(bool, sessions)), wins_a + wins_b
    counts = ("1", len(sessions), clicked, wins_a, wins_b, len(sessions) - decided, decided)
    if draw(st.booleans()):
        rows = [json.dumps({**shown, "clicks": [*map(int, each.split())]}) for each in sessions]
        wrong = ["{", "[]", "{}", json.dumps({**shown, "clicks": [3]}), json.dumps({**shown, "topic": "9"})]
        return Made(rows, wrong, frozenset([counts]))
    head, cells = ",".join([*shown, "clicks"]), ",".join(shown.values())
    wrong = ["1", f"{cells},3", f"{cells},x", f"9{cells[1:]},1", "1,run,other,D1 D2,A C,1"]
    return Made([head, *(f"{cells},{each}" for each in sessions)], wrong, frozenset([counts]), 1)


@st.composite
def run_snippets(draw: st.DrawFn) -> Made:
    """Lines of topic, docno and snippet, some of them for every topic."""
    kept = draw(st.dictionaries(st.tuples(st.sampled_from("12*"), docnos), titles, min_size=1))
    rows = [f"{topic} {docno} {text}" for (topic, docno), text in kept.items()]
    held = frozenset((topic, docno, text) for (topic, docno), text in kept.items())
    return Made(rows, ["1 D1", f"1 {'D' * 201} text", rows[0]], held)


@st.composite
def system_figures(draw: st.DrawFn) -> Made:
    """A table or JSON Lines, of the two runs of the campaign."""
    keys = ["latency_ms", "index_bytes", "energy_kwh"]
    values = st.dictionaries(st.sampled_from(keys), st.floats(0, 1e12), min_size=1)
    figures = draw(st.dictionaries(st.sampled_from(["run", "other"]), values, min_size=1))
    held = frozenset((tag, frozenset(own.items())) for tag, own in figures.items())
    if draw(st.booleans()):
        rows = [json.dumps({"run": tag, **own}) for tag, own in figures.items()]
        wrong = ["{", "[]", '{"latency_ms": 1}', '{"run": "9", "latency_ms": 1}']
        return Made(rows, [*wrong, rows[0], '{"run": "run", "energy_kwh": -1}'], held)
    rows = [",".join([tag, *(f"{own.get(key, '')}" for key in keys)]) for tag, own in figures.items()]
    wrong = ["run,1", "9,1,2,3", "run,x,2,3", "run,1,-2,3", "run,1,2,1e999", rows[0]]
    return Made([",".join(["run", *keys]), *rows], wrong, held, 1)


WRONG_ELEMENTS = ["<wrong/>", "</wrong>", "&wrong;"]


def lines_of(content: bytes) -> list[str]:
    return content.decode().splitlines()


@st.composite
def ab_users(draw: st.DrawFn) -> Made:
    """Users of both variants of the test, one a line; the figures of each variant are stored."""
    clicks = st.lists(st.integers(0, 9), min_size=1, max_size=4)
    of_variants = {variant: draw(clicks) for variant in "AB"}
    users = iter(draw(st.lists(words, min_size=8, max_size=8, unique=True)))
    lines = [f"{variant},{next(users)},{n}" for variant, found in of_variants.items() for n in found]
    wrong = ["A,new", "C,new,1", "A,,1", ",new,1", "B,new,many", "B,new,1e99", "A,new,1,1"]
    held = frozenset((variant, len(found), sum(found)) for variant, found in of_variants.items())
    return Made(["variant,user,clicks", *lines], wrong, held, 1)


@st.composite
def pyramids(draw: st.DrawFn) -> Made:
    """For topic 2; the definitions are its head."""
    tiers = draw(st.dictionaries(st.integers(1, 3), st.integers(1, 3), min_size=1))
    pyramid = pyramid_with(tiers, 3)
    lines = lines_of(write_pyr(pyramid))
    held = frozenset([("2", 3, *pyramid.weights.items())])
    return Made(lines, WRONG_ELEMENTS, held, lines.index("<pyramid>"))


@st.composite
def annotated_peers(draw: st.DrawFn) -> Made:
    """For the pyramid of the campaign; the name of the file names the peer."""
    spans = draw(st.dictionaries(st.sampled_from([0, 77, 12, 31, 90]), st.integers(1, 2)))
    annotation = peer_with(example_pyramid(), spans)
    lines = lines_of(write_pan(annotation))
    held = frozenset([("good.txt", *annotation.spans.items())])
    return Made(lines, WRONG_ELEMENTS, held, lines.index("<peerAnnotation>"))


def topics_held(campaign: Campaign) -> Rows:
    return frozenset(campaign.topics.values_list("number", "title", "description", "narrative"))


def runs_held(campaign: Campaign) -> Rows:
    names = docno_table(campaign).docnos()
    rows = set()
    for run in campaign.runs.all():
        columns = run_columns(run)
        assert run.line_count == len(columns.ids) and run.sha256 == sha256_of(submitted_text(run))
        for topic, (start, end) in zip(columns.topics, pairwise(columns.offsets), strict=True):
            ranked = names[columns.ids[start:end]].tolist(), columns.scores[start:end].tolist()
            rows |= {(run.tag, topic, docno.decode(), score) for docno, score in zip(*ranked, strict=True)}
    return frozenset(rows)


def documents_held(campaign: Campaign) -> Rows:
    """What is stored, without the documents of the fixture, which a file may replace."""
    documents = campaign.documents.exclude(text__startswith="The text of D")
    return frozenset(documents.values_list("docno", "title", "text"))


def labels_held(campaign: Campaign) -> Rows:
    """What stands of judges who cannot sign in, its event with it, and done with where it is in a queue."""
    loaded = {"judge__is_active": False, "pooled__in": pooled_in(campaign)}
    said = ("pooled__topic__number", "pooled__docno", "relevance")
    rows = frozenset(Judgment.objects.filter(**loaded).values_list(*said))
    assert rows == frozenset(JudgmentEvent.objects.filter(**loaded).values_list(*said))
    waiting = QueueEntry.objects.filter(**loaded, state=QueueEntry.State.OPEN)
    assert rows.isdisjoint(waiting.values_list("pooled__topic__number", "pooled__docno"))
    return rows


def click_logs_held(campaign: Campaign) -> Rows:
    rows = ClickedDocument.objects.filter(log__campaign=campaign)
    return frozenset(rows.values_list("pooled__topic__number", "pooled__docno", "impressions", "clicks"))


def probes_held(campaign: Campaign) -> Rows:
    """None is left in a queue to be judged."""
    found = Probe.objects.filter(pooled__pool__campaign=campaign, withdrawn=False)
    waiting = QueueEntry.objects.filter(kind=QueueEntry.Kind.JUDGING, state=QueueEntry.State.OPEN)
    assert not waiting.filter(pooled__in=found.values("pooled")).exists()
    return frozenset(found.values_list("pooled__topic__number", "pooled__docno", "relevance", "why"))


def clicks_held(campaign: Campaign) -> Rows:
    files = InterleavingClicks.objects.filter(interleaving__campaign=campaign)
    return frozenset((topic, *counts) for file in files for topic, counts in file.counts.items())


def ab_users_held(campaign: Campaign) -> Rows:
    samples = [
        file.figures["samples"]["clicks"] for file in ABTestFile.objects.filter(ab_test__campaign=campaign)
    ]
    return frozenset((name, n, round(n * mean)) for each in samples for name, (n, mean, _) in each.items())


def run_snippets_held(campaign: Campaign) -> Rows:
    stored = RunSnippet.objects.filter(run__campaign=campaign).select_related("topic")
    return frozenset((each.topic.number if each.topic else "*", each.docno, each.text) for each in stored)


def system_figures_held(campaign: Campaign) -> Rows:
    rows = SystemFigures.objects.filter(run__campaign=campaign).select_related("run")
    return frozenset((row.run.tag, frozenset(row.figures.items())) for row in rows)


def pyramids_held(campaign: Campaign) -> Rows:
    found = campaign.pyramids.select_related("topic")
    return frozenset((each.topic.number, each.order, *each.weights.items()) for each in found)


def peers_held(campaign: Campaign) -> Rows:
    found = AnnotatedPeer.objects.filter(pyramid__campaign=campaign)
    return frozenset((each.peer, *each.span_counts.items()) for each in found)


def collections_held(campaign: Campaign) -> Rows:
    found = campaign.review_collections.all()
    records = [record for each in found for record in opened(each).records(range(each.document_count))]
    return frozenset((record.docno, record.title, record.text) for record in records)


UPLOADS: Mapping[type[forms.BaseForm], Upload] = {
    TopicsSourceForm: Upload("file", topics(), topics_held, {"text": "", "confirmed": "yes"}),
    SubmissionForm: Upload("run_files", runs(), runs_held, zipped=True),
    DocumentsForm: Upload(
        "file",
        documents(),
        documents_held,
        {"elements": "", "replace": "on"},
        taken=tuple(BYTES),
        zipped=True,
    ),
    CollectionForm: Upload("file", documents(), collections_held, taken=tuple(BYTES), zipped=True),
    AnswerRunForm: Upload("file", answer_runs(), answer_runs_held),
    JudgeRunForm: Upload("file", judge_runs(), judge_runs_held),
    JudgmentsForm: Upload(
        "file", qrels(), labels_held, {"grades": "5=3", "confirmed": "yes", "extend_pool": "yes"}
    ),
    MachineForm: Upload(
        "file",
        qrels().map(pooled_only),
        labels_held,
        {"grades": "5=3", "confirmed": "yes", "extend_pool": "yes"},
    ),
    ClickLogForm: Upload("file", click_logs(), click_logs_held),
    ProbesForm: Upload("file", probes(), probes_held, {"lines": ""}),
    ClicksForm: Upload("file", clicks(), clicks_held),
    UsersForm: Upload("file", ab_users(), ab_users_held),
    RunSnippetsForm: Upload("file", run_snippets(), run_snippets_held, {"run": "run"}),
    SystemFiguresForm: Upload("file", system_figures(), system_figures_held),
    PyramidForm: Upload("file", pyramids(), pyramids_held),
    PeersForm: Upload("file", annotated_peers(), peers_held),
}


def sent(client: Client, form: type[forms.BaseForm], name: str, content: bytes) -> str:
    """Hand in a file; return the page that comes of it, as a person reads it."""
    upload = UPLOADS[form]
    said = FORMS[form][1] | upload.data | {upload.field: SimpleUploadedFile(name, content)}
    response = client.post(PLACES[form].url, said, follow=True)
    assert response.status_code == 200
    return html.unescape(re.sub(r"<[^>]+>|\s+", " ", markup(response)))


def zipped(content: bytes, name: str) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "as it is": bytes, "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
}  # fmt: skip


def packed(content: bytes, kind: str, name: str) -> bytes:
    return zipped(content, name) if kind == "zip" else PACKERS[kind](content)


def packers(upload: Upload) -> st.SearchStrategy[str]:
    return st.sampled_from([*PACKERS, "zip"] if upload.zipped else [*PACKERS])


def all_stored() -> tuple[dict[str, int], list[str]]:
    """Every table's rows and every file that is kept."""
    files = installed.MEDIA_ROOT.rglob("*")
    return rows_of_tables(), sorted(f"{file}" for file in files if file.is_file())


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is stored in steps is stored in many: a fault behind the first would leave half a file."""
    monkeypatch.setattr("pooling.services.documents.BATCH_SIZE", 1)


@pytest.fixture
def carol(make: Factory) -> Client:
    client = Client()
    client.force_login(make.make_user("carol"))
    return client


each_upload = pytest.mark.parametrize("form", UPLOADS, ids=lambda form: form.__name__)
some_examples = settings(max_examples=15)


# These read a file as SubmissionForm and JudgmentsForm do; tests of runs and withdrawals have the rest.
SAME_READER = {ReplacementForm, SourceFileForm}
PLAIN_TEXT = {PyramidDraftForm}  # any text is a good file: see tests/assess/pyramids/test_drafts.py


def test_every_form_with_a_file_is_here(campaign: Campaign) -> None:
    fields = {form: FORMS[form][0](QueryDict(), Files(), campaign).fields.values() for form in PLACES}
    assert UPLOADS.keys() | SAME_READER | PLAIN_TEXT == {
        form for form, found in fields.items() if any(isinstance(field, forms.FileField) for field in found)
    }


@contextmanager
def undone() -> Iterator[None]:
    """Take back what happens here, out of the cache too: elsewhere nothing comes back under the same keys."""
    try:
        with transaction.atomic():
            yield
            transaction.set_rollback(True)
    finally:
        cache.clear()


@each_upload
def test_a_good_file_is_stored_whole(form: type[forms.BaseForm], campaign: Campaign, carol: Client) -> None:
    upload = UPLOADS[form]
    reached = []

    @some_examples
    @given(upload.made, packers(upload), st.sampled_from(["\n", "\r\n"]))
    def hand_in(made: Made, kind: str, end: str) -> None:
        with undone():
            before = upload.held(campaign)
            page = sent(carol, form, "good.txt", packed(made.content(end), kind, f"inside.{made.suffix}"))
            assert upload.held(campaign) == before | made.rows, page
            reached.append(page)

    hand_in()
    assert len(reached) >= 15


@each_upload
def test_a_line_that_is_wrong_is_named_and_nothing_of_its_file_is_stored(
    form: type[forms.BaseForm], campaign: Campaign, carol: Client
) -> None:
    upload = UPLOADS[form]

    @some_examples
    @given(upload.made, packers(upload), st.data())
    def hand_in(made: Made, kind: str, data: st.DataObject) -> None:
        place = data.draw(st.integers(made.first + 1, len(made.lines)))
        bad = [each.encode() for each in made.wrong] + [each for each in BYTES if each not in upload.taken]
        lines = [line.encode() for line in made.lines]
        lines.insert(place, data.draw(st.sampled_from(bad)))
        content = b"".join(line + b"\n" for line in lines)
        with undone():
            before = all_stored()
            page = sent(carol, form, "bad.txt", packed(content, kind, f"inside.{made.suffix}"))
            assert all_stored() == before
            assert (f"inside.{made.suffix}" if kind == "zip" else "bad.txt") in page, page
            assert re.search(rf"\bline {place + 1}\b", page, re.IGNORECASE), page

    hand_in()


@each_upload
def test_a_damaged_file_is_taken_whole_or_leaves_nothing_and_is_named(
    form: type[forms.BaseForm], campaign: Campaign, carol: Client
) -> None:
    upload = UPLOADS[form]

    @some_examples
    @given(upload.made, packers(upload), st.data())
    def hand_in(made: Made, kind: str, data: st.DataObject) -> None:
        content = packed(made.content(), kind, f"inside.{made.suffix}")
        start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        content = content[:start] + data.draw(st.binary(max_size=4)) + content[end:]
        with undone():
            before, held = all_stored(), upload.held(campaign)
            page = sent(carol, form, "bad.txt", content or b"\n")
            refused = " refused" in page
            assert refused == (all_stored() == before) == (upload.held(campaign) == held), page
            assert not refused or re.search(r"\b(bad\.txt|inside\.\w+)", page), page

    hand_in()
