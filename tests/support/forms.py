"""The values that a browser sends with a form of a page."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any


class FormValues(HTMLParser):
    """Collect the fields of the form with a given class; unticked boxes and buttons send nothing."""

    def __init__(self, page: str, css_class: str) -> None:
        super().__init__()
        self.values: dict[str, Any] = {}
        self.css_class, self.is_inside, self.select, self.area = css_class, False, "", ""
        self.feed(page)

    def handle_starttag(self, tag: str, pairs: list[tuple[str, str | None]]) -> None:
        found = dict(pairs)
        name, value = found.get("name") or "", found.get("value") or ""
        if tag == "form":
            self.is_inside = self.css_class in (found.get("class") or "").split()
        if not self.is_inside:
            return
        if tag == "select":
            self.select = name
        elif tag == "option" and self.select and ("selected" in found or self.select not in self.values):
            self.values[self.select] = value
        elif tag == "textarea":
            self.area, self.values[name] = name, ""
        elif tag == "input" and name:
            if found.get("type") not in ("checkbox", "radio"):
                self.values.setdefault(name, []).append(value)
            elif "checked" in found:
                self.values[name] = [found.get("value") or "on"]

    def handle_endtag(self, tag: str) -> None:
        self.is_inside = self.is_inside and tag != "form"
        self.select = "" if tag == "select" else self.select
        self.area = "" if tag == "textarea" else self.area

    def handle_data(self, data: str) -> None:
        if self.area:  # a browser leaves out the first line end and sends CR LF
            self.values[self.area] = data.removeprefix("\n").removeprefix("\r\n").replace("\n", "\r\n")
