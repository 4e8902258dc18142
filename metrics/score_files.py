"""The forms in which scores are downloaded."""

from __future__ import annotations

from typing import NamedTuple


class Form(NamedTuple):
    """One form. name: in addresses. suffix: of the file. reader: who reads it, for people."""

    name: str
    suffix: str
    content_type: str
    meaning: str


CSV, TSV, JSON, LATEX, TREC_EVAL = "csv", "tsv", "json", "latex", "trec-eval"
FORMS: dict[str, Form] = {
    form.name: form
    for form in (
        Form(CSV, ".csv", "text/csv; charset=utf-8", "one value a line, every digit; a spreadsheet's"),
        Form(TSV, ".tsv", "text/tab-separated-values; charset=utf-8", "the same, parted by tabs"),
        Form(JSON, ".json", "application/json; charset=utf-8", "means and topics of every run"),
        Form(
            LATEX, ".tex", "text/x-tex; charset=utf-8", "a table for a paper: best in bold, daggers below it"
        ),
        Form(TREC_EVAL, ".txt", "text/plain; charset=utf-8", "what trec_eval -q -c prints, run after run"),
    )
}
