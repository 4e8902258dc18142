"""Figures from tables and from ir_metadata headers, and their units."""

from __future__ import annotations

import json

import pytest

from metrics.system_quality.files import read_system_figures
from metrics.system_quality.header import read_header_figures
from metrics.system_quality.quantities import QUANTITIES, Cost, RunFigures, costs_of, figure_text
from pooling.formats.files import BadFile

TAGS = {"bm25", "dense", "1e3"}
ROWS = [
    {"run": "bm25", "latency_ms": 12.5, "index_bytes": 2e9, "cost": 0, "currency": "eur"},
    {"run": "dense", "latency_ms": 80, "throughput_qps": None, "hardware": 'one "A100"'},
]
FIGURES = {
    "bm25": RunFigures({"latency_ms": 12.5, "index_bytes": 2e9, "cost": 0.0}, "EUR"),
    "dense": RunFigures({"latency_ms": 80.0}, "", 'one "A100"'),
}
HEAD = "run,latency_ms,throughput_qps,index_bytes,cost,currency,hardware"
CSV = f'{HEAD}\nbm25,12.5,,2e9,0,EUR,\ndense,80,,,,,"one ""A100"""\n'


@pytest.mark.parametrize(
    "content",
    [
        CSV.encode(),
        CSV.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + CSV.removesuffix("\n").encode(),
        json.dumps(ROWS).encode(),
        "".join(json.dumps(row) + "\n" for row in ROWS).encode(),
        b"tag\tlatency-ms\tIndex Bytes\tcost\tcurrency\thardware\n"
        b'bm25\t12.5\t2000000000\t.0\tEUR\t\ndense\t80\t\t\t\tone "A100"\n',
    ],
)
def test_a_table_is_read_in_each_of_its_forms(content: bytes) -> None:
    assert read_system_figures(content, TAGS).figures == FIGURES


def test_a_column_that_was_not_read_is_named_and_a_row_without_figures_left_out() -> None:
    table = read_system_figures(b"run,latency_ms,speed\nbm25,3,fast\ndense,,slow\n", TAGS)
    assert table.figures.keys() == {"bm25"} and "not read: speed" in table.note


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ("run,latency_ms\nbm25,3\nother,4\n", 3, "expected the tag of a run of this campaign, found 'other'"),
        ("run,latency_ms\nbm25,3\n\nbm25,4\n", 4, "found 'bm25' again (first on line 2)"),
        ("run,latency_ms\nbm25,fast\n", 2, "expected latency_ms as a number of 0 or more, found 'fast'"),
        ("run,energy_kwh\nbm25,-1\n", 2, "expected energy_kwh as a number of 0 or more, found '-1'"),
        ("run,energy_kwh\nbm25,1e999\n", 2, "found '1e999'"),
        ("run,energy_kwh\nbm25,nan\n", 2, "found 'nan'"),
        ("run,cost\nbm25,3\n", 2, "expected a currency of three letters, such as EUR, beside the cost"),
        ("run,cost,currency\nbm25,3,euro\n", 2, "beside the cost, found 'euro'"),
        ("run,latency_ms\nbm25,3,4\n", 2, "expected 2 cells"),
        ('[{"run": "bm25", "latency_ms": true}]', None, "row 1: expected latency_ms as a number"),
        ("run,latency_ms\nbm25,\n", None, "expected at least one row with a figure, found none"),
        ("run,currency\nbm25,EUR\n", None, "expected a column with figures (latency_ms, throughput_qps"),
        ("run,tag,latency_ms\nbm25,dense,1\n", None, "expected one field with the run, found run, tag"),
        ("bm25 12\ndense 80\n", None, "expected a table whose first line names its columns (run, latency_ms"),
        ("", None, "expected a table whose first line names its columns"),
    ],
)
def test_a_table_is_refused_with_file_and_line(content: str, line: int | None, message: str) -> None:
    with pytest.raises(BadFile) as refusal:
        read_system_figures(content.encode(), TAGS, "costs.csv")
    assert (refusal.value.line, refusal.value.name) == (line, "costs.csv")
    assert message in str(refusal.value)


