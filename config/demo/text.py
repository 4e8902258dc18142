"""Words: how topics and documents are cut into index terms."""

from __future__ import annotations

import re

CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
WORD = re.compile(r"[^\W\d_]+|\d+")
STOP_WORDS = frozenset({
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been", "but",
    "by", "can", "could", "do", "does", "else", "everything", "for", "from", "had", "has", "have",
    "how", "i", "if", "in", "into", "is", "it", "its", "may", "me", "might", "more", "my", "no", "not",
    "of", "on", "one", "only", "or", "other", "own", "shall", "should", "so", "some", "such", "than",
    "that", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "up",
    "use", "used", "uses", "using", "very", "want", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "will", "with", "without", "would", "you", "your",
})  # fmt: skip


def tokenize(text: str) -> list[str]:
    """Return the terms of a text: identifiers split, lower case, stop words out, plurals taken off.

    >>> tokenize("The NamedTemporaryFile entries of os.path_names")
    ['named', 'temporary', 'file', 'entry', 'os', 'path', 'name']
    """
    words = WORD.findall(CAMEL.sub(" ", text).lower())
    return [stem(word) for word in words if len(word) > 1 and word not in STOP_WORDS]


def stem(word: str) -> str:
    """Return the word without its plural ending. The S stemmer: Harman 1991, table 1.

    >>> [stem(word) for word in ("queries", "files", "class", "status", "is")]
    ['query', 'file', 'class', 'status', 'is']
    """
    if len(word) <= 3:
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word


def character_ngrams(text: str, length: int = 4) -> list[str]:
    """Return the overlapping n-grams of every word, with a blank for its beginning and end.

    >>> character_ngrams("Reads JSON")
    [' rea', 'read', 'eads', 'ads ', ' jso', 'json', 'son ']
    """
    found = []
    for word in WORD.findall(CAMEL.sub(" ", text).lower()):
        padded = f" {word} "
        found += [padded[start : start + length] for start in range(max(1, len(padded) - length + 1))]
    return found
