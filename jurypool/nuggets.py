"""Nugget banks, assignments of nuggets, and scores of answers from nuggets and citations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assess.nuggets.assignments import AssignedAnswer, AssignedNugget, Assignment
from assess.nuggets.assignments import read_assignments as assignments_of
from assess.nuggets.assignments import write_assignments as lines_of
from assess.nuggets.bank_files import BankFile, read_banks
from assess.nuggets.banks import FORMS, QUESTIONS, NuggetBank, write_banks
from metrics.nuggets.scores import MEASURES
from metrics.nuggets.support import CHOICES, FIRST, Support, support_precision, support_recall
from metrics.nuggets.values import NuggetScore, RunScore, mean_over_topics
from pooling.notebook import markup
from pooling.refusals import Refused

from .reading import Path, content_of, is_path
from .tables import shown

if TYPE_CHECKING:
    import pandas

MOST_SHOWN = 20  # banks in a notebook


class NuggetBanks(Mapping[str, NuggetBank]):
    """The nugget banks of a file: topic -> `NuggetBank`, in the order of the file.

    Attributes
    ----------
    form
        "nuggets", "questions", "tool" or "short": the form of the file.
    notes
        What may be meant otherwise, such as a nugget of more than 12 words, each with ``line``, ``what`` and
        ``wish``.
    """

    def __init__(self, file: BankFile) -> None:
        self.form, self.notes = file.form, file.notes
        self._banks = {bank.topic: bank for bank in file.banks}

    def __getitem__(self, topic: str) -> NuggetBank:
        return self._banks[topic]

    def __iter__(self) -> Iterator[str]:
        return iter(self._banks)

    def __len__(self) -> int:
        return len(self._banks)

    def to_bytes(self, form: str = QUESTIONS) -> bytes:
        """Return a file of JSON Lines in the form "questions", or "nuggets" for banks without questions."""
        return write_banks(self.values(), form)

    def _rows(self) -> list[list[str]]:
        return [
            [
                topic,
                f"{len(bank.nuggets):,}",
                f"{sum(bool(nugget.answers) for nugget in bank.nuggets):,}",
                f"{sum(len(nugget.answers) for nugget in bank.nuggets):,}",
                f"{sum(nugget.importance is not None for nugget in bank.nuggets):,}",
            ]
            for topic, bank in list(self.items())[:MOST_SHOWN]
        ]

    def _caption(self) -> str:
        more = len(self) - MOST_SHOWN
        count = f"{len(self):,} topic{'' if len(self) == 1 else 's'}"
        return ", ".join([FORMS[self.form], count, *[f"{more:,} not shown"] * (more > 0)])

    def __repr__(self) -> str:
        return _table(BANK_HEAD, self._rows(), self._caption())

    def _repr_html_(self) -> str:
        return markup(BANK_HEAD, self._rows(), self._caption())


BANK_HEAD = ["topic", "nuggets", "questions", "answers", "with importance"]


class NuggetScores(Mapping[str, Mapping[str, RunScore]]):
    """Scores of runs from their nuggets: tag -> name of a score -> `value`, or None and the `reason`.

    The names are vital, vital_strict, all, all_strict, weighted and weighted_strict. `topics` of a score is
    the number of topics in the mean, `undefined` says which topics are left out of it, and why.

    Attributes
    ----------
    by_topic
        tag -> topic -> name -> score with ``value`` and ``reason``.
    """

    def __init__(self, by_topic: Mapping[str, Mapping[str, Mapping[str, NuggetScore]]]) -> None:
        self.by_topic = by_topic
        self._scores = {
            tag: {
                measure.name: mean_over_topics({topic: own[measure.name] for topic, own in topics.items()})
                for measure in MEASURES
            }
            for tag, topics in by_topic.items()
        }

    def __getitem__(self, tag: str) -> Mapping[str, RunScore]:
        return self._scores[tag]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain data, ready for JSON."""
        return {
            tag: {
                name: {**score._asdict(), "undefined": dict(score.undefined)} for name, score in own.items()
            }
            for tag, own in self.items()
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Return a data frame with a row for each run and a column for each score. Needs pandas."""
        import pandas as pd  # imported only if a data frame is requested

        rows = {tag: {name: score.value for name, score in own.items()} for tag, own in self.items()}
        return pd.DataFrame.from_dict(rows, orient="index")

    def _rows(self) -> list[list[str]]:
        return [
            [tag, *("" if each.value is None else f"{each.value:.4f}" for each in own.values())]
            for tag, own in self.items()
        ]

    def _caption(self) -> str:
        topics = next(iter(self.by_topic.values()), {})
        out = {topic for own in self.values() for score in own.values() for topic in score.undefined}
        left_out = f"; {len(out):,} without some score" if out else ""
        return f"means over {len(topics):,} topic{'' if len(topics) == 1 else 's'}{left_out}"

    def __repr__(self) -> str:
        return _table(SCORE_HEAD, self._rows(), self._caption())

    def _repr_html_(self) -> str:
        return markup(SCORE_HEAD, self._rows(), self._caption())


SCORE_HEAD = ["run", *(measure.name for measure in MEASURES)]


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str) -> str:
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    lines = [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in (head, *rows)
    ]
    return "\n".join([*lines, f"({caption})"])


def read_nuggets(source: Path | bytes, topic: str = "") -> NuggetBanks:
    """Return the nugget banks of a file, checked.

    Parameters
    ----------
    source
        The path of a file, or its bytes, plain or packed (gz, bz2, xz): nuggets with importance as
        AutoNuggetizer writes them, questions with answers (version 3), or questions as an annotation tool and
        participants of TREC 2025 have them. The form is recognised.
    topic
        The topic of a file that names none; without it, that of a file name as ``nuggets_308.json``.

    Each `NuggetBank` has ``topic``, ``title`` and ``nuggets``; each `Nugget` has ``text``, ``importance``,
    ``answers`` and ``aggregator`` of a question, ``references`` (documents and passages) and ``creators``.

    Raises
    ------
    Refused
        For bad JSON, an empty text, a question without answers, an aggregator other than OR and AND, an
        unknown importance, two kinds of importance in a bank, a nugget twice, a topic twice. The message
        names the line; attribute ``errors`` has the other ones.

    Examples
    --------
    >>> import jurypool as jp
    >>> banks = jp.read_nuggets(b'{"query": "Boats", "qid": "7", "nuggets": ['
    ...     b'{"text": "Boats float", "importance": "vital"}, {"text": "Some sink", "importance": "okay"}]}')
    >>> banks["7"].nuggets[0].text, banks["7"].nuggets[0].importance
    ('Boats float', 'vital')
    >>> banks
    topic  nuggets  questions  answers  with importance
    7            2          0        0                2
    (nuggets with importance, AutoNuggetizer, 1 topic)
    """
    content, name = content_of(source, "nuggets")
    return NuggetBanks(read_banks(content, name, topic))


def read_assignments(
    source: Path | bytes, banks: Mapping[str, NuggetBank] | None = None
) -> list[AssignedAnswer]:
    """Return answers with the assignments of their nuggets, from a file as AutoNuggetizer writes it.

    Parameters
    ----------
    source
        The path of a file of JSON Lines, or its bytes, plain or packed.
    banks
        What `read_nuggets` returned, if the nuggets must be those of banks. Otherwise all answers to a topic
        must have the same nuggets.

    Each `AssignedAnswer` has ``topic``, ``tag`` of the run, and ``nuggets``, each with ``text``,
    ``importance`` and ``assignment``: support, partial_support, not_support, contradicts, or None.

    Raises
    ------
    Refused
        For bad JSON, an unknown assignment or importance, other nuggets than expected, a nugget twice, and
        two answers of a run to a topic. The message names the line; ``errors`` has the other ones.
    """
    content, name = content_of(source, "assignments")
    return assignments_of(content, name, banks)


def write_assignments(answers: Iterable[AssignedAnswer]) -> bytes:
    """Return answers with the assignments of their nuggets as a file in the form of AutoNuggetizer.

    `read_assignments` reads it as the same again. Raises `Refused` for something else than its answers.
    """
    return lines_of(_checked(answers))


def nugget_scores(
    assignments: Path | bytes | Iterable[AssignedAnswer], banks: Mapping[str, NuggetBank] | None = None
) -> NuggetScores:
    """Return the scores of runs from the assignments of nuggets, as in TREC RAG 2024.

    Support counts 1, partial support 0.5, in the strict scores 0. A run's score is the mean over topics. A
    topic that a run does not answer counts 0; one without a score, for example without a vital nugget, is
    left out and named. Source: Pradeep et al. 2024, arXiv 2411.09607.

    Parameters
    ----------
    assignments
        What `read_assignments` reads or returned.
    banks
        What `read_nuggets` returned, if the topics are those of banks. Otherwise they are those that a run
        answers.

    Examples
    --------
    >>> import jurypool as jp
    >>> lines = [b'{"qid": "7", "run_id": "one", "nuggets": [{"text": "Boats float", "importance": "vital",'
    ...     b' "assignment": "partial_support"}, {"text": "Some sink", "importance": "okay", '
    ...     b'"assignment": "support"}]}']
    >>> scores = jp.nugget_scores(lines[0])
    >>> scores["one"]["all"].value, round(scores["one"]["weighted"].value, 4)
    (0.75, 0.6667)
    >>> scores
    run   vital  vital_strict     all  all_strict  weighted  weighted_strict
    one  0.5000        0.0000  0.7500      0.5000    0.6667           0.3333
    (means over 1 topic)
    """
    if is_path(assignments) or isinstance(assignments, bytes):
        answers = read_assignments(assignments, banks)
    else:
        answers = _checked(assignments)
    nuggets = {answer.topic: answer.nuggets for answer in reversed(answers)}
    for topic, bank in (banks or {}).items():
        nuggets[topic] = tuple(AssignedNugget(each.text, each.importance, None) for each in bank.nuggets)
    without = {
        topic: [nugget._replace(assignment=Assignment.NONE) for nugget in own]
        for topic, own in nuggets.items()
    }
    nuggets_of = {(answer.tag, answer.topic): answer.nuggets for answer in answers}
    return NuggetScores(
        {
            tag: {
                topic: {
                    each.name: each.compute(nuggets_of.get((tag, topic), without[topic])) for each in MEASURES
                }
                for topic in nuggets
            }
            for tag in dict.fromkeys(answer.tag for answer in answers)
        }
    )


def _checked(assignments: object) -> list[AssignedAnswer]:
    answers = []
    if not isinstance(assignments, Iterable):
        raise Refused(f"expected a path, bytes or what read_assignments returned, found {shown(assignments)}")
    for answer in assignments:
        if not isinstance(answer, AssignedAnswer):
            raise Refused(f"expected what read_assignments returned, found {shown(answer)}")
        answers.append(answer)
    return answers


def support_scores(
    judged: Mapping[str, Sequence[Sequence[str | None]]], citations: str = FIRST
) -> dict[str, RunScore]:
    """Return precision and recall of the support of citations, of one run over its topics.

    Full support counts 1, partial support 0.5, in the hard scores 0. Precision is the mean over sentences
    with a citation, recall over all sentences. Source: Thakur et al. 2025, arXiv 2504.15205.

    Parameters
    ----------
    judged
        topic -> for each sentence of the answer, the support by each of its citations, in order: ``"full"``,
        ``"partial"``, ``"none"``, or None where nobody has judged.
    citations
        Which citations of a sentence count: the ``"first"`` one, ``"any"`` (the best one) or ``"all"`` (their
        mean).

    The keys are precision, precision_hard, recall and recall_hard. Each has a ``value``, or None and a
    ``reason``; ``topics``, the number of topics in the mean; and ``undefined``, which topics are left out.

    Examples
    --------
    >>> import jurypool as jp
    >>> scores = jp.support_scores({"7": [["full"], ["partial", "full"], ["none"], [], ["full"]]})
    >>> {name: score.value for name, score in scores.items()}
    {'precision': 0.625, 'precision_hard': 0.5, 'recall': 0.5, 'recall_hard': 0.4}
    """
    if citations not in CHOICES:
        raise Refused(f"expected first, any or all citations, found {shown(citations)}")
    sentences = {topic: [_labels(topic, labels) for labels in own] for topic, own in judged.items()}
    return {
        f"{name}{'_hard' if hard else ''}": mean_over_topics(
            {topic: compute(own, hard, citations) for topic, own in sentences.items()}
        )
        for name, compute in (("precision", support_precision), ("recall", support_recall))
        for hard in (False, True)
    }


def _labels(topic: str, labels: Sequence[str | None]) -> list[Support | None]:
    known = (None, *Support)
    if not isinstance(labels, list | tuple) or any(label not in known for label in labels):
        raise Refused(
            f"topic {topic}: expected a list of full, partial, none and None, found {shown(labels)}"
        )
    return [None if label is None else Support(label) for label in labels]