def header(*lines: str) -> bytes:
    rows = "".join(f"# {line}\n" for line in lines)
    return f"# ir_metadata.start\n{rows}# ir_metadata.end\n1 Q0 D1 1 2.0 t\n".encode()


# What the TIREx tracker writes (docs/guides/ir-metadata.md of tira-io/tirex-tracker), shortened, with energy.
TRACKED = [
    "schema version: 0.2", "platform:", "  hardware:", "    cpu:", "      model: Intel Xeon 2.20GHz",
    "    gpu: null", "    ram: 13605 MB", "resources:", "  cpu:", "    used process:", "      max: 100",
    "    energy used system: 3000 J", "  gpu:", "  ram:", "    energy used system: 600 J", "  runtime:",
    "    system: 0 ms", "    user: 170 ms", "    wallclock: 171 ms",
]  # fmt: skip


def test_what_a_tracker_wrote_is_read() -> None:
    figures = read_header_figures(header(*TRACKED))
    assert figures.values == pytest.approx({"run_seconds": 0.171, "energy_kwh": 0.001})
    assert figures.hardware == "Intel Xeon 2.20GHz, 13605 MB RAM"


def test_figures_that_a_program_registered_come_before_those_of_the_tracker() -> None:
    own = ["metadata:", "  latency_ms: 4.5", "  energy_kwh: 2", "  cost: 1", "  currency: usd", "  model: x"]
    figures = read_header_figures(header(*TRACKED, *own))
    assert figures.values["energy_kwh"] == 2 and figures.values["latency_ms"] == 4.5
    assert figures.currency == "USD"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["tag: a"],
        ["resources: none"],
        ["resources: {runtime: [1]}"],
        ["metadata: [latency_ms]"],
        ["metadata: {latency_ms: {a: 1}, energy_kwh: null}"],
        ["resources: {cpu: {energy used system: 0 J}, ram: {energy used system: 0 J}}"],
    ],
)
def test_a_header_without_figures_has_none(lines: list[str]) -> None:
    assert read_header_figures(header(*lines)).values == {}
    assert read_header_figures(b"1 Q0 D1 1 2.0 t\n") == RunFigures({})


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("resources: {runtime: {wallclock: long}}", "resources, runtime, wallclock"),
        ("resources: {runtime: {wallclock: 3 h}}", "resources, runtime, wallclock"),
        ("resources: {gpu: {energy used system: -3 J}}", "resources, gpu, energy used system"),
        ("metadata: {latency_ms: fast}", "metadata, latency_ms"),
        ("metadata: {latency_ms: 3, latency-ms: 4}", "metadata: expected latency_ms once"),
        ("metadata: {cost: 3}", "metadata, currency"),
    ],
)
def test_a_figure_of_a_header_is_refused_with_the_fields_that_lead_to_it(line: str, place: str) -> None:
    with pytest.raises(BadFile) as refusal:
        read_header_figures(header(line), "a.run")
    assert str(refusal.value).startswith(f"a.run: ir_metadata, {place}")


def test_costs_in_two_currencies_are_two_quantities() -> None:
    figures = [RunFigures({"cost": 3.0}, "USD"), RunFigures({"cost": 2.0, "energy_kwh": 1.0}, "EUR")]
    costs = costs_of(figures)
    assert [cost.key for cost in costs] == ["energy_kwh", "cost-EUR", "cost-USD"]
    assert [cost.value_of(figures[0]) for cost in costs] == [None, None, 3.0]


def test_a_value_is_shown_in_a_unit_in_which_it_is_no_long_fraction() -> None:
    assert Cost(QUANTITIES["index_bytes"]).unit_for([3e9, 2.0]).name == "GB"
    assert Cost(QUANTITIES["energy_kwh"]).unit_for([2.8e-7]).name == "J"
    assert Cost(QUANTITIES["energy_kwh"]).unit_for([0.0]).name == "J"
    assert figure_text(0.0) == "0"
