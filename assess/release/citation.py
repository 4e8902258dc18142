"""The citation of a release."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from assess.release.machine_use import HOLES, NO_AUDIT, AuditAnswer

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def citation(manifest: Mapping[str, Any]) -> str:
    """Return the citation of a release as text, followed by the BibTeX entry.

    manifest: of the release, with `title`, `organisers`, `campaign`, `release`, `released_at`, `judgments`,
    `topics`, `rule`, `sha256` and `software`.
    """
    return f"{_sentence(manifest)}\n\n{bibtex(manifest)}"


def _sentence(manifest: Mapping[str, Any]) -> str:
    people = ", ".join(manifest["organisers"])
    return (
        f"{people} ({_year(manifest)}). {manifest['title']}: qrels, release {manifest['release']}. "
        f"{_counts(manifest)}, rule: {manifest['rule']}. {_machines(manifest)}SHA-256 {manifest['sha256']}. "
        f"Made with {manifest['software']}."
    )


def bibtex(manifest: Mapping[str, Any], address: str = "") -> str:
    """Return the BibTeX entry of a release, with TeX commands escaped. address: its permanent URL."""
    key = re.sub(r"[^A-Za-z0-9-]", "-", manifest["campaign"])
    fields = {
        "title": f"{escaped(manifest['title'])}: qrels, release {manifest['release']}",
        "author": " and ".join(f"{{{escaped(name)}}}" for name in manifest["organisers"]),
        "year": _year(manifest),
        "note": escaped(
            f"{_counts(manifest)}. {_machines(manifest)}SHA-256 {manifest['sha256']}. {manifest['software']}"
        ),
    }
    if address:
        fields["url"] = address
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
    return f"@misc{{{key}-qrels-v{manifest['release']},\n{lines}}}\n"


def machine_sentences(manifest: Mapping[str, Any]) -> list[str]:
    """Return for each machine judge how many of its labels a release uses, and what its audit said.

    Empty for releases of early versions, whose manifests do not say it. Without the names of judges.

    >>> gpt = {"model": "gpt-x", "labels": 13, "use": "Filling holes", "audit": 2, "verdict": "not known yet"}
    >>> sentences = machine_sentences({"judgments": 416, "machines": [gpt]})
    >>> for part in sentences[0].split("; "):
    ...     print(part)
    13 machine labels (gpt-x) in 416 judgments, only where no person labelled
    no audit by people allows this use yet.
    """
    return [
        f"{_count(machine['labels'], 'machine label')} ({machine['model'] or machine['source']}) in "
        f"{_count(manifest['judgments'], 'judgment')}, {_use(machine)}; {_answer(machine)}."
        for machine in manifest.get("machines", [])
        if "verdict" in machine
    ]


ANSWERS = {
    AuditAnswer.ALLOWED: "an audit by people allows this use",
    AuditAnswer.NOT_ALLOWED: "an audit by people does not allow this use",
    AuditAnswer.UNKNOWN: "no audit by people allows this use yet",
    NO_AUDIT: "no audit by people has checked them",
}
"""Verdict -> what a reader who does not know audits needs to read."""


def _use(machine: Mapping[str, Any]) -> str:
    return "only where no person labelled" if machine["use"] == HOLES else "counted like labels of people"


def _answer(machine: Mapping[str, Any]) -> str:
    return ANSWERS.get(machine["verdict"], str(machine["verdict"]))


def _machines(manifest: Mapping[str, Any]) -> str:
    return "".join(f"{sentence} " for sentence in machine_sentences(manifest))


def escaped(text: str) -> str:
    """Return a text with TeX's special characters escaped.

    >>> escaped("R&D_1 {50%}")
    'R\\\\&D\\\\_1 \\\\{50\\\\%\\\\}'
    """
    return re.sub(
        r"[\\~^&%$#_{}]", lambda found: SPECIAL.get(found[0], f"\\{found[0]}"), " ".join(text.split())
    )


def _year(manifest: Mapping[str, Any]) -> str:
    return str(manifest["released_at"])[:4]


def _counts(manifest: Mapping[str, Any]) -> str:
    return f"{_count(manifest['judgments'], 'judgment')} of {_count(manifest['topics'], 'topic')}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
