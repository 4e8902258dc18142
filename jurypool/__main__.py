"""The command line `jurypool COMMAND ...`, which is `python -m jurypool COMMAND ...`."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from pooling.extras import MissingExtra, import_extra
from pooling.version import VERSION


class Command(NamedTuple):
    """A command of the command line.

    module: is imported when the command is called, because some need Django.
    meaning: one line for the help.
    function: is called with the arguments; it returns the exit code.
    """

    module: str
    meaning: str
    function: str = "main"


COMMANDS = {
    "start": Command("config.start", "start the web application on this machine; also without a command"),
    "demo": Command("config.start", "start it with a demonstration campaign, apart from your data", "demo"),
    "evaluate": Command("metrics.cli", "score runs by any measures"),
    "trec-eval": Command("metrics.trec_eval.cli", "print what trec_eval prints"),
    "compare": Command("jurypool.compare_cli", "test whether two runs differ"),
    "pool": Command("pooling.cli", "make a pool of runs"),
    "kappa": Command("assess.kappa.cli", "print how far judges agree"),
    "manage": Command(
        "config.__main__", "the commands of manage.py: migrate, backup, createsuperuser and others"
    ),
    "upgrade-check": Command("config.operations.upgrade", "say whether an upgrade of the data is safe"),
}
USAGE = "usage: jurypool [COMMAND] ...; `jurypool COMMAND --help` explains each\n\n" + "".join(
    f"  {name:<13}  {command.meaning}\n" for name, command in COMMANDS.items()
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command with the rest of the arguments; return its exit code, 2 for an unknown command.

    Without a command, or with options only, the command is "start".
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    if not words or words[0].startswith("-") and words[0] not in ("-h", "--help", "--version"):
        words.insert(0, "start")
    name, *rest = words
    if name in ("-h", "--help", "--version"):
        sys.stdout.write(f"jurypool {VERSION}\n" if name == "--version" else USAGE)
        return 0
    if name not in COMMANDS:
        sys.stderr.write(f"jurypool: expected a command ({', '.join(COMMANDS)}), found {name!r}\n")
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):  # the same bytes on every machine
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        return run(name, rest)
    except MissingExtra as error:
        sys.stderr.write(f"jurypool {name}: {error}\n")
        return 1


def run(name: str, arguments: Sequence[str]) -> int:
    """Run a command; return its exit code. Raises MissingExtra if a package that it needs is missing."""
    command = COMMANDS[name]
    if command.module.startswith("config."):
        import_extra("django")
    function = getattr(import_module(command.module), command.function)
    code = function(arguments) if name == "manage" else function(arguments, program=f"jurypool {name}")
    return code or 0


if __name__ == "__main__":
    sys.exit(main())
