"""Generated answers with citations, read from files of answer runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from assess.answers.answer_checks import parse_answers
from assess.answers.answer_files import FORMS, Answer, AnswerFile, word_count
from pooling.notebook import markup
from pooling.refusals import Refused

from .reading import Path, content_of
from .tables import shown

if TYPE_CHECKING:
    import pandas

MOST_SHOWN = 20  # answers in a notebook


class AnswerRun(Mapping[str, Answer]):
    """The answers of one system: topic -> `Answer`, in the order of the file.

    Attributes
    ----------
    tag, group
        The run_id and the team_id of the file; group is "" where it has none.
    kind
        "automatic", "manual", or "" where the file does not say.
    form
        "rag", "rag-2024", "rag-2026" or "report".
    """

    def __init__(self, file: AnswerFile) -> None:
        self.tag, self.group, self.kind, self.form = file.tag, file.group, file.kind, file.form
        self._answers = {answer.topic: answer for answer in file.answers}

    def __getitem__(self, topic: str) -> Answer:
        return self._answers[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)

    def to_dict(self) -> dict[str, Any]:
        """Return the answers as plain data, ready for JSON. Citations are docnos in every form."""
        return {
            "tag": self.tag,
            "group": self.group,
            "kind": self.kind,
            "form": self.form,
            "answers": {
                topic: {
                    "sentences": [
                        {"text": each.text, "citations": [*each.citations], "scores": [*each.scores]}
                        for each in answer.sentences
                    ],
                    "references": [*answer.references],
                    "metadata": dict(answer.metadata),
                    "line": answer.line,
                }
                for topic, answer in self.items()
            },
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame of the sentences: topic, sentence, text, citations. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        rows = [
            (topic, place, sentence.text, list(sentence.citations))
            for topic, answer in self.items()
            for place, sentence in enumerate(answer.sentences, start=1)
        ]
        return pd.DataFrame(rows, columns=["topic", "sentence", "text", "citations"])

    def _rows(self) -> list[list[str]]:
        return [
            [
                topic,
                f"{len(answer.sentences):,}",
                f"{word_count(each.text for each in answer.sentences):,}",
                f"{sum(len(each.citations) for each in answer.sentences):,}",
                f"{len(answer.references):,}",
            ]
            for topic, answer in list(self.items())[:MOST_SHOWN]
        ]

    def _caption(self) -> str:
        more = len(self) - MOST_SHOWN
        count = f"{len(self):,} answer{'' if len(self) == 1 else 's'}"
        parts = [self.tag, self.group and f"of {self.group}", FORMS[self.form].title, count]
        return ", ".join(filter(None, [*parts, f"{more:,} not shown" if more > 0 else ""]))

    def __repr__(self) -> str:
        rows = [HEAD, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
        lines = [
            "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
            for row in rows
        ]
        return "\n".join([*lines, f"({self._caption()})"])

    def _repr_html_(self) -> str:
        return markup(HEAD, self._rows(), self._caption())


HEAD = ["topic", "sentences", "words", "citations", "references"]


def read_answers(source: Path | bytes, form: str | None = None) -> AnswerRun:
    """Return the answers of a file of an answer run, checked.

    Parameters
    ----------
    source
        The path of a file, or its bytes, plain or packed (gz, bz2, xz): JSON Lines, an answer a line, in the
        forms of TREC RAG 2024 to 2026, or of reports (RAGTIME, NeuCLIR, DRAGUN).
    form
        ``"rag"``, ``"rag-2024"``, ``"rag-2026"`` or ``"report"``; by default it is recognised. A file of RAG
        2026 whose citations are indexes of references looks like one of RAG 2025, which is ``"rag"``.

    Each `Answer` has its ``sentences``, each with ``text``, ``citations`` (docnos in every form) and
    ``scores`` (of the citations, if the file has them), and ``references``, ``metadata``, ``cited`` and the
    ``line`` in the file. The limits of the tracks are not checked: a campaign does that.

    Raises
    ------
    Refused
        For bad JSON, a topic twice, a sentence without text, an index out of range, a document cited twice
        in a sentence or not among the references, and two tags or forms in a file. The message names the
        line; attribute ``errors`` has the other ones, each with ``line``, ``what`` and ``wish``.

    Examples
    --------
    >>> import jurypool as jp
    >>> run = jp.read_answers(b'{"metadata": {"team_id": "harbour", "run_id": "long", "narrative_id": "7"},'
    ...     b' "references": ["D1", "D2"], "answer": [{"text": "Boats float.", "citations": [0]},'
    ...     b' {"text": "They carry people and goods.", "citations": [0, 1]}]}')
    >>> run["7"].sentences[1].text, run["7"].sentences[1].citations
    ('They carry people and goods.', ('D1', 'D2'))
    >>> run
    topic  sentences  words  citations  references
    7              2      7          3           2
    (long, of harbour, RAG 2024 and 2025, 1 answer)
    """
    if form is not None and form not in FORMS:
        raise Refused(f"expected a form ({', '.join(FORMS)}) or None, found {shown(form)}")
    content, name = content_of(source, "answers")
    return AnswerRun(parse_answers(content, name, form or ""))
