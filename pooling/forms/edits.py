"""Forms for stored values that several people may change at the same time."""

from __future__ import annotations

from copy import copy
from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils.datastructures import MultiValueDict


class EditMixin(forms.Form):
    """Change stored values, and keep what other people changed while the form was open.

    Each field also sends the value with which it was shown (`show_hidden_initial` of Django). A field that
    the person left as it was takes the value stored now. A field that both changed is refused once, with the
    other value. Data without the values shown (API, commands) are taken as they are. The view must hold the
    lock of `one_at_a_time` from reading the stored values until they are saved.
    """

    def __getitem__(self, name: str) -> BoundField:
        if name in self.fields:
            self.fields[name].show_hidden_initial = True
        return super().__getitem__(name)

    def full_clean(self) -> None:
        conflicts = self._merge() if self.is_bound else {}
        super().full_clean()
        for name, stored in conflicts.items():
            value = f"“{stored}”" if stored else "nothing"
            self.add_error(
                name, f"Another person changed this meanwhile to {value}. Save again to replace it."
            )

    def _merge(self) -> dict[str, str]:
        """Put stored values into the data of fields left alone; return field -> stored value of conflicts."""
        data = cast("MultiValueDict[str, Any]", copy(self.data))
        conflicts = {}
        for name in self.fields:
            bound = self[name]
            shown, stored = data.get(bound.html_initial_name), _stored(bound)
            if shown is None or _with_line_feeds(shown) == _with_line_feeds(stored):
                continue
            data[bound.html_initial_name] = stored
            if not _differs(bound, shown):
                data[bound.html_name] = stored
            elif _differs(bound, stored):
                conflicts[name] = stored
        self.data = data
        return conflicts


def _stored(bound: BoundField) -> str:
    """Return the value stored now as the hidden field of a new page has it."""
    value = bound.field.hidden_widget().format_value(bound.field.prepare_value(bound.initial))
    return "" if value is None else str(value)


def _differs(bound: BoundField, text: str) -> bool:
    """Return whether the person entered another value than this one of a hidden field."""
    value: Any = _with_line_feeds(text)
    try:
        value = bound.field.to_python(value)
    except ValidationError:  # such as a choice that no longer exists
        return True
    entered = bound.data
    return bound.field.has_changed(value, _with_line_feeds(entered) if isinstance(entered, str) else entered)


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
