"""A campaign as large as a track, in small: every page answers, and the audit is clean."""

from __future__ import annotations

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.config.test_roles import GET
from tests.soak import scale
from tests.soak.addresses import ELSEWHERE
from tests.soak.scale import PEOPLE, Scale, Visited, scaled
from tests.support.judges import Judge
from tests.support.postgres import found, server
from tests.support.server import Server

pytestmark = pytest.mark.slow


def checked(weighed: Scale) -> None:
    assert weighed.faults == []
    assert "0 faults" in weighed.audit[1]
    seen = {page.name for page in weighed.pages}
    of_members = {name for name, statuses in GET.items() if 200 in statuses and ":" in name}
    elsewhere = (*ELSEWHERE, "api:")  # the track has no data for it; test_roles opens it
    assert {name for name in of_members - seen if not name.startswith(elsewhere)} == set()
    assert {person for page in weighed.pages for person in page.first} == set(PEOPLE)


def test_every_page_of_a_track_answers_on_sqlite(tmp_path: Path) -> None:
    checked(scaled(tmp_path, 0.02, times=1))


def test_every_page_of_a_track_answers_on_postgresql(tmp_path: Path) -> None:
    if not found():
        pytest.skip("no PostgreSQL on this machine")
    with server(durable=True) as postgres:
        checked(scaled(tmp_path, 0.02, postgres.url, times=1))


class LargeFile(BaseHTTPRequestHandler):
    """Writes more than a connection holds that nobody reads from."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Disposition", "attachment")
        self.send_header("Content-Length", "30000000")
        self.end_headers()
        with suppress(OSError):
            for _ in range(30):
                self.wfile.write(bytes(1_000_000))

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_nobody_holds_the_server_with_a_file_that_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scale, "PATIENCE", 5)
    with HTTPServer(("127.0.0.1", 0), LargeFile) as files:  # of a single thread
        threading.Thread(target=files.serve_forever, daemon=True).start()
        here, visited = cast(Server, SimpleNamespace(port=files.server_port)), Visited("file")
        reader, *others = (Judge(here, name) for name in ("olga", "ada", "rita"))
        scale._visit(reader, "/file/", visited, {})  # to its end
        reader.close()
        for other in others:
            assert scale._visit(other, "/file/", visited, {})[0] == 200
        files.shutdown()
    assert visited.size == 30_000_000
