from __future__ import annotations

from django import forms

MOST_CHARACTERS = 10_000


class NoteForm(forms.Form):
    """A note, and the text that the page had before."""

    text = forms.CharField(required=False, max_length=MOST_CHARACTERS, strip=False)
    based_on = forms.CharField(required=False, max_length=MOST_CHARACTERS, strip=False)

    def clean(self) -> dict[str, str]:
        """Return the texts with the line ends of the page, which a form sends as CR LF."""
        data = super().clean() or {}
        return {name: text.replace("\r\n", "\n") for name, text in data.items()}
