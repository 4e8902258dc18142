"""The keyword-in-context snippet of a document: passages around the words of a topic."""

from __future__ import annotations

from collections.abc import Sequence

from assess.document.highlighting import Term, TextSpan, find_terms, snippets
from assess.document.layout import MAX_SEARCHED, excerpt, plain_text

PASSAGES, LENGTH = 2, 160  # passages of a snippet, and characters of each
CUT = "…"


def keyword_in_context(text: str, terms: Sequence[Term]) -> str:
    """Return the densest passages of a document for some terms, in text order; "" for an empty text.

    There are at most PASSAGES, each of about LENGTH characters; an ellipsis stands where text is left out
    between them or a sentence is cut. Without a term in the text it is the beginning of the text. Only the
    first MAX_SEARCHED characters are searched. Tombros and Sanderson, Advantages of query biased summaries in
    information retrieval (SIGIR 1998), showed that such summaries help to judge relevance.

    >>> from assess.document.highlighting import topic_terms
    >>> keyword_in_context("Ships are heavy. Boats float on water.", topic_terms("boats"))
    'Ships are heavy. Boats float on water.'
    """
    searched = plain_text(text)[:MAX_SEARCHED]
    passages = snippets(searched, find_terms(searched, terms), most=PASSAGES, window=LENGTH)
    if not passages:
        return _joined(excerpt(text, (), PASSAGES * LENGTH))
    joined = _joined(passages[0].spans)
    for each in passages[1:]:
        joined = f"{joined.removesuffix(CUT).rstrip()} {CUT} {_joined(each.spans).removeprefix(CUT).lstrip()}"
    return joined


def has_term(text: str, terms: Sequence[Term]) -> bool:
    """Return whether a term occurs where `keyword_in_context` searches."""
    return bool(find_terms(plain_text(text)[:MAX_SEARCHED], terms))


def _joined(spans: Sequence[TextSpan]) -> str:
    return " ".join("".join(span.text for span in spans).split())
