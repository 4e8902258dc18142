"""Two nuggets that say the same, as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from assess.nuggets.banks import Nugget, NuggetAnswer
from pooling.refusals import Refused

Part = TypeVar("Part")
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
    found: list[Part] = []
    for part in parts:
        if part not in found:
            found.append(part)
    return tuple(found)


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
