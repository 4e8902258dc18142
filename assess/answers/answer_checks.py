"""An answer run against what its campaign expects: errors with their lines, and warnings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, pairwise

import numpy as np

from assess.answers.answer_files import (
    FORMS,
    MAX_BYTES,
    MAX_ERRORS,
    Answer,
    AnswerFile,
    AnswerLines,
    Limits,
    character_count,
    read_answer_lines,
    word_count,
)
from pooling.arrays import Docnos, Flags
from pooling.formats.files import BadFile
from pooling.formats.run_checks import MAX_ERRORS_SHOWN, RunFinding, RunRefused
from pooling.intake.compare import Match, match_names
from pooling.words import by_number

MOST_NAMED = 5  # docnos or topics that a warning names
_ABBREVIATIONS = """
    al approx apr aug ca capt cf co col corp dec dept dr ed eds eq est etc feb fig figs gen gov hon inc jan jr
    jul jun lt ltd maj mar mr mrs ms mt no nov oct op pp prof rep rev sec sen sep sept sgt sr st vol vs
"""
NO_ENDS = frozenset(_ABBREVIATIONS.split())
OPENING, CLOSING = "\"'“‘«([", "\"'”’»)]"
_CJK_END = re.compile(r"[。！？](?=\s*\w)")


@dataclass(frozen=True)
class AnswerRequirements:
    """What a campaign expects of an answer run.

    topics: their numbers. form: a key of FORMS, "" for any. limits: form -> its limits here.
    matches_topics: topics whose numbers differ only in how they are written are those of the campaign.
    in_collection: as in `RunRequirements`; None where the collection is not known.
    """

    topics: frozenset[str]
    form: str = ""
    limits: Callable[[str], Limits] = field(default=lambda form: FORMS[form].limits)
    matches_topics: bool = False
    in_collection: Callable[[Docnos], Flags] | None = None


def parse_answers(content: bytes, name: str = "", form: str = "") -> AnswerFile:
    """Return an unpacked answer run, whatever the campaign. Raises RunRefused, which lists the errors."""
    lines = _lines(content, name, form)
    _refuse(lines.errors, name, lines.cut)
    return lines.file()


def check_answers(
    content: bytes, expected: AnswerRequirements, name: str = ""
) -> tuple[AnswerFile, list[RunFinding]]:
    """Return an answer run without errors, and its warnings.

    Raises RunRefused as `parse_answers`, also for a topic that the campaign does not have, an answer over a
    limit, a docno outside a known collection, and, where the limits say so, a reference that is not cited.
    """
    lines = _lines(content, name, expected.form)
    limits = expected.limits(lines.form) if lines.form else Limits()
    match = match_names([answer.topic for answer in lines.answers], expected.topics)
    answers, notes, renamed = lines.answers, list[RunFinding](), dict[str, str]()
    if match and expected.matches_topics:
        renamed = dict(match.names)
        answers = [each._replace(topic=renamed.get(each.topic, each.topic)) for each in answers]
        notes.append(RunFinding(match.note("topic"), "Check that they are the same topics"))
    findings = (finding for answer in answers for finding in _errors(answer, expected, limits))
    errors = list(islice(chain(findings, _outside_collection(answers, expected)), MAX_ERRORS))
    is_cut = lines.cut or len(errors) == MAX_ERRORS
    _refuse([*lines.errors, *errors], name, is_cut, None if expected.matches_topics else match)
    file = lines.file()._replace(answers=answers, renamed=renamed)
    return file, notes + list(_warnings(file, expected, limits))


def _lines(content: bytes, name: str, form: str) -> AnswerLines:
    if len(content) > MAX_BYTES:
        most = f"expected at most {MAX_BYTES:,} bytes after unpacking, found {len(content):,}"
        raise RunRefused([RunFinding(most, "Submit each run as a file of its own")], name=name)
    try:
        lines = read_answer_lines(content, form)
    except BadFile as error:
        raise RunRefused([RunFinding(error.message, "", error.line)], name=name) from error
    if not lines.answers and not lines.errors:
        raise RunRefused([RunFinding("expected at least one answer, found an empty file", "")], name=name)
    return lines


def _refuse(errors: list[RunFinding], name: str, cut: bool, match: Match | None = None) -> None:
    """Raise RunRefused if there are errors. cut: whether there may be more of them."""
    if errors:
        errors = sorted(errors, key=lambda error: error.line or 0)
        shown = errors[:MAX_ERRORS_SHOWN]
        raise RunRefused(shown, len(errors) - len(shown), name, cut, match)


def _errors(answer: Answer, expected: AnswerRequirements, limits: Limits) -> Iterator[RunFinding]:
    def error(what: str, wish: str = "") -> RunFinding:
        return RunFinding(what, wish, answer.line)

    if answer.topic not in expected.topics:
        yield error(
            f"topic {answer.topic} is not in this campaign", f"It has {len(expected.topics):,} topics"
        )
    texts = [sentence.text for sentence in answer.sentences]
    if limits.words is not None and (words := word_count(texts)) > limits.words:
        yield error(f"expected at most {limits.words:,} words, found {words:,}")
    if limits.characters is not None and (characters := character_count(texts)) > limits.characters:
        yield error(f"expected at most {limits.characters:,} characters, found {characters:,}")
    for place, sentence in enumerate(answer.sentences, start=1):
        if limits.citations is not None and len(sentence.citations) > limits.citations:
            most = f"expected at most {limits.citations:,} citations"
            yield error(f"sentence {place}: {most}, found {len(sentence.citations):,}")
    if limits.all_cited and (never := never_cited(answer)):
        wish = "Leave out references that no sentence cites"
        yield error(f"{_counted(len(never), 'reference')} not cited: {_named(never)}", wish)


def never_cited(answer: Answer) -> list[str]:
    """Return the references that no sentence cites."""
    cited = set(answer.cited)
    return [docno for docno in dict.fromkeys(answer.references) if docno not in cited]


def _outside_collection(answers: Sequence[Answer], expected: AnswerRequirements) -> Iterator[RunFinding]:
    """Yield an error for each line with docnos that the collection does not have."""
    docnos = sorted({docno for answer in answers for docno in (*answer.cited, *answer.references)})
    if not expected.in_collection or not docnos:
        return
    is_inside = expected.in_collection(np.array([docno.encode() for docno in docnos]))
    outside = {docno for docno, is_known in zip(docnos, is_inside.tolist(), strict=True) if not is_known}
    for answer in answers:
        unknown = [docno for docno in dict.fromkeys((*answer.references, *answer.cited)) if docno in outside]
        if unknown:
            what = f"{_counted(len(unknown), 'docno')} not in the collection: {_named(unknown)}"
            yield RunFinding(what, "Write docnos as the collection does", answer.line)


def _warnings(file: AnswerFile, expected: AnswerRequirements, limits: Limits) -> Iterator[RunFinding]:
    answered = {answer.topic for answer in file.answers}
    if missing := sorted(expected.topics - answered, key=by_number):
        what = f"no answer to {len(missing):,} of {len(expected.topics):,} topics ({_named(missing)})"
        yield RunFinding(what, "A topic without an answer counts as an empty answer")
    most = limits.references
    over = [each for each in file.answers if most is not None and len(each.references) > most]
    if over:
        what = f"{_counted(len(over), 'answer')} with more than {most:,} references"
        yield RunFinding(what, "Assessors may not read all of them", over[0].line)
    again = [each for each in file.answers if len(set(each.references)) < len(each.references)]
    if again:
        what = f"{_counted(len(again), 'answer')} with a reference twice"
        yield RunFinding(what, "They are stored once", again[0].line)
    unused = [each for each in file.answers if never_cited(each)] if not limits.all_cited else []
    if unused:
        count = sum(len(never_cited(each)) for each in unused)
        what = f"{_counted(count, 'reference')} not cited, in {_counted(len(unused), 'answer')}"
        yield RunFinding(what, "Documents that no sentence cites are not assessed", unused[0].line)
    long = [
        (answer.line, place)
        for answer in file.answers
        for place, sentence in enumerate(answer.sentences, start=1)
        if sentence_count(sentence.text) > 1
    ]
    if long:
        line, place = long[0]
        what = f"{_counted(len(long), 'sentence')} may be several sentences; the first is sentence {place}"
        yield RunFinding(what, "Citations are assessed a sentence at a time: split them", line)


def sentence_count(text: str) -> int:
    """Return how many sentences a text seems to have: words that end one, before a word with a capital.

    A letter without case counts as a capital. A full stop after an abbreviation, as in "Dr." and "U.S.", ends
    no sentence. Full stops of Chinese and Japanese need no blank.

    >>> [sentence_count(text) for text in ("He left. Then it rained.", "In the U.S. Senate", "At 3.5 pm")]
    [2, 1, 1]
    """
    ends = sum(_ends_sentence(word, following) for word, following in pairwise(text.split()))
    return 1 + ends + len(_CJK_END.findall(text))


def _ends_sentence(word: str, following: str) -> bool:
    bare, first = word.rstrip(CLOSING), following.lstrip(OPENING)[:1]
    if bare[-1:] not in (".", "!", "?") or not first.isalpha() or first.islower():
        return False
    stem = bare[:-1].lstrip(OPENING)
    return bare[-1] != "." or not (len(stem) == 1 or "." in stem or stem.lower() in NO_ENDS)


def _named(names: Sequence[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
