"""Nuggets in the library: banks, assignments, scores of runs and support of citations."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import jurypool as jp
from tests.assess.nuggets.files import NUGGETS, QUESTIONS, SHORT, TOOL, assigned


def test_banks_are_read_from_a_path_and_from_bytes(tmp_path: Path) -> None:
    path = tmp_path / "nuggets_308.v3.json.gz"
    path.write_bytes(gzip.compress(QUESTIONS))
    for source in (path, str(path), QUESTIONS, gzip.compress(QUESTIONS)):
        banks = jp.read_nuggets(source)
        assert list(banks) == ["308"] and banks.form == "questions"
        assert isinstance(banks["308"], jp.NuggetBank) and isinstance(banks["308"].nuggets[0], jp.Nugget)
    assert jp.read_nuggets(banks.to_bytes())["308"] == banks["308"]
    assert jp.read_nuggets(NUGGETS).to_bytes("nuggets") == NUGGETS


def test_a_topic_comes_from_the_call_or_the_name_of_the_file(tmp_path: Path) -> None:
    assert list(jp.read_nuggets(SHORT, topic="7")) == ["7"]
    path = tmp_path / "nuggets_12.json"
    path.write_bytes(TOOL)
    assert list(jp.read_nuggets(path)) == ["12"]


def test_refusals_name_the_file_and_the_line(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(NUGGETS + b"{")
    with pytest.raises(jp.BadFile, match=r"bad.jsonl, line 2: expected one JSON object") as caught:
        jp.read_nuggets(path)
    assert [error.line for error in caught.value.errors] == [2]  # type: ignore[attr-defined]
    with pytest.raises(jp.Refused, match="assignments, line 1: expected a run_id"):
        jp.read_assignments(assigned("q1", "a b"))
    readers: list[Any] = [jp.read_nuggets, jp.read_assignments]
    for read in readers:
        with pytest.raises(jp.Refused, match="expected a path or bytes, found 7 of type int"):
            read(7)


LINES = [
    assigned("q1", "one", "support", "partial_support", "not_support"),
    assigned("q1", "two", "support", "support", "support"),
    assigned("q2", "two", "not_support", "support", "contradicts"),
]


def test_scores_are_means_over_topics_and_a_missing_answer_counts_zero(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"".join(LINES))
    for source in (path, b"".join(LINES), jp.read_assignments(path), iter(jp.read_assignments(path))):
        scores = jp.nugget_scores(source)
        assert list(scores) == ["one", "two"]
        assert scores["one"]["vital"].value == 0.375  # 0.75 and no answer to q2
        assert (scores["two"]["vital"].value, scores["two"]["vital"].topics) == (0.75, 2)
        assert scores["two"]["all_strict"].value == pytest.approx((1 + 1 / 3) / 2)
        assert scores.by_topic["one"]["q2"]["weighted"].value == 0


def test_the_topics_may_be_those_of_banks() -> None:
    facts = [{"text": f"Fact {place}", "importance": "okay" if place > 2 else "vital"} for place in (1, 2, 3)]
    rows = [{"qid": topic, "nuggets": facts} for topic in ("q1", "q2", "q3")]
    banks = jp.read_nuggets("\n".join(map(json.dumps, rows)).encode())
    scores = jp.nugget_scores(b"".join(LINES), banks)
    assert scores["one"]["vital"].value == 0.25
    with pytest.raises(jp.Refused, match="expected a topic with a nugget bank, found q4"):
        jp.nugget_scores(assigned("q4"), banks)


def test_a_topic_without_a_score_is_left_out_for_every_run() -> None:
    okay = [{"text": "a", "importance": "okay", "assignment": "support"}]
    scores = jp.nugget_scores(b"".join(LINES) + assigned("q3", "two", nuggets=okay))
    for run in ("one", "two"):
        assert scores[run]["vital"].undefined == {"q3": "there are no vital nuggets"}
        assert (scores[run]["vital"].topics, scores[run]["all"].topics) == (2, 3)


def test_scores_are_shown_as_text_table_and_plain_data() -> None:
    scores = jp.nugget_scores(b"".join(LINES))
    assert repr(scores).splitlines() == [
        "run   vital  vital_strict     all  all_strict  weighted  weighted_strict",
        "one  0.3750        0.2500  0.2500      0.1667    0.3000           0.2000",
        "two  0.7500        0.7500  0.6667      0.6667    0.7000           0.7000",
        "(means over 2 topics)",
    ]
    assert scores._repr_html_().count("<tr>") == 3
    plain = json.loads(json.dumps(scores.to_dict()))
    assert plain["one"]["vital"] == {"value": 0.375, "reason": "", "topics": 2, "undefined": {}}
    frame = pytest.importorskip("pandas") and scores.to_pandas()
    assert frame.loc["two", "vital"] == 0.75
    assert repr(jp.nugget_scores([])).endswith("\n(means over 0 topics)")


def test_banks_are_shown_as_a_table() -> None:
    assert repr(jp.read_nuggets(QUESTIONS)).splitlines() == [
        "topic  nuggets  questions  answers  with importance",
        "308          2          2        3                0",
        "(questions with answers, version 3, 1 topic)",
    ]
    many = b"\n".join(NUGGETS.strip().replace(b'"q1"', b'"q%d"' % place) for place in range(30))
    assert len(repr(jp.read_nuggets(many)).splitlines()) == 22
    hostile = jp.read_nuggets(NUGGETS.replace(b'"q1"', b'"<b>"'))
    assert "<b>" not in hostile._repr_html_()


def test_support_of_citations() -> None:
    judged: dict[str, Any] = {
        "1": [["full"], ["partial"], ["none"], [], ["full"]],
        "2": [["full", None]],
        "3": [[], []],
    }
    scores = jp.support_scores(judged)
    assert scores["precision"].value == (0.625 + 1) / 2 and scores["recall"].value == (0.5 + 1 + 0) / 3
    assert scores["precision_hard"].value == (0.5 + 1) / 2
    assert scores["precision"].undefined == {"3": "no sentence has a citation"}
    assert jp.support_scores(judged, "any")["recall"].undefined == {"2": "1 of 2 citations are not judged"}


def test_support_that_cannot_be_scored_is_refused() -> None:
    with pytest.raises(jp.Refused, match="expected first, any or all citations, found 'last'"):
        jp.support_scores({}, "last")
    unknown: list[Any] = [["yes"], "full", 3, [[]]]
    for labels in unknown:
        with pytest.raises(jp.Refused, match="topic 1: expected a list of full, partial, none and None"):
            jp.support_scores({"1": [labels]})
    no_answers: list[Any] = [7, [LINES[0]]]
    for bad in no_answers:
        with pytest.raises(jp.Refused, match="expected .*what read_assignments returned"):
            jp.nugget_scores(bad)


def test_the_readers_need_no_django() -> None:
    code = "import jurypool, sys; jurypool.read_nuggets; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_assignments_are_written_as_they_are_read() -> None:
    answers = jp.read_assignments(b"".join(LINES))
    assert jp.read_assignments(jp.write_assignments(answers)) == answers
    with pytest.raises(jp.Refused, match="expected what read_assignments returned"):
        jp.write_assignments([b"{}"])  # type: ignore[list-item]
