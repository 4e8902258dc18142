"""Two nuggets that say the same, as one; and a nugget without what one of them gave."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, TypeVar

from assess.nuggets.banks import Nugget, NuggetAnswer
from pooling.refusals import Refused

Part = TypeVar("Part")
Sourced = TypeVar("Sourced", Nugget, NuggetAnswer)
_WORD = re.compile(r"\w+")


def joined(kept: Nugget, other: Nugget) -> Nugget:
    """Return a nugget with the wording of `kept` and the references, authors and answers of both.

    Its importance is that of `kept`, or else that of the other one. Answers with the same text become one,
    with the references of both. Keys of `extra` that both have are those of `kept`. Raises Refused for a
    statement and a question.
    """
    if bool(kept.answers) != bool(other.answers):
        raise Refused("A statement and a question with answers cannot be joined. Change one of them first.")
    answers = {answer.text: answer for answer in kept.answers}
    for answer in other.answers:
        known = answers.get(answer.text)
        answers[answer.text] = _joined_answer(known, answer) if known else answer
    return Nugget(
        kept.text,
        other.importance if kept.importance is None else kept.importance,
        tuple(answers.values()),
        kept.aggregator or other.aggregator,
        _once([*kept.references, *other.references]),
        _once([*kept.creators, *other.creators]),
        {**other.extra, **kept.extra},
    )


def _joined_answer(kept: NuggetAnswer, other: NuggetAnswer) -> NuggetAnswer:
    references = _once([*kept.references, *other.references])
    return NuggetAnswer(kept.text, references, {**other.extra, **kept.extra})


def _once(parts: Iterable[Part]) -> tuple[Part, ...]:
    distinct: list[Part] = []
    for part in parts:
        if part not in distinct:
            distinct.append(part)
    return tuple(distinct)


def without(current: Nugget, gone: Sequence[Nugget], rest: Sequence[Nugget]) -> Nugget | None:
    """Return a joined nugget without what some of its parts gave; None if there is nothing else in it.

    gone: the parts that go. rest: those that stay. References, authors, answers and keys of `extra` stay if a
    part that stays gave them, or if no part gave them that goes. So do wording, importance and aggregator;
    otherwise that of the first part that stays takes its place. If no part stays, a nugget that people
    changed keeps its wording, importance and answers, because they had these before them.

    >>> kept, loaded = Nugget("Boats float."), Nugget("Boats do float.", "vital")
    >>> without(joined(loaded, kept), [loaded], [kept]) == kept
    True
    """
    creators = [part.creators for part in gone], [part.creators for part in rest]
    answers = [
        _less(answer, _same_answers(answer, gone), _same_answers(answer, rest))
        for answer in current.answers
        if not rest or _same_answers(answer, rest) or not _same_answers(answer, gone)
    ]
    left = _less(current, gone, rest)._replace(
        answers=tuple(answers), creators=_kept(current.creators, *creators)
    )
    if rest:
        importances = [part.importance for part in rest if part.importance is not None]
        aggregators = [part.aggregator for part in rest if part.aggregator]
        return left._replace(
            text=_value(current.text, [part.text for part in gone], [part.text for part in rest]),
            importance=_value(current.importance, [part.importance for part in gone], [*importances, None]),
            aggregator=_value(current.aggregator, [part.aggregator for part in gone], [*aggregators, ""]),
        )
    texts = {part.text for part in gone}
    is_changed = current.text not in texts or not all(_same_answers(answer, gone) for answer in answers)
    return left if is_changed or left.references or left.creators else None


def _less(current: Sourced, gone: Sequence[Sourced], rest: Sequence[Sourced]) -> Sourced:
    """Return a nugget or an answer without the references and extra keys that only `gone` gave."""
    references = [part.references for part in gone], [part.references for part in rest]
    others = _extra_items(rest)
    kept = dict(_kept([*current.extra.items()], _extra_items(gone), others))
    first = dict(chain.from_iterable(reversed(others)))  # the values of the first part that has them
    extra = {key: first[key] for key in current.extra if key in first} | kept
    return current._replace(references=_kept(current.references, *references), extra=extra)


def _extra_items(parts: Sequence[Nugget | NuggetAnswer]) -> list[list[tuple[str, Any]]]:
    return [[*part.extra.items()] for part in parts]


def _kept(
    values: Iterable[Part], gone: Iterable[Iterable[Part]], rest: Iterable[Iterable[Part]]
) -> tuple[Part, ...]:
    lost, others = [*chain.from_iterable(gone)], [*chain.from_iterable(rest)]
    return tuple(value for value in values if value in others or value not in lost)


def _value(current: Part, gone: Sequence[Part], rest: Sequence[Part]) -> Part:
    """Return the value that stands; the first of `rest` if only `gone` gave it."""
    return current if _kept([current], [gone], [rest]) else rest[0]


def _same_answers(answer: NuggetAnswer, parts: Iterable[Nugget]) -> list[NuggetAnswer]:
    return [each for part in parts for each in part.answers if each.text == answer.text]


def alike(texts: Sequence[str], least: int = 3) -> list[tuple[int, int, int]]:
    """Return (words in common, first place, second place) of texts that may say the same, most words first.

    Words count without case and punctuation, each once. least: the fewest words in common.

    >>> alike(["Old houses stay warm.", "It rains.", "Old houses are warm"])
    [(3, 0, 2)]
    """
    words = [set(_WORD.findall(text.casefold())) for text in texts]
    pairs = [
        (len(one & other), first, second)
        for first, one in enumerate(words)
        for second, other in enumerate(words[first + 1 :], start=first + 1)
        if len(one & other) >= least
    ]
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1:]))
