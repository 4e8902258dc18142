"""One question to a language model: the document as it is sent, and the body of the request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from assess.machines.injection_probes import plant
from assess.machines.prompt import DocumentText, PromptContent, TopicText, fill
from assess.machines.responses import request_body

CHARACTERS_A_TOKEN = 4  # a rule of thumb for English; other languages need more tokens


class Setup(NamedTuple):
    """What all requests of a labelling share. options: those of `request_body`, and `characters`."""

    content: PromptContent
    model: str
    options: dict[str, Any]

    def cut_at(self, text: str) -> int | None:
        """Return the character at which a document is cut; None if all of it is sent."""
        most = self.options.get("characters")
        return most if most and len(text) > most else None

    def body(
        self, topic: TopicText, document: DocumentText, sample: int = 1, probe: str = ""
    ) -> dict[str, Any]:
        """Return the body of a request. A probe is planted after the document was cut."""
        document = document._replace(text=document.text[: self.cut_at(document.text)])
        document = plant(probe, document, topic, self.content.grades)
        return request_body(self.model, self.options, fill(self.content, topic, document), sample)


def mode(grades: Iterable[int]) -> int | None:
    """Return the most frequent grade; None for a tie and for no grades.

    >>> mode([2, 1, 2]), mode([1, 2]), mode([])
    (2, None, None)
    """
    ranked = Counter(grades).most_common(2)
    if not ranked or (len(ranked) > 1 and ranked[0][1] == ranked[1][1]):
        return None
    return ranked[0][0]
