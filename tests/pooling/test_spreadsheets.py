"""Every table that a spreadsheet would open is harmless there, whatever people put into it."""

from __future__ import annotations

import csv
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from pooling.models import Campaign
from pooling.spreadsheet import Table, escape_formula, is_number
from tests.support.factory import Factory
from tests.support.hostile import hostile_campaign, places
from tests.support.places import URLS

SPREADSHEETS = {"text/csv": ",", "text/tab-separated-values": "\t"}


def cells(text: str, delimiter: str) -> list[str]:
    """Return the cells as a spreadsheet finds them: also one that splits at semicolons."""
    found = [cell for row in csv.reader(StringIO(text), delimiter=delimiter) for cell in row]
    return [part for cell in found for part in cell.split(";")]


def remarks_of(labels: str) -> str:
    """Return the comments and evidence of a file of labels, which programs join with qrels by the rest."""
    return "\n".join(line.split("\t", 6)[6] for line in labels.splitlines())


def runs_as_formula(cell: str) -> bool:
    begins = cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"))
    return begins and cell != "-" and not is_number(cell)


WITHOUT_PEOPLES_WORDS = {  # figures under names of our own, and plain sign-in names of those who judged
    "assess:agreement_csv",
    "assess:agreement_pairs_tsv",
    "metrics:measure_agreement_csv",
    "metrics:generalisability_file",
    "metrics:reproducibility_file",
    "metrics:argue_scores_file",  # empty here: no answer has all labels of both kinds
}


build_campaign = hostile_campaign


def test_no_download_for_spreadsheets_holds_a_formula(campaign: Campaign, make: Factory) -> None:
    client, seen = Client(), dict[str, list[str]]()
    client.force_login(make.make_user("carol"))
    for name in URLS:
        for url in places(name, campaign) if not name.startswith("admin:") else ():
            answer = client.get(url)
            kind = answer.headers.get("Content-Type", "").split(";")[0]
            content = b"".join(answer)  # a download is read to its end, which closes its file
            if answer.status_code == 200 and kind in SPREADSHEETS:
                text = remarks_of(content.decode()) if name == "assess:labels" else content.decode()
                seen.setdefault(name, []).extend(cells(text, SPREADSHEETS[kind]))
            elif kind == "text/html" and answer.status_code != 404:
                break  # a page, and so are the others of its name
    assert {"assess:labels", "metrics:leaderboard_csv", "metrics:topics_tsv"} <= set(seen)
    for name, found in seen.items():
        attacked = "evil" in str(found) or "__xss" in str(found)
        assert attacked or name in WITHOUT_PEOPLES_WORDS, name
        assert [cell for cell in found if runs_as_formula(cell)] == [], name


def test_the_command_that_prints_csv_holds_no_formula(campaign: Campaign) -> None:
    said = StringIO()
    call_command("score", "hostile", stdout=said)
    found = cells(said.getvalue(), ",")
    assert "'=1+evil()10" in found
    assert [cell for cell in found if runs_as_formula(cell)] == []


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("=1", "'=1"),
        ("+A1", "'+A1"),
        ("-A1", "'-A1"),
        ("@SUM(1)", "'@SUM(1)"),
        ("\t=1", "'\t=1"),
        ("＝1", "'＝1"),
        ("a;=1", "a;'=1"),
        ("-0.5", "-0.5"),
        ("+1e-3", "+1e-3"),
        ("-1-1", "'-1-1"),
        ("-", "'-"),
        ("D-1", "D-1"),
        ("", ""),
    ],
)
def test_a_text_that_looks_like_a_formula_is_marked_as_text(cell: str, written: str) -> None:
    assert escape_formula(cell) == written


def test_a_table_reads_back_as_it_was_written() -> None:
    text = StringIO()
    Table(text).writerows([["run", "a, b", 'say "x"'], ["=1", -2, 0.5], [None, "", -0.5]])
    assert list(csv.reader(StringIO(text.getvalue()))) == [
        ["run", "a, b", 'say "x"'], ["'=1", "-2", "0.5"], ["", "", "-0.5"],
    ]  # fmt: skip
