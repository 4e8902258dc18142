"""Click logs as UBI records and as CSV: what is read, what is left out, and what is refused."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from assess.clicks.click_csv import read_click_csv
from assess.clicks.click_table import ClickTable, Selection, select_lists
from assess.clicks.query_mapping import queries_of_topics, read_query_mapping
from assess.clicks.ubi import read_ubi
from pooling.formats.files import BadFile, BadLine

SECRET = "person-4711"


def query(number: int, hits: list[Any], text: str = "black bears", **more: Any) -> dict[str, Any]:
    record = {"query_id": f"q{number}", "user_query": text, "client_id": f"{SECRET}-{number}"}
    return record | {"query_response_hit_ids": hits, "timestamp": "2026-03-01T09:00:00Z"} | more


def event(
    number: int, docno: str | None, ordinal: int | None = None, action: str = "click"
) -> dict[str, Any]:
    position = {} if ordinal is None else {"position": {"ordinal": ordinal}}
    about = position | ({"object": {"object_id": docno}} if docno else {})
    return {
        "action_name": action,
        "query_id": f"q{number}",
        "timestamp": 1772355660000,
        "session_id": SECRET,
        "event_attributes": about,
    }


def ubi(*records: Any) -> ClickTable:
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    return read_ubi([("log.jsonl", io.BytesIO(lines.encode()))])


def click_csv(text: str) -> ClickTable:
    return read_click_csv([("log.csv", io.BytesIO(text.encode()))])


def lists_of(table: ClickTable) -> list[list[tuple[str, int, bool]]]:
    """Return (docno, rank, clicked) of every list."""
    names, rows = list(table.documents.number_of), list(table.results)
    found: list[list[tuple[str, int, bool]]] = [[] for _ in table.query]
    for at in range(0, len(rows), 4):
        found[rows[at]].append((names[rows[at + 1]], rows[at + 2], bool(rows[at + 3])))
    return found


def test_hits_without_impressions_count_down_to_the_last_click_or_to_the_tenth() -> None:
    hits = [f"D{rank}" for rank in range(1, 16)]
    table = ubi(query(1, hits), query(2, hits), event(2, "D12"))
    first, second = lists_of(table)
    assert [rank for _, rank, _ in first] == list(range(1, 11))
    assert second[-1] == ("D12", 12, True) and len(second) == 12
    assert table.counts["lists_without_impressions"] == 2
    assert table.days == ("2026-03-01", "2026-03-01")


def test_impressions_say_what_was_shown_and_events_may_come_first() -> None:
    source = {"_index": "ubi_events", "_source": event(1, "D2", 2)}
    shown = [event(1, docno, rank, "impression") for rank, docno in enumerate(["D1", "D2"], start=1)]
    table = ubi(source, *shown, query(1, ["D1", "D2", "D3"]))
    assert lists_of(table) == [[("D1", 1, False), ("D2", 2, True)]]


def test_an_ordinal_alone_names_a_hit_and_an_ordinal_of_0_moves_all() -> None:
    table = ubi(query(1, ["D1", "D2"]), event(1, None, 1), query(2, ["D1", "D2"]), event(2, "D1", 0))
    assert lists_of(table) == [[("D1", 1, False), ("D2", 2, True)], [("D1", 1, True), ("D2", 2, False)]]
    assert table.counts["ordinals_from_0"] == 1


def test_what_cannot_be_joined_is_counted() -> None:
    lone = event(1, "D1") | {"query_id": None}
    table = ubi(
        query(1, ["D1"]), query(2, []), event(9, "D1"), lone, event(1, "D7"),
        event(1, "D1", action="add_to_cart"),
    )  # fmt: skip
    counted = {key: count for key, count in table.counts.items() if count}
    assert counted == {
        "events_of_unknown_queries": 1,
        "events_without_query": 1,
        "events_without_place": 1,
        "other_events": 1,
        "queries_without_results": 1,
        "lists_without_impressions": 1,
    }


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ([], "a UBI query or event as a JSON object"),
        ({"user_query": SECRET}, "expected query_id to be a text"),
        ({"query_id": SECRET}, "expected user_query to be a text"),
        (query(1, ["D1"], timestamp=SECRET), "expected timestamp as ISO 8601"),
        ({"action_name": "click", "query_id": SECRET}, "expected an event with a timestamp"),
        (event(1, "D1", -1), "expected position.ordinal to be a whole number"),
        (query(1, [{"person": SECRET}]), "expected query_response_hit_ids to be a list"),
        (event(1, "D1") | {"event_attributes": SECRET}, "a UBI query or event as a JSON object"),
    ],
)
def test_a_bad_record_is_refused_without_quoting_it(record: Any, expected: str) -> None:
    with pytest.raises(BadLine) as refused:
        ubi(query(1, ["D1"]), record)
    assert expected in str(refused.value) and refused.value.line == 2
    assert SECRET not in str(refused.value)


def test_a_log_without_queries_is_refused() -> None:
    with pytest.raises(BadFile, match="expected UBI queries"):
        ubi(event(1, "D1"))


RESULTS = "topic,session,rank,docno,click\n1,s1,1,D1,0\n1,s2,1,D1,1\n1,s1,2,D2,1\n"


def test_both_forms_of_csv_give_the_same_lists() -> None:
    lists = "session\ttopic\tshown\tclicks\ns1\t1\tD1 D2\t2\ns2\t1\tD1\t1\n"
    expected = [[("D1", 1, False), ("D2", 2, True)], [("D1", 1, True)]]
    assert lists_of(click_csv(RESULTS)) == lists_of(click_csv(lists)) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"1,{SECRET},1,D1", "expected 5 fields, found 4"),
        (f"1,{SECRET},0,D1,0", "whole numbers from 1"),
        (f"1,{SECRET},{SECRET},D1,0", "whole numbers from 1"),
        (f"1,{SECRET},1,D1,{SECRET}", "expected 0 or 1 in the column click"),
        (f"1,{SECRET},1,,0", "expected a docno"),
        ("1,s1,1,D9,0", "expected each rank once"),
        (f'1,"{SECRET},1,D1,0', "quotes closed"),
    ],
)
def test_a_bad_line_of_csv_is_refused_without_quoting_it(line: str, expected: str) -> None:
    with pytest.raises(BadLine) as refused:
        click_csv(RESULTS + line + "\n")
    assert expected in str(refused.value) and refused.value.line == 5
    assert SECRET not in str(refused.value)


def selected(text: str, least: int) -> Selection:
    return select_lists(click_csv(text), queries_of_topics({"1": "Black  bears", "2": "wolves"}, {}), least)


def test_queries_belong_to_topics_by_number_and_by_title_and_rare_ones_are_left_out() -> None:
    lines = ["topic,session,user,shown,clicks", "1,a,u1,D1 D2,1", "1,b,u1,D1 D2,", " BLACK bears,c,u2,D1,1"]
    lines += ["black bears,d,u3,D2,1", "wolves,e,u1,D1,1", "foxes,f,u1,D1,1", "foxes,g,u2,D1,1"]
    found = selected("\n".join(lines), 2)
    assert found.pairs == [("1", "D1"), ("1", "D2")]
    assert (found.counts["used_lists"], found.counts["clicks"]) == (2, 2)  # the title was asked by two people
    assert (found.counts["rare_queries"], found.counts["rare_lists"]) == (2, 3)
    assert (found.counts["unmatched_queries"], found.counts["unmatched_lists"]) == (1, 2)


def test_a_mapping_counts_before_titles_and_a_title_of_two_topics_is_of_none() -> None:
    mapping = read_query_mapping(b"Grizzly  bears\t1\nwolves\t1\n", ["1", "2"])
    topics = queries_of_topics({"1": "bears", "2": "wolves", "3": "foxes", "4": "Foxes"}, mapping)
    assert (topics["grizzly bears"], topics["wolves"], topics["bears"]) == ("1", "1", "1")
    assert "foxes" not in topics
    for wrong in (b"bears\t9\n", b"bears 1\n", b"bears\t1\nBears\t2\n"):
        with pytest.raises(BadLine):
            read_query_mapping(wrong, ["1", "2"])
