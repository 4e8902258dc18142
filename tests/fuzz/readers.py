"""Everything that reads what people hand in, with good files to begin from and what each may refuse with.

tests/fuzz/test_readers.py has every reader of the house stand here; `make fuzz` lets atheris loose on them.
"""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, NamedTuple

from assess.answers.answer_checks import AnswerRequirements, check_answers, parse_answers
from assess.answers.answer_files import read_answer_lines
from assess.battle_programs.replies import read_choice
from assess.battle_programs.vote_files import read_votes
from assess.clicks.click_csv import read_click_csv
from assess.clicks.click_table import ClickTable, select_lists
from assess.clicks.query_mapping import read_query_mapping
from assess.clicks.ubi import read_ubi
from assess.forms.judging import parse_payload
from assess.gold_lines import read_gold_lines
from assess.kappa.label_file import parse_labels
from assess.machines.batch import read_results
from assess.machines.final_marks import read_final_mark
from assess.machines.replies import grade_probabilities, read_reply
from assess.machines.responses import Completion
from assess.magnitudes.numbers import parse_magnitude
from assess.matching_programs.label_files import read_program_labels
from assess.matching_programs.replies import read_label
from assess.nuggets.assignments import read_assignments
from assess.nuggets.bank_files import read_banks
from assess.nuggets.banks import NUGGETS, QUESTIONS, Nugget, NuggetBank, write_banks
from assess.pyramids.files import read_pan, read_pyr
from assess.snippets.files import read_snippets
from config.archives.campaigns import read_people_map
from config.archives.zip_file import BadArchive, create_archive, open_archive
from jurypool.answers import read_answers
from jurypool.nuggets import read_assignments as read_assignments_of_library
from jurypool.nuggets import read_nuggets
from jurypool.pyramid import pyramid_score, read_peer_annotation, read_pyramid
from jurypool.reading import read_labels, read_qrels, read_run, read_runs
from metrics.ab_tests.figures import figures_of
from metrics.ab_tests.reader import read_users
from metrics.interleaving.clicks import Comparison, read_clicks
from metrics.interleaving.lists import MergedList
from metrics.measures.base import BadMeasure, UnknownMeasure
from metrics.measures.names import parse_measures
from metrics.system_quality.files import read_system_figures
from metrics.system_quality.header import read_header_figures
from metrics.trec_eval.preferences import parse_preferences
from metrics.worked_example import BadExample, read_example
from pooling.checksum import sha256_of
from pooling.formats.archives import archive_files
from pooling.formats.documents.reading import FORMS, read_collection, read_documents
from pooling.formats.documents.record import DocumentRecord
from pooling.formats.documents.xml import parse_mapping
from pooling.formats.files import BadFile, decode, read_file, unpack
from pooling.formats.images import ImageRecord, read_image_header, read_images
from pooling.formats.judge_runs import JudgeRunRequirements, check_judge_run, parse_judge_run
from pooling.formats.qrels import judgment_file, parse_prels, parse_qrels
from pooling.formats.run_checks import RunRequirements, check_run_file
from pooling.formats.run_header import read_header
from pooling.formats.run_order import ASCENDING
from pooling.formats.runs import parse_run
from pooling.intake.people import PersonLine, read_people
from pooling.intake.topics import read_topic_file
from pooling.manifest import pool_plan_of
from pooling.refusals import Refused
from pooling.scale import PRESETS, BadScale, parse_scale, write_scale
from pooling.strategies.strata import parse_strata
from tests.assess.answers.files import answer_file
from tests.assess.nuggets import files as nugget_files
from tests.assess.pyramids.files import PAN, PYR
from tests.pooling.files import TINY
from tests.support.images import GIF, JPEG, WEBP, png
from tests.support.images import zipped as zipped_images

