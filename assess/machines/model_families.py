"""Runs whose tag or description names the family of a model: only words are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

WORD = re.compile(r"[a-z]{3,}")
GENERAL = {
    "base", "beta", "chat", "fast", "flash", "high", "instruct", "language", "large", "latest", "lite", "low",
    "max", "medium", "mini", "model", "nano", "open", "preview", "pro", "small", "text", "thinking", "turbo",
    "ultra", "version",
}  # fmt: skip
"""Words of model names that name no family."""


def family_words(model: str) -> set[str]:
    """Return the words of a model's name that may name its family.

    >>> sorted(family_words("meta-llama/Llama-3.1-8B-Instruct"))
    ['llama', 'meta']
    """
    return set(WORD.findall(model.lower())) - GENERAL


def runs_of_family(model: str, runs: Iterable[tuple[str, str]]) -> list[str]:
    """Return the tags of runs, (tag, description), in which a word of the model's name occurs.

    >>> runs_of_family("llama-3", [("bm25", ""), ("rerank", "Reranked with Llama 3.")])
    ['rerank']
    """
    words = family_words(model)
    return [tag for tag, description in runs if words & set(WORD.findall(f"{tag} {description}".lower()))]
