"""The forms in which scores are downloaded."""

from __future__ import annotations

from importlib.util import find_spec
from typing import NamedTuple


class Form(NamedTuple):
    """One form. name: in addresses. suffix: of the file. meaning: for people. needs: a package, if any."""

    name: str
    suffix: str
    content_type: str
    meaning: str
    needs: str = ""

    @property
    def there(self) -> bool:
        """Whether this server can write it."""
        return not self.needs or find_spec(self.needs) is not None


CSV, TSV, JSON, LATEX, TREC_EVAL = "csv", "tsv", "json", "latex", "trec-eval"
PARQUET = "parquet"
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
        Form(PARQUET, ".parquet", "application/vnd.apache.parquet", "the same as CSV, in columns", "pyarrow"),
    )
}


def offered() -> list[Form]:
    """Return the forms that this server can write."""
    return [form for form in FORMS.values() if form.there]
