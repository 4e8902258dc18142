"""Files of labels, and the command line that reads them."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from assess.kappa.cli import main
from assess.kappa.label_file import REASONS, BadLabels, LabelFile, parse_labels, scale_in
from assess.models import JudgmentEvent
from pooling.formats.files import BadFile
from pooling.intake.fields import LABELS
from pooling.intake.options import reading_of

from .published import near

ROOT = Path(__file__).resolve().parents[3]
GOOD = b"""\
topic\tdocno\tjudge\tlabel
1\tD1\tann lee\t0
1\tD2\tann lee\t2
1\tD1\tbob\t0
1\tD2\tbob\t1
2\tD1\tann lee\t1
2\tD1\tbob\tlanguage

2\tD3\tbob\t2
2\tD3\tann lee\t2
"""
FROM_THE_PAGE = b"""\
topic\tdocno\tjudge\tlabel\tsource\tsuggested\tcomment
1\tD1\tann\t2\tpeople\t\tnot a "boat", a ship
1\tD1\tboats/robot\t0\tmachine: file\t\t
1\t"D""2"\tann\t1\tpeople who saw a machine's grade\t1\t
1\t"D""2"\tboats/robot\tlanguage\tmachine: language model\t\t
1\tD3\tbob\tbroken\tpeople\t\t
"""
BAD = b"""\
1 D1 ann 0
1 D1 bob 7
1 D1 ann 0
1 D2 ann
1\t \tbob\t1
1 D3 ann x
1 D3 bob 1 1
"""


def test_names_may_hold_blanks_between_tabs_and_reasons_are_no_labels() -> None:
    found = parse_labels(GOOD)
    assert found.records[0] == ("1", "D1", "ann lee", 0)
    assert (len(found.records), found.cannot_judge) == (7, 1)


def test_the_reasons_are_those_that_the_site_writes() -> None:
    assert set(REASONS) == set(JudgmentEvent.Reason.values)


@pytest.mark.parametrize(
    "content",
    [
        b"1 D1 ann 0",
        b"1   D1\tann  0",
        b"\xef\xbb\xbf1 D1 ann 0\r\n",
        gzip.compress(b"1 D1 ann 0\n", mtime=0),
        b"TOPIC docno judge label\n1 D1 ann 0\n",
    ],
)
def test_one_label_may_be_written_in_many_ways(content: bytes) -> None:
    if b"\t" in content:  # a tab parts fields, so that blanks do not
        with pytest.raises(BadFile, match="expected 4 fields"):
            parse_labels(content)
    else:
        assert parse_labels(content)[:3] == LabelFile([("1", "D1", "ann", 0)], 0)[:3]


def test_labels_of_programs_are_left_out_and_counted() -> None:
    found = parse_labels(FROM_THE_PAGE)
    assert found.records == [("1", "D1", "ann", 2), ("1", 'D"2', "ann", 1)]
    assert (found.cannot_judge, found.programs) == (1, {"boats/robot": 2})
    with pytest.raises(BadFile, match="2 labels of programs left out: boats/robot"):
        parse_labels(b"".join(line for line in FROM_THE_PAGE.splitlines(True) if b"people" not in line))


def test_a_line_of_such_a_file_has_all_its_columns() -> None:
    for line, expected in (
        (b"1\tD3\tann\t2\tpeople\n", "line 7: expected 7 cells, as in the first line, found 5"),
        (b"1\tD3\tann\t2\tpeople\t\t\xff\n", "line 7: expected UTF-8 text, found the byte 0xff"),
        (b"1\tD3\tann\t2\tpeople\t\ta\rb\n", "line 7: expected cells as in CSV"),
        (b"1\t\tann\t2\tpeople\t\t\n", "line 7: expected a docno, found nothing"),
    ):
        with pytest.raises(BadFile, match=expected):
            parse_labels(FROM_THE_PAGE + line)


def test_the_command_line_says_which_programs_it_left_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "labels.tsv"
    path.write_bytes(FROM_THE_PAGE)
    assert main([str(path), "--draws", "0"]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("2 labels by 1 judge")
    assert "note: 2 labels of programs left out: boats/robot" in printed.err
    assert main([str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["programs"] == {"boats/robot": 2}


def test_every_wrong_line_is_reported_with_what_was_expected() -> None:
    with pytest.raises(BadLabels) as caught:
        parse_labels(BAD, [0, 1, 2], "labels.tsv", reading_of(LABELS, []))
    assert str(caught.value).splitlines() == [
        "labels.tsv, line 2: expected a label among 0, 1, 2, found '7'",
        "labels.tsv, line 3: expected one label of ann for 1 D1, found a second after line 1",
        "labels.tsv, line 4: expected 4 fields (topic, docno, judge, label), found 3",
        "labels.tsv, line 5: expected a docno, found nothing",
        "labels.tsv, line 6: expected a label among 0, 1, 2, found 'x'; say which grade a word means: --word"
        " WORD=GRADE",
        "labels.tsv, line 7: expected 4 fields (topic, docno, judge, label), found 5",
    ]
    assert [error.line for error in caught.value.errors] == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "found no label"),
        (b"topic docno judge label\n", "found no label"),
        (b"1 D1 ann scale\n", "found no label"),
        (b"1 D1 ann \xff\n", "line 1: expected UTF-8 text, found the byte 0xff"),
        (b"1 D1 a\x1bn 1\n", "line 1: expected text, found the control character 0x1b"),
        (b"1 D1 ann 1.5\n", "found '1.5'"),
        (b"1 D1 ann " + "\u0661".encode() + b"\n", "expected a label among"),
        (gzip.compress(b"1 D1 ann 1\n", mtime=0)[:-4], "damaged or cut short"),
    ],
)
def test_what_holds_no_label_is_refused(content: bytes, expected: str) -> None:
    with pytest.raises(BadFile, match=expected):
        parse_labels(content)


def test_the_scale_reaches_from_zero_to_the_highest_label_where_none_is_named() -> None:
    assert scale_in([("1", "D", "a", 0)]) == (0, 1)
    assert scale_in([("1", "D", "a", 3), ("1", "E", "a", 1)]) == (0, 1, 2, 3)


# the command line


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "labels.tsv"
    path.write_bytes(GOOD)
    return path


def test_the_complete_table_is_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), "--scale", "0,1,2", "--threshold", "2", "--draws", "50", "--seed", "4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "7 labels by 2 judges, of 4 documents in 2 topics; 3 documents have two labels or more"
    assert lines[1] == "scale 0 1 2; relevant from 2"
    assert "50 bootstrap draws of topics, seed 4" in lines[2]
    (percent,) = [line.split() for line in lines if line.startswith("Percent agreement ")]
    assert percent[2:6] == ["3", "0.6667", "-", "-"]
    assert "fewer than 10 topics have documents with labels of two judges" in " ".join(percent)
    assert "few documents have grade 0: 1; intervals may be too narrow" in lines
    assert any(line.startswith("ann lee  bob   3  0.6667") for line in lines)


def test_too_many_pairs_of_judges_are_left_out_until_asked_for(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assess.kappa.report.MOST_PAIRS", 0)
    assert main([str(file), "--draws", "0"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "1 pairs of judges are not listed: --every-pair lists them" in lines
    assert not any(line.startswith("ann lee  bob   3") for line in lines)
    assert main([str(file), "--draws", "0", "--every-pair"]) == 0
    assert any(line.startswith("ann lee  bob   3") for line in capsys.readouterr().out.splitlines())
    assert main([str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["pairs"], found["pairs_left_out"]) == ([], 1)


def test_json_has_everything_and_no_nan(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), "--json", "--by-topic"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (found["scale"], found["threshold"], found["cannot_judge"]) == ([0, 1, 2], 1, 1)
    assert found["bootstrap"] == {"seed": 0, "draws": 2000, "level": 0.95}
    assert found["coefficients"]["percent"]["value"] == near(2 / 3)
    assert found["by_topic"]["2"]["fleiss"]["reason"].startswith("fewer than 2 documents")
    assert found["pairs"][0]["counts"] == [[1, 0, 0], [0, 0, 0], [0, 1, 1]]
    assert found["pairs"][0]["homogeneity"][0]["reason"] == "the judges never differ"
    assert [rate["rate"] for rate in found["relevant_rates"]] == [0.75, near(2 / 3)]
    assert found["against_the_rest"][0]["majority"]["n"] == 3


def test_assumptions_are_printed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(file), "--draws", "0", "--by-topic"]) == 0
    out, err = capsys.readouterr()
    assert "the scale was derived from the labels" in err and "left out: 1 line with a reason" in err
    assert "topic 2" in out.splitlines() and "bootstrap" not in out


def test_bad_files_end_with_all_their_lines_and_the_code_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.tsv"
    path.write_bytes(BAD)
    assert main([str(path)]) == 2
    out, err = capsys.readouterr()
    assert (out, len(err.splitlines())) == ("", 5)  # a 7 is on the scale that nobody named
    assert main([str(tmp_path / "none.tsv")]) == 2
    assert "expected a file that can be read" in capsys.readouterr().err
    path.write_bytes(GOOD)
    assert main([str(path), "--threshold", "5"]) == 2
    assert "expected a threshold among [1, 2], found 5" in capsys.readouterr().err


def test_a_bad_scale_is_a_wrong_call(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for scale in ("1", "0,0", "a,b", "2,1"):
        with pytest.raises(SystemExit) as stopped:
            main([str(file), "--scale", scale])
        assert stopped.value.code == 2
        assert "expected ascending grades" in capsys.readouterr().err


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(GOOD))))
    assert main(["-", "--draws", "0"]) == 0
    assert "7 labels by 2 judges" in capsys.readouterr().out


def test_the_program_runs_by_its_name_without_django(file: Path) -> None:
    code = "import runpy, sys; sys.argv[1:] = {!r}; runpy.run_module('assess.kappa', run_name='__main__')"
    watch = f"import atexit, sys; atexit.register(lambda: print('django' in sys.modules)); {code}"
    done = subprocess.run(
        [sys.executable, "-c", watch.format([str(file), "--draws", "0"])],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "False"), done.stderr
