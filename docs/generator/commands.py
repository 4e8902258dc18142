"""The pages of the management commands and of the programs, from their argument parsers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from io import StringIO

from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand, DjangoHelpFormatter

from docs.generator.markdown import block, code, prose, table
from jurypool.__main__ import COMMANDS, main

OURS = ("accounts", "pooling", "assess", "metrics", "config")
OF_DJANGO = {"--help", *DjangoHelpFormatter.show_last}
MANAGE = "manage"


def pages() -> dict[str, str]:
    return {"commands.md": "\n".join(_commands()), "programs.md": "\n".join(_programs())}


def our_commands() -> dict[str, BaseCommand]:
    """Return name -> management command of our applications."""
    names = sorted(name for name, app in get_commands().items() if app in OURS)
    return {name: load_command_class(get_commands()[name], name) for name in names}


def _commands() -> Iterator[str]:
    yield "# Management commands\n"
    yield (
        "Write `python manage.py COMMAND` in a checkout, `jurypool manage COMMAND` where the package"
        " is installed. Every command has Django's own options too, such as `--settings` and `--verbosity`.\n"
    )
    found = our_commands()
    yield table(
        ["command", "does"],
        ([f"[{prose(name)}](#command-{name})", _meaning(each)] for name, each in found.items()),
    )
    for name, command in found.items():
        parser = command.create_parser("manage.py", name)
        yield f"(command-{name})=\n## {prose(name)}\n"
        yield f"{prose(parser.description or command.help)}\n"
        rows = [
            _option(action)
            for action in parser._actions  # noqa: SLF001  # argparse has no public list
            if not _is_of_django(action)
        ]
        yield table(["option", "meaning"], rows) if rows else "It has no options.\n"


def _meaning(command: BaseCommand) -> str:
    return prose(command.help.partition(". ")[0].partition("\n\n")[0]).rstrip(".")


def _is_of_django(action: argparse.Action) -> bool:
    return bool(OF_DJANGO & set(action.option_strings))


def _option(action: argparse.Action) -> list[str]:
    metavar = action.metavar if isinstance(action.metavar, str) else action.dest.upper()
    value = (
        ""
        if action.nargs == 0
        else f"{{{','.join(map(str, action.choices))}}}"
        if action.choices
        else metavar
    )
    value += " ..." if action.nargs in ("*", "+") else ""
    names = [f"{name} {value}".strip() for name in action.option_strings[-1:]] or [value]
    described = (action.help or "") % {"default": action.default, "prog": "manage.py"} if action.help else ""
    required = " Required." if action.required and action.option_strings else ""
    has_default = action.nargs != 0 and action.default not in (None, "", [], argparse.SUPPRESS)
    default = (
        f" Default: {code(action.default)}." if has_default and "default" not in described.lower() else ""
    )
    return [", ".join(map(code, names)), f"{prose(described)}{required}{default}"]


def _programs() -> Iterator[str]:
    yield "# Programs\n"
    yield (
        "The package installs the program `jurypool`. `jurypool manage` runs the [management"
        " commands](commands.md). Commands for files need no database and no web server.\n"
    )
    for name, command in COMMANDS.items():
        yield f"(program-{name})=\n## jurypool {prose(name)}\n"
        yield f"{prose(command.meaning[:1].upper() + command.meaning[1:])}.\n"
        if name != MANAGE:
            yield block(_help(name))


def _help(name: str) -> str:
    """Return what `jurypool NAME --help` prints, at a width of 100 columns."""
    printed, before = StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "100"
    try:
        with redirect_stdout(printed), suppress(SystemExit):
            main([name, "--help"])
    finally:
        os.environ.pop("COLUMNS")
        if before is not None:
            os.environ["COLUMNS"] = before
    return printed.getvalue()