LIMIT = 1 << 24  # bytes after unpacking
RUN = b"401 Q0 FT911-1 1 2.5 tag\n401 Q0 FT911-2 2 1e-3 tag\n402 Q0 FT911-1 1 -7 tag\n"
QRELS = b"401 0 FT911-1 1\n401 0 FT911-2 -1\n402 0 FT911-1 0\n"
JUDGE_RUN = b"401 Q0 FT911-1 1 0.5 llm\n401 Q0 FT911-2 0 1 llm\n"
PRELS = b"401 0 FT911-1 1 2\n401 0 FT911-2 2 -1\n"
HEADER = b"""# ir_metadata.start
# tag: sloop
# actor: {team: harbour}
# method:
#   automatic: false
# research goal:
#   description: >-
#     Does sailing help?
# ir_metadata.end
"""
FIGURES_HEADER = b"""# ir_metadata.start
# platform: {hardware: {cpu: {model: a}, ram: 32 GB}}
# resources:
#   runtime: {wallclock: 171 ms}
#   cpu: {energy used system: 36 J}
# metadata: {latency_ms: 2.5, cost: 1, currency: EUR}
# ir_metadata.end
"""
IN_MEMORY = [b'{"7": {"D1": 2, "D2": 1}, "8": {"D1": 1}}', b'[["7", "D1", 2], ["7", "D2", 1]]']
KEY = b"ab" * 32
TOKEN = {"token": "2", "logprob": -0.1, "top_logprobs": [{"token": "1", "logprob": -3}]}
CHOICE = {"message": {"content": "2"}, "finish_reason": "stop", "logprobs": {"content": [TOKEN]}}
USAGE = {"prompt_tokens": 40, "completion_tokens": 1}
BODY = {"model": "m-1", "choices": [CHOICE], "usage": USAGE}
RESULT = json.dumps({"custom_id": KEY.decode(), "response": {"status_code": 200, "body": BODY}}).encode()
PLAN = {"strategy": "depth", "parameters": {"k": 10}, "seed": 7, "ties": ASCENDING}
PARCEL = {"judge": 1, "topic": "7", "have": [4], "want": 3, "labels": [{"relevance": "2"}]}
XML = parse_mapping("document=DOC docno=DOCNO title=TITLE|HEADLINE text=TEXT|LEAD+BODY url=DOC@href")
UBI: list[dict[str, Any]] = [
    {"query_id": "q", "user_query": "a b", "client_id": "c", "query_response_hit_ids": ["D1", "D2"]},
    {
        "action_name": "click",
        "query_id": "q",
        "timestamp": "2026-03-01T09:00:00Z",
        "event_attributes": {"position": {"ordinal": 2}, "object": {"object_id": "D2"}},
    },
]
KIND, ROW = "campaign", b'{"id": 1}\n'
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=latin-1\r\n\r\n<title>a</title><p>b"
WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Target-URI: http://e.org/\r\n"
    b"Content-Length: %d\r\n\r\n%s\r\n\r\n" % (len(HTTP), HTTP)
)
MARKED_UP = [  # by the mappings of clef, ntcir, inex and reuters
    b"<DOC><DOCID>d1</DOCID><TI>a</TI><LD>b</LD><TX>c</TX><DATE>1994</DATE></DOC>",
    b"<REC><ACCN>d1</ACCN><TITL>a</TITL><ABST><ABST.P>b</ABST.P></ABST></REC>",
    b"<article><name id='7'>a</name><bdy><p>b &amp; c</p></bdy></article>",
    b"<!DOCTYPE lewis>\n<REUTERS NEWID='1'><TEXT><TITLE>a</TITLE><BODY>b</BODY></TEXT></REUTERS>",
]


TWO_RUNS = {"7": ["D1", "D2"]}, {"7": ["D2", "D1"]}
INTERLEAVED = Comparison(
    ("x", "y"), "team-draft", TWO_RUNS, [MergedList("ab", "7", ["D1", "D2"], ["A", "B"])]
)


class Reader(NamedTuple):
    """One way in. function: its dotted name. read: gives records, or anything else. refuses: all that it may
    raise, whatever it is given."""

    function: str
    read: Callable[[bytes], object]
    seeds: Sequence[bytes]
    refuses: tuple[type[Exception], ...] = (BadFile,)


