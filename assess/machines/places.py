"""Prompts that are one text with placeholders: check them, and put texts in their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from assess.machines.prompt import PLACE, BadPrompt


def check_places(template: str, placeholders: Mapping[str, str], required: Iterable[str]) -> None:
    """Raise BadPrompt for an unknown placeholder, and without one of the required ones.

    placeholders: name -> what is put in its place.
    """
    names = PLACE.findall(template)
    if unknown := [name for name in names if name not in placeholders]:
        known = ", ".join(f"{{{name}}}" for name in placeholders)
        raise BadPrompt(f"{{{unknown[0]}}} is not a placeholder. The placeholders are {known}.")
    for name in required:
        if name not in names:
            raise BadPrompt(f"The prompt needs the placeholder {{{name}}}: {placeholders[name]}.")


def fill_places(template: str, texts: Mapping[str, str]) -> str:
    """Return a template with its texts. They are inserted as they are: a placeholder in them has no meaning.

    >>> fill_places("{a} and {b}", {"a": "{b}", "b": "c"})
    '{b} and c'
    """
    return PLACE.sub(lambda place: texts[place[1]], template)
