"""`jurypool`: which port it takes, which address it prints, when it opens a browser, where the data are."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from config import data_folder, start


def test_the_first_free_port_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(start, "FIRST_PORT", port)
        monkeypatch.setattr(start, "LAST_PORT", port)
        with pytest.raises(OSError, match=f"The ports {port} to {port} are in use"):
            start.bind_of(None, "")
        monkeypatch.setattr(start, "LAST_PORT", port + 20)
        host, _, found = start.bind_of(None, "").partition(":")
        assert host == "127.0.0.1" and port < int(found) <= port + 20
        with pytest.raises(OSError, match=f"Port {port} is in use"):
            start.bind_of(port, "")
    assert start.bind_of(port, "0.0.0.0:80") == f"127.0.0.1:{port}"


def test_the_address_of_the_environment_is_kept() -> None:
    assert start.bind_of(None, "0.0.0.0:8080") == "0.0.0.0:8080"
    with pytest.raises(OSError, match="expected host:port, found 'unix:/run/web'"):
        start.bind_of(None, "unix:/run/web")


@pytest.mark.parametrize(
    ("bind", "is_demo", "address"),
    [
        ("127.0.0.1:8000", False, "http://127.0.0.1:8000"),
        ("127.0.0.1:8001", True, "http://localhost:8001"),
        ("0.0.0.0:80", False, "http://127.0.0.1:80"),
        ("[::1]:8000", False, "http://[::1]:8000"),
        (":8000", False, "http://127.0.0.1:8000"),
    ],
)
def test_the_address_is_one_that_a_browser_here_reaches(bind: str, is_demo: bool, address: str) -> None:
    assert start.address_of(bind, is_demo) == address


@pytest.mark.parametrize(
    ("platform", "environment", "opens"),
    [
        ("linux", {"DISPLAY": ":0"}, True),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {}, False),
        ("linux", {"DISPLAY": "localhost:10.0", "SSH_CONNECTION": "1.2.3.4 5 6.7.8.9 22"}, False),
        ("darwin", {}, True),
    ],
)
def test_a_browser_is_opened_where_a_person_sees_it(
    platform: str, environment: dict[str, str], opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("os.environ", environment)
    assert start.may_open_browser() is opens


def test_windows_is_refused_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    assert start.main([]) == 2
    assert "run it in WSL or in a container" in capsys.readouterr().err


def test_the_demonstration_has_neither_folder_nor_database_of_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = {"JURYPOOL_DATA": "real", "DATABASE_URL": "postgres://real", "JURYPOOL_PROXIES": "0"}
    monkeypatch.setattr("os.environ", environment)
    started: list[Any] = []
    monkeypatch.setattr(start, "run", lambda options, is_demo: started.append(options.data))
    start.demo([])
    start.demo(["--data", str(tmp_path)])
    assert started == [data_folder.demo_data_folder(), tmp_path]
    assert environment == {"JURYPOOL_PROXIES": "0"}


@pytest.mark.django_db
def test_a_start_that_is_stopped_while_it_prepares_ends_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JURYPOOL_BIND", "")

    def stopped(*words: str, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "call_command", stopped)
    monkeypatch.setattr(connection.introspection, "table_names", list)
    assert start.main(["--no-browser"]) == 130
    printed = capsys.readouterr()
    assert "Creating the tables." in printed.out
    assert printed.err == "Stopped before the web server started.\n"


@pytest.mark.parametrize(
    ("platform", "environment", "folder"),
    [
        ("linux", {}, ".local/share/jurypool"),
        ("linux", {"XDG_DATA_HOME": "/srv/data"}, "/srv/data/jurypool"),
        ("linux", {"XDG_DATA_HOME": "relative"}, ".local/share/jurypool"),
        ("darwin", {}, "Library/Application Support/jurypool"),
    ],
)
def test_the_data_are_where_the_platform_has_them(
    platform: str, environment: dict[str, str], folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_folder, "CHECKOUT", False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setattr("os.environ", environment)
    assert data_folder.usual_data_folder() == tmp_path / folder
    assert data_folder.demo_data_folder() == (tmp_path / folder).with_name("jurypool-demo")