def submitted(content: bytes) -> None:
    """Read a run as `submit_run` does: its header, its errors or its columns and warnings."""
    expected = RunRequirements(frozenset({"401", "402"}), depth=2)
    _, body = read_header(content)
    check_run_file(body, expected, "a.run")


def judged(content: bytes) -> object:
    expected = JudgeRunRequirements((0, 1), {"401": {"FT911-1"}})
    return check_judge_run(content, expected, "a.txt")


def answered(content: bytes) -> object:
    expected = AnswerRequirements(frozenset({"1", "2"}), matches_topics=True)
    return check_answers(content, expected, "a.jsonl")


def banks(content: bytes) -> object:
    """Read banks and write them: what was written is read as the same."""
    found = read_banks(content, "nuggets_7.json")
    written = write_banks(found.banks, NUGGETS if found.form == NUGGETS else QUESTIONS)
    assert read_banks(written).banks == found.banks
    return found.banks, found.notes


def people(content: bytes) -> list[PersonLine]:
    """Read lines of people as a form hands them in: as text without NUL."""
    return read_people(content.decode(errors="replace").replace("\0", ""), ["judge", "participant"])


def documents(form: str, content: bytes) -> list[DocumentRecord]:
    return list(read_documents(content, "a.file", form, XML if form == "xml" else None))


def collected(content: bytes) -> list[DocumentRecord]:
    return list(read_collection(archive_files(io.BytesIO(content), "a.zip", LIMIT), "a.zip"))


def images(content: bytes) -> list[ImageRecord]:
    return list(read_images(io.BytesIO(content), "a.zip", LIMIT))


def results(content: bytes) -> list[object]:
    """Read a result file as `load_results` does, with the grade and its probabilities."""
    found: list[object] = []
    for result in read_results(content, "a.jsonl"):
        text, reason, *rest, logprobs = result.completion or Completion("")
        probabilities = grade_probabilities(logprobs, reason, range(4))
        found += [result.problem, text, reason, *rest, read_reply(text, reason, range(4)), probabilities]
    return found


def clicks(read: Callable[[Any], ClickTable], content: bytes) -> None:
    table = read([("a.file", io.BytesIO(content))])
    select_lists(table, dict.fromkeys(table.queries.number_of, "7"), 1)


def check_storable(found: object) -> None:
    """Fail where a text among the records that were read is one that no database can hold."""
    if isinstance(found, str):
        assert "\0" not in found, "NUL"
        found.encode()
    elif isinstance(found, list | tuple):
        for part in found:
            check_storable(part)
    elif isinstance(found, dict):
        check_storable([*found.items()])


def from_json(read: Callable[[Any], object]) -> Callable[[bytes], object]:
    """Hand what JSON holds to a reader of objects; what is no JSON is no case of it."""

    def handed(content: bytes) -> object:
        try:
            source = json.loads(content)
        except (ValueError, RecursionError):
            return None
        return read(source)

    return handed


def unzipped(content: bytes) -> None:
    for _, member in archive_files(io.BytesIO(content), "a.zip", LIMIT):
        member.read()


def on_disk(read: Callable[[Path], object], content: bytes) -> None:
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        read(Path(file.name))


def archived(path: Path) -> None:
    """Read all that an archive holds."""
    with open_archive(path, KIND) as archive:
        for table in archive.tables:
            list(archive.rows(table))
        for name in archive.files:
            with archive.open(name) as file:
                file.read()


