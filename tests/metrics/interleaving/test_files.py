"""The file of merged lists, and the file of clicks that is read back."""

from __future__ import annotations

import csv
import io
import json

import pytest

from metrics.interleaving.clicks import Comparison, read_clicks
from metrics.interleaving.lists import (
    ListPlan,
    MergedList,
    as_csv,
    as_json_lines,
    merged_lists,
    stored_lists,
    topics_that_differ,
)
from pooling.formats.files import BadFile

RANKINGS = {"7": ["a", "b", "c"], "8": ["a", "b"], "9": ["x"]}, {"7": ["b", "c", "a"], "8": ["a", "b"]}
LISTS = [
    MergedList("one", "7", ["a", "b", "c"], ["A", "B", "B"]),
    MergedList("two", "7", ["b", "a"], ["B", "A"]),
]
COMPARISON = Comparison(("ours", "theirs"), "team-draft", RANKINGS, LISTS)
WHOLE = {"topic": "7", "run_a": "ours", "run_b": "theirs", "documents": ["a", "c"], "teams": ["A", "B"]}


def test_lists_are_written_and_read_back() -> None:
    plan = ListPlan("ours", "theirs", "probabilistic", 3, 5, 4)
    assert topics_that_differ(*RANKINGS, 3) == ["7"]
    found = list(merged_lists(plan, *RANKINGS, ["7"]))
    assert found == list(merged_lists(plan, *RANKINGS, ["7"]))
    assert len({each.list_id for each in found}) == 4
    content = as_json_lines(plan, found)
    assert list(stored_lists(content)) == found
    rows = list(csv.DictReader(io.StringIO(as_csv(plan, found))))
    first = json.loads(content.split(b"\n")[0])
    assert rows[0] == first | {"documents": " ".join(found[0].documents), "teams": " ".join(found[0].teams)}


def test_clicks_as_csv_and_as_json_lines() -> None:
    table = b'\xef\xbb\xbfList_ID,session_id,clicks\r\none,s1,"2 3"\r\none,s2,\r\n\r\ntwo,s3,2 2\r\n'
    lines = [{"list_id": "one", "clicks": [2, 3]}, {"query_id": "one", "clicks": []}]
    rows = "\n".join(json.dumps(row) for row in [*lines, {"list_id": "two", "clicks": [2]}]).encode()
    for content in (table, rows):
        found = read_clicks(content, COMPARISON)
        assert {topic: tuple(counts[:5]) for topic, counts in found.items()} == {"7": (3, 2, 1, 1, 1)}


def test_a_line_that_holds_its_list() -> None:
    found = read_clicks(json.dumps(WHOLE | {"query_id": "q-77", "clicks": [2]}).encode(), COMPARISON)
    assert found["7"][:5] == (1, 1, 0, 1, 0)
    table = "query_id,topic,run_A,run_B,documents,teams,clicks\nq,7,ours,theirs,a c,A B,1\n"
    assert read_clicks(table.encode(), COMPARISON)["7"][:5] == (1, 1, 1, 0, 0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"list_id": "three", "clicks": [1]}, "expected the list_id of a list of this comparison"),
        ({"list_id": "two", "clicks": [3]}, "expected clicked ranks from 1 to 2, found 3"),
        ({"list_id": "two", "clicks": [0]}, "expected clicked ranks from 1 to 2, found 0"),
        ({"list_id": "two", "clicks": ["x"]}, "expected ranks as whole numbers"),
        ({"list_id": "two", "clicks": [1.5]}, "expected texts and whole numbers"),
        ({"list_id": "two"}, "the field is missing"),
        ({"list_id": "two", "clicks": [1], "topic": "8"}, "expected topic 7 of this list"),
        ({"list_id": "two", "clicks": [1], "run_a": "theirs"}, "expected the run ours as run_a"),
        ({"list_id": "two", "clicks": [1], "teams": ["A", "B"]}, "expected the teams of this list"),
        ({"query_id": "q", "clicks": [1]}, "expected list_id, or a list with its topic, run_a"),
        (WHOLE | {"topic": "9", "clicks": []}, "expected a topic that both runs have"),
        (WHOLE | {"documents": ["a", "z"], "clicks": []}, "expected documents in the top 100 of either run"),
        (WHOLE | {"documents": ["a", "a"], "clicks": []}, "expected each document once"),
        (WHOLE | {"teams": ["A"], "clicks": []}, "expected a team for each of 2 documents, found 1"),
        (WHOLE | {"teams": ["A", "C"], "clicks": []}, "expected the teams A and B"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(line: dict[str, object], message: str) -> None:
    good = json.dumps({"list_id": "one", "clicks": [1]})
    with pytest.raises(BadFile, match=message) as refused:
        read_clicks(f"{good}\n{json.dumps(line)}\n".encode(), COMPARISON, "clicks.jsonl")
    assert (refused.value.line, refused.value.name) == (2, "clicks.jsonl")


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (b"", None, "expected a line for each session, found none"),
        (b"list_id,clicks\n", None, "expected a line for each session, found none"),
        (b"one,1\n", 1, "expected a header"),
        (b"list_id,clicks,clicks\n", 1, "found clicks twice"),
        (b"list_id,clicks\none,1\none\n", 3, "expected 2 fields, as in the header, found 1"),
        (b'list_id,clicks\none,"1\n', 2, "expected a line of CSV"),
        (b'{"list_id": "one", "clicks": [1]}\n[1]\n', 2, "expected one JSON object"),
        (b"list_id,clicks\n\xff,1\n", 2, "expected UTF-8"),
    ],
)
def test_a_bad_file_is_refused(content: bytes, line: int | None, message: str) -> None:
    with pytest.raises(BadFile, match=message) as refused:
        read_clicks(content, COMPARISON)
    assert refused.value.line == line


@pytest.mark.parametrize(("method", "wins"), [("balanced", 1), ("probabilistic", 27 / 28)])
def test_balanced_and_probabilistic_lists_need_no_teams(method: str, wins: float) -> None:
    line = json.dumps({**WHOLE, "teams": None, "clicks": [1]}).encode()
    found = read_clicks(line, Comparison(("ours", "theirs"), method, RANKINGS, []))["7"]
    assert found.wins_a == pytest.approx(wins)  # a has the first rank in one run, the third in the other
