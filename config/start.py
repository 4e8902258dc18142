"""`jurypool` and `jurypool demo`: prepare the web application on this machine, run it, open the browser."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import webbrowser
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import django
from django.core.management import call_command

from config.data_folder import demo_data_folder
from pooling.version import VERSION

FIRST_PORT, LAST_PORT = 8000, 8099
ON_WINDOWS = (
    "The web application of Jurypool runs on Linux and macOS. On Windows, run it in WSL or in a container;"
    " the commands for files, such as `jurypool evaluate`, work here.\n"
)
OF_REAL_DATA = ("DATABASE_URL", "JURYPOOL_S3_BUCKET", "JURYPOOL_DATA", "JURYPOOL_SECRET_KEY")


def main(arguments: Sequence[str], program: str = "jurypool") -> int:
    """Create or upgrade the data folder, then run the web server and a worker until a signal ends them."""
    return run(options_of(arguments, program, "the folder of the data"))


def demo(arguments: Sequence[str], program: str = "jurypool demo") -> int:
    """Do the same with the demonstration campaign, in a data folder and a database of its own."""
    options = options_of(
        arguments, program, f"the folder of the demonstration; {demo_data_folder()} if not set"
    )
    options.data = options.data or demo_data_folder()
    for name in OF_REAL_DATA:
        os.environ.pop(name, None)
    return run(options, is_demo=True)


def options_of(arguments: Sequence[str], program: str, meaning: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        program, description="Start the web application on this machine. Ctrl-C stops it."
    )
    parser.add_argument("--port", type=int, help=f"the port; the first free one from {FIRST_PORT} if not set")
    parser.add_argument("--data", type=Path, help=meaning)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    return parser.parse_args(arguments)


def run(options: argparse.Namespace, is_demo: bool = False) -> int:
    if sys.platform == "win32":
        sys.stderr.write(ON_WINDOWS)
        return 2
    if options.data:
        os.environ["JURYPOOL_DATA"] = str(options.data.absolute())
    try:
        bind = os.environ["JURYPOOL_BIND"] = bind_of(options.port, os.environ.get("JURYPOOL_BIND", ""))
    except OSError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from config.operations.serving import ProcessEnded, serve

    address = address_of(bind, is_demo)
    try:
        prepare(is_demo)
        serve(address, partial(announce, address, may_open_browser() and not options.no_browser))
    except ProcessEnded as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:  # while it prepares: the next start goes on; `serve` handles the signal itself
        sys.stderr.write("Stopped before the web server started.\n")
        return 130
    return 0


def bind_of(port: int | None, bind: str) -> str:
    """Return host:port for the web server: the port if it is given, else `bind`, else the first free port.

    Raises OSError, with a sentence, where the port is in use.
    """
    if port is None and bind:
        if not urlsplit(f"//{bind}").port:
            raise OSError(
                f"JURYPOOL_BIND: expected host:port, found {bind!r}; or call `jurypool manage serve`"
            )
        return bind
    for candidate in range(FIRST_PORT, LAST_PORT + 1) if port is None else [port]:
        try:
            socket.create_server(("127.0.0.1", candidate)).close()
        except OSError:
            continue
        return f"127.0.0.1:{candidate}"
    raise OSError(
        f"The ports {FIRST_PORT} to {LAST_PORT} are in use." if port is None else f"Port {port} is in use."
    )


def address_of(bind: str, is_demo: bool) -> str:
    """Return the address for a browser of this machine.

    The demonstration has another host name than the data: browsers share cookies between ports, so that
    signing in to one would sign out of the other.
    """
    parts = urlsplit(f"//{bind}")
    host = "127.0.0.1" if parts.hostname in (None, "", "0.0.0.0", "::") else bind.rpartition(":")[0]
    return f"http://{'localhost' if is_demo and host == '127.0.0.1' else host}:{parts.port}"


def may_open_browser() -> bool:
    """Return whether a person sits at this machine: it has a display, and is not reached over SSH."""
    if {"SSH_CONNECTION", "SSH_TTY"} & os.environ.keys():
        return False
    return sys.platform == "darwin" or bool({"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys())


def prepare(is_demo: bool) -> None:
    """Create or upgrade the tables and the static files; load the demonstration."""
    from django.conf import settings
    from django.db import connection

    print(f"Jurypool {VERSION}, data in {settings.DATA_DIR}", flush=True)
    if not connection.introspection.table_names():
        print("Creating the tables. This takes about a minute, once.", flush=True)
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if is_demo:
        call_command("load_demo")


def announce(address: str, open_browser: bool) -> None:
    """Print the address and, while no account exists, the link for the first one; open it in the browser."""
    from django.conf import settings

    from accounts.models import User
    from config.operations.serving import close_connections
    from pooling.services.first_organiser import create_link

    site = settings.SITE or address
    page = f"{site}{settings.SITE_FOLDER}/"
    print(f"\nJurypool is on {page} until you press Ctrl-C.", flush=True)
    if not User.objects.exists():
        page = create_link(site)
        print(f"Create the first account here; the link works once, for a day:\n\n  {page}\n", flush=True)
    close_connections()
    if open_browser:
        webbrowser.open(page)
