"""Languages of texts, as BCP 47 tags such as "de" or "zh-Hant", for the HTML attribute `lang`."""

from __future__ import annotations

import re
from collections.abc import Sequence

MAX_TAG = 35  # characters: RFC 5646, section 4.4.1
_FACTS = ("lang", "language")
_TAG = re.compile(
    r"""[a-z]{2,3}(?:-[a-z]{3}){0,3}      # no language of 4 to 8 letters is registered
    (?:-[a-z]{4})?                        # script
    (?:-(?:[a-z]{2}|[0-9]{3}))?           # region
    (?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*
    (?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*
    (?:-x(?:-[a-z0-9]{1,8})+)?""",
    re.IGNORECASE | re.VERBOSE,
)


def is_language_tag(text: str) -> bool:
    """Return whether a text is a well-formed BCP 47 tag (RFC 5646) that begins with a language.

    >>> [is_language_tag(text) for text in ("ar", "zh-Hant-TW", "de-1996", "German", "en_GB", "")]
    [True, True, True, False, False, False]
    """
    return len(text) <= MAX_TAG and _TAG.fullmatch(text) is not None


def document_language(facts: Sequence[Sequence[str]], default: str = "") -> str:
    """Return the language of a document: of its fact `lang` or `language` if that is a tag, else the default.

    >>> document_language([("Language", "ja")], "en"), document_language([("language", "Japanese")], "en")
    ('ja', 'en')
    """
    values = (value.strip() for name, value in facts if name.strip().lower() in _FACTS)
    return next(filter(is_language_tag, values), default)
