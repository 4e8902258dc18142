"""Lists of people to invite: a line for each person, as in a mail or copied from a spreadsheet."""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

COLUMNS: Mapping[str, str] = {  # name of a column -> field of PersonLine
    "name": "name",
    "person": "name",
    "address": "address",
    "e-mail": "address",
    "email": "address",
    "e-mail address": "address",
    "mail": "address",
    "role": "role",
    "group": "rest",
    "team": "rest",
    "topics": "rest",
    "group or topics": "rest",
}
FORM = "expected name, address, role, and a group or topics"
WITH_ADDRESS = re.compile(r"(?P<name>[^<>]*)<(?P<address>[^<>]+)>")


class PersonLine(NamedTuple):
    """What a line says of a person. line: its number, from 1. address: of e-mail, not checked.

    role: "" if the line has none. rest: the group or the topics. problem: why the line cannot be read.
    """

    line: int
    name: str = ""
    address: str = ""
    role: str = ""
    rest: str = ""
    problem: str = ""


def read_people(text: str, roles: Collection[str]) -> list[PersonLine]:
    """Return what the lines say, without blank lines and without a first line that names the columns.

    Cells are separated by tabs, else by semicolons, else by commas. Without names of columns an address is
    known by its @, a role by its word; of the other cells the first is the name, the others the rest.

    >>> read_people("Ann Lee <ann@x.org>, Judge, 1-3", ["judge"])
    [PersonLine(line=1, name='Ann Lee', address='ann@x.org', role='judge', rest='1-3', problem='')]
    """
    lines = list(_cells_of_lines(text))
    header = [COLUMNS.get(cell.casefold(), "") for cell in lines[0][1]] if lines else []
    if header and all(header):
        return [_by_columns(number, cells, header, roles) for number, cells in lines[1:]]
    return [_by_content(number, cells, roles) for number, cells in lines]


def _cells_of_lines(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        if line.strip(" \t,;"):
            separator = next((mark for mark in "\t;" if mark in line), ",")
            try:
                row = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
            except csv.Error:  # a cell longer than the limit of the module
                row = [line]
            yield number, [cell.strip() for cell in row]


def _by_columns(number: int, cells: list[str], header: list[str], roles: Collection[str]) -> PersonLine:
    if len([cell for cell in cells if cell]) > len(header):
        return PersonLine(number, problem=f"expected {len(header)} cells as in the first line")
    fields: dict[str, str] = {}
    for field, cell in zip(header, cells, strict=False):
        fields[field] = " ".join(filter(None, (fields.get(field, ""), cell)))
    role = _role_of(fields.get("role", ""), roles)
    if fields.get("role") and not role:
        return PersonLine(number, problem=_no_role(fields["role"], roles))
    return PersonLine(number, **(fields | {"role": role}))


def _by_content(number: int, cells: list[str], roles: Collection[str]) -> PersonLine:
    address, role, others = "", "", []
    for cell in cells:
        if not address and (match := WITH_ADDRESS.fullmatch(cell)):
            address = match["address"].strip()
            others.append(match["name"].strip(' "'))
        elif not address and "@" in cell:
            address = cell
        elif not role and (word := _role_of(cell, roles)):
            role = word
        elif cell:
            others.append(cell)
    name, rest = (others[0] if others else ""), others[1:]
    if rest and not role:
        return PersonLine(number, problem=_no_role(rest[0], roles))
    if not name and not address:
        return PersonLine(number, problem=FORM)
    return PersonLine(number, name, address, role, " ".join(rest))


def _role_of(cell: str, roles: Collection[str]) -> str:
    """Return the role that a cell names, in any case and in the plural too; "" if it names none."""
    word = cell.casefold()
    return next((role for role in roles if word in (role, f"{role}s")), "")


def _no_role(cell: str, roles: Collection[str]) -> str:
    return f"“{cell}” is no role; expected {', '.join(roles)}"