def archive_of(manifest: bytes) -> bytes:
    """An archive with this manifest and one table, whose checksum may or may not be in it."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("tables/a.jsonl", ROW)
        archive.writestr("manifest.json", manifest)
    return file.getvalue()


def good_archive() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        with create_archive(Path(folder, "a.zip")) as archive:
            archive.add_table("a", ['{"id": 1}'])
            archive.add_file("runs/b.gz", io.BytesIO(gzip.compress(RUN, mtime=0)))
            archive.finish({"kind": KIND})
        return Path(folder, "a.zip").read_bytes()


def zipped(*contents: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, content in enumerate(contents):
            archive.writestr(f"folder/{number}.txt", content)
    return file.getvalue()


def folder_of(name: str) -> str:
    """Return where `make fuzz` keeps what it learns of a reader, and tests/fuzz/found what broke one."""
    return name.replace(" ", "-").replace("'", "")


def text_of(content: bytes) -> str:
    return content.decode("utf-8", "replace")


def tiny(prefix: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted(TINY.glob(f"{prefix}*"))]


DOCUMENTS = [
    b'[{"docno": "D1", "title": "Sloop", "text": "one mast"}]',
    *tiny("documents"),
    *MARKED_UP,
    WARC,
    b"docno,title,text\nd1,a,b\n",
    b"<!DOCTYPE html><title>a</title><p>b",
]
ARCHIVE = good_archive()
ANSWERS = [answer_file(form=form) for form in ("rag", "rag-2024", "rag-2026", "report", "scores")]
BANKS = [nugget_files.NUGGETS, nugget_files.QUESTIONS, nugget_files.TOOL, nugget_files.SHORT]
ASSIGNED = [nugget_files.assigned() + nugget_files.assigned("q2", "two", "failed", "contradicts")]
IMAGES = [png(), JPEG, GIF, WEBP]
PACKED = [pack(RUN) for pack in (gzip.compress, bz2.compress, lzma.compress)]
COLLECTION = "pooling.formats.documents.reading.read_documents"

READERS: Mapping[str, Reader] = {
    "run": Reader("pooling.formats.runs.parse_run", parse_run, [RUN]),
    "run of trec_eval": Reader(
        "pooling.formats.runs.parse_run",
        lambda c: parse_run(c, as_trec_eval=True, comments=True),
        [RUN, b"# a\n"],
    ),
    "run in memory": Reader("jurypool.reading.read_run", from_json(read_run), IN_MEMORY, (Refused,)),
    "runs in memory": Reader(
        "jurypool.reading.read_runs",
        from_json(read_runs),
        [*IN_MEMORY, b'{"a": %s, "b": %s}' % tuple(IN_MEMORY)],
        (Refused,),
    ),
    "qrels in memory": Reader("jurypool.reading.read_qrels", from_json(read_qrels), IN_MEMORY, (Refused,)),
    "labels in memory": Reader(
        "jurypool.reading.read_labels",
        from_json(read_labels),
        [b'{"ann": {"7": {"D1": 1, "D2": 0}}}', b'[["7", "D1", "ann", 1]]'],
        (Refused,),
    ),
    "submission": Reader("pooling.formats.run_checks.check_run_file", submitted, [RUN, HEADER + RUN]),
    "header": Reader("pooling.formats.run_header.read_header", read_header, [HEADER + RUN]),
    "qrels": Reader("pooling.formats.qrels.parse_qrels", parse_qrels, [QRELS]),
    "qrels of judges": Reader(
        "pooling.formats.qrels.parse_qrels",
        lambda c: parse_qrels(c, by_iteration=True, comments=True),
        [QRELS],
    ),
    "prels": Reader("pooling.formats.qrels.parse_prels", parse_prels, [PRELS]),
    "judge run": Reader("pooling.formats.judge_runs.parse_judge_run", parse_judge_run, [JUDGE_RUN]),
    "judge run of a campaign": Reader("pooling.formats.judge_runs.check_judge_run", judged, [JUDGE_RUN]),
    "answer run": Reader("assess.answers.answer_checks.parse_answers", parse_answers, ANSWERS),
    "answer run of a campaign": Reader("assess.answers.answer_checks.check_answers", answered, ANSWERS),
    "answer run of the library": Reader(
        "jurypool.answers.read_answers",
        lambda c: read_answers(c).to_dict(),
        [*ANSWERS, gzip.compress(ANSWERS[0])],
    ),
    "lines of an answer run": Reader(
        "assess.answers.answer_files.read_answer_lines",
        lambda c: [(a.topic, a.sentences, dict(a.metadata)) for a in read_answer_lines(c).answers],
        ANSWERS,
    ),
    "nugget banks": Reader("assess.nuggets.bank_files.read_banks", banks, BANKS, (Refused,)),
    "nugget banks of the library": Reader(
        "jurypool.nuggets.read_nuggets",
        lambda c: list(read_nuggets(c).values()),
        [*BANKS[:2], gzip.compress(BANKS[0])],
    ),
    "nugget assignments": Reader("assess.nuggets.assignments.read_assignments", read_assignments, ASSIGNED),
    "nugget assignments of the library": Reader(
        "jurypool.nuggets.read_assignments",
        read_assignments_of_library,
        [*ASSIGNED, gzip.compress(ASSIGNED[0])],
    ),
    "pyramid": Reader("assess.pyramids.files.read_pyr", lambda c: astuple(read_pyr(c)), [PYR]),
    "annotation of a peer": Reader("assess.pyramids.files.read_pan", lambda c: astuple(read_pan(c)), [PAN]),
    "pyramid of the library": Reader(
        "jurypool.pyramid.read_pyramid", lambda c: astuple(read_pyramid(c)), [PYR, gzip.compress(PYR)]
    ),
    "annotation of the library": Reader(
        "jurypool.pyramid.read_peer_annotation",
        lambda c: pyramid_score(read_peer_annotation(c)),
        [PAN, gzip.compress(PAN)],
    ),
    "preferences": Reader(
        "metrics.trec_eval.preferences.parse_preferences", parse_preferences, [b"1 a 0 d1 1\n"]
    ),
    "judgments": Reader("pooling.formats.qrels.judgment_file", judgment_file, tiny("qrels")),
    "users of an A/B test": Reader(
        "metrics.ab_tests.reader.read_users",
        lambda c: figures_of(read_users(c, "a.csv")),
        [
            b"variant,user,clicks,time\nA,u1,2,2026-11-02\nB,u2,,2026-11-03T10:00:00Z\n",
            b"variant\tuser\tconverted\nA\tu1\tyes\nB\tu2\tno\n",
            b'{"group": "A", "user_id": 7, "clicks": 1.5}\n{"group": "B", "user_id": 8, "clicks": true}\n',
        ],
    ),
    "snippets of a run": Reader(
        "assess.snippets.files.read_snippets",
        lambda c: [*read_snippets(c, {"1", "2"}, "a.txt").snippets.items()],
        [
            b"1 D1 Boats float \xe2\x80\xa6 on water\n* D2 Ships are heavy.\n",
            b'topic,docno,snippet\n1,D1,"Boats, and ships"\n,D2,Ships\n',
            b'{"topic": 1, "docno": "D1", "snippet": "Boats"}\n{"docno": "D2", "snippet": "Ships"}\n',
        ],
    ),
    "a magnitude": Reader(
        "assess.magnitudes.numbers.parse_magnitude",
        lambda c: parse_magnitude(c.decode("utf-8", "replace")),
        [b"40", b"1/3", b" .5 / 2. "],
        (Refused,),
    ),
    "clicks": Reader(
        "metrics.interleaving.clicks.read_clicks",
        lambda c: {topic: [*counts] for topic, counts in read_clicks(c, INTERLEAVED, "a.csv").items()},
        [
            b"list_id,session,clicks\nab,s1,1 2\nab,s2,\n",
            b'{"list_id": "ab", "clicks": [1]}\n',
            b"query_id,topic,run_A,run_B,documents,teams,clicks\nq,7,x,y,D1 D2,A B,2\n",
        ],
    ),
    "system figures": Reader(
        "metrics.system_quality.files.read_system_figures",
        lambda c: [
            (t, dict(f.values), *f[1:]) for t, f in read_system_figures(c, {"a", "b"}).figures.items()
        ],
        [
            b"run,latency_ms,cost,currency,hardware\na,1.5,2,EUR,server\nb,3,,,\n",
            b'[{"run": "a", "energy_kwh": 0.5}, {"run": "b", "index_bytes": 1e9}]',
        ],
    ),
    "system figures of a header": Reader(
        "metrics.system_quality.header.read_header_figures",
        lambda c: [dict(value) if isinstance(value, dict) else value for value in read_header_figures(c)],
        [HEADER + RUN, FIGURES_HEADER + RUN],
    ),
    "topics": Reader(
        "pooling.intake.topics.read_topic_file",
        read_topic_file,
        [
            *tiny("topics"),
            b'[{"number": 31, "title": "necks", "turn": [{"number": 1, "raw_utterance": "What?"}]}]',
            b'<topic number="1"><disease>flu</disease><subtopic number="1" type="inf">a</subtopic></topic>',
        ],
    ),
    "labels": Reader(
        "assess.kappa.label_file.parse_labels",
        parse_labels,
        [
            b"topic\tdocno\tjudge\tlabel\n1\td1\tann\t2\n",
            b'topic\tdocno\tjudge\tlabel\tsource\tcomment\n1\td1\tann\t2\tpeople\ta "b"\n',
        ],
    ),
    "results": Reader(
        "assess.machines.batch.read_results",
        results,
        [RESULT, b'{"custom_id": "%s", "error": "x"}' % KEY],
    ),
    "votes of a program": Reader(
        "assess.battle_programs.vote_files.read_votes",
        lambda c: read_votes(c, {("7", "a", "b"), ("7", "b", "a")}, "a.csv"),
        [
            b"topic,left,right,choice\n7,a,b,left\n7,b,a,both bad\n",
            b'{"topic": 7, "left": "a", "right": "b", "choice": "tie"}\n'
            b'{"topic": 7, "left": "b", "right": "a", "choice": "right"}\n',
        ],
    ),
    "choice of a reply": Reader(
        "assess.battle_programs.replies.read_choice",
        lambda content: read_choice(content.decode(errors="replace"), "stop"),
        [b"A is better.\n[[A]]\n", b"[[both bad]]"],
        (),
    ),
    "labels of a program on nuggets": Reader(
        "assess.matching_programs.label_files.read_program_labels",
        lambda c: read_program_labels(
            c, {"7": NuggetBank("7", (Nugget("It floats", "vital"),))}, {("7", "a")}, False
        ),
        [
            b'{"qid": "7", "run_id": "a", "nuggets": [{"text": "It floats", "importance": "vital",'
            b' "assignment": "support"}]}\n',
            b'{"qid": 7, "run_id": "a", "nuggets": [{"text": "It floats", "importance": "vital",'
            b' "assignment": "failed"}]}\n',
        ],
    ),
    "label of a reply": Reader(
        "assess.matching_programs.replies.read_label",
        lambda content: read_label(content.decode(errors="replace"), "stop", contradicts=True),
        [b"It says so.\n[[support]]\n", b"[[contradicts]]"],
        (),
    ),
    "last line of a reply": Reader(
        "assess.machines.final_marks.read_final_mark",
        lambda content: read_final_mark(content.decode(errors="replace"), "stop", ("A", "tie")),
        [b"It cites its sources.\n[[A]]\n", b"[[tie]]"],
        (),
    ),
    "reply": Reader(
        "assess.machines.replies.read_reply",
        lambda content: read_reply(content.decode(errors="replace"), "stop", range(4)),
        [b"##final score: 2\n", b'```json\n{"grade": "3"}\n```', b"1"],
        (),
    ),
    "people to invite": Reader(
        "pooling.intake.people.read_people",
        people,
        [b"Ann Lee <ann@x.org>, judge, 1-3\n", b"name;address;group\nBob;bob@x.org;uni\n"],
    ),
    "probes": Reader("assess.gold_lines.read_gold_lines", read_gold_lines, [b"# a\n7 D1 2 Says it.\n"]),
    "clicks of UBI": Reader(
        "assess.clicks.ubi.read_ubi",
        lambda c: clicks(read_ubi, c),
        [b"\n".join(json.dumps(record).encode() for record in UBI)],
    ),
    "clicks as CSV": Reader(
        "assess.clicks.click_csv.read_click_csv",
        lambda c: clicks(read_click_csv, c),
        [
            b"topic,session,rank,docno,click\n7,a,1,D1,0\n",
            b"topic\tsession\tuser\tshown\tclicks\n7\ta\tb\tD1 D2\t2\n",
        ],
    ),
    "queries of topics": Reader(
        "assess.clicks.query_mapping.read_query_mapping",
        lambda c: read_query_mapping(c, ["7", "8"]),
        [b"black bears\t7\nwolves\t8\n"],
    ),
    "image": Reader("pooling.formats.images.read_image_header", read_image_header, IMAGES),
    "images": Reader(
        "pooling.formats.images.read_images",
        images,
        [zipped_images({"documents/a%2Fb.png": png(), "topics/7/a.gif": GIF}).getvalue()],
    ),
    "parcel": Reader(
        "assess.forms.judging.parse_payload", parse_payload, [json.dumps(PARCEL).encode()], (ValueError,)
    ),
    "documents": Reader(COLLECTION, lambda c: documents("", c), DOCUMENTS),
    **{
        f"documents in {form}": Reader(COLLECTION, lambda c, form=form: documents(form, c), DOCUMENTS)  # type: ignore[misc]
        for form in FORMS
    },
    "collection": Reader(
        "pooling.formats.documents.reading.read_collection",
        collected,
        [zipped(content) for content in DOCUMENTS],
    ),
    "elements": Reader(
        "pooling.formats.documents.xml.parse_mapping",
        lambda c: parse_mapping(text_of(c)),
        [b"document=DOC docno=DOCNO|DOC@id text=LEAD+BODY"],
    ),
    "zip": Reader("pooling.formats.archives.archive_files", unzipped, [zipped(RUN), zipped(RUN, *PACKED)]),
    "packed": Reader("pooling.formats.files.unpack", lambda c: unpack(c, "a.gz", LIMIT), [RUN, *PACKED]),
    "file": Reader(
        "pooling.formats.files.read_file", lambda c: on_disk(lambda path: read_file(path, LIMIT), c), [RUN]
    ),
    "text": Reader("pooling.formats.files.decode", lambda c: len(decode(c)), [RUN]),
    "archive": Reader(
        "config.archives.zip_file.open_archive", lambda c: on_disk(archived, c), [ARCHIVE], (BadArchive,)
    ),
    "archive's manifest": Reader(
        "config.archives.zip_file.open_archive",
        lambda c: on_disk(archived, archive_of(c)),
        [
            json.dumps(
                {"kind": KIND, "tables": {"a": {"rows": 1, "sha256": sha256_of(ROW)}}, "files": {}}
            ).encode()
        ],
        (BadArchive,),
    ),
    "people": Reader(
        "config.archives.campaigns.read_people_map",
        lambda c: on_disk(read_people_map, c),
        [b"there,here\nann,anna\n"],
        (BadArchive,),
    ),
    "pool's manifest": Reader(
        "pooling.manifest.pool_plan_of",
        lambda c: pool_plan_of(json.loads(c)).pool([]),
        [json.dumps(PLAN).encode()],
        (ValueError,),
    ),
    "scale": Reader(
        "pooling.scale.parse_scale",
        lambda c: parse_scale(text_of(c)),
        [write_scale(scale).encode() for scale in PRESETS.values()],
        (BadScale,),
    ),
    "strata": Reader(
        "pooling.strategies.strata.parse_strata",
        lambda c: parse_strata(text_of(c)),
        [b"10:1 20:0.5 50:0.2"],
        (ValueError,),
    ),
    "measures": Reader(
        "metrics.measures.names.parse_measures",
        lambda c: parse_measures(text_of(c)),
        [b"nDCG@10 ndcg_cut.5,10 AP(rel=2)", b"RBP(p=0.8) infAP ERR@20"],
        (BadMeasure, UnknownMeasure),
    ),
    "example": Reader(
        "metrics.worked_example.read_example",
        lambda c: read_example(text_of(c), "1"),
        [b"3 0 2 - 1"],
        (BadExample,),
    ),
}
