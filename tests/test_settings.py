from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from csp.middleware import CSPMiddleware
from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from django.test import Client, RequestFactory

from config.operations.middleware import guarded
from tests.factory import PASSWORD, Factory

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.django_db(transaction=True)
def test_the_database_is_the_one_that_was_asked_for_and_keeps_what_it_acknowledged() -> None:
    if os.environ.get("DATABASE_URL"):
        assert connection.vendor == "postgresql"
        return
    with connection.cursor() as cursor:
        pragmas = {
            name: cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")
        }
    assert pragmas == {"journal_mode": "wal", "synchronous": 2}  # 2 is FULL
    options: Any = settings.DATABASES["default"]["OPTIONS"]
    assert (options["transaction_mode"], options["timeout"]) == ("IMMEDIATE", 20)


def test_the_policy_allows_no_inline_script_or_style() -> None:
    directives: Any = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    assert directives["script-src"] == directives["style-src"] == ["'self'"]
    assert "unsafe" not in str(directives)


@pytest.mark.parametrize(
    ("debug", "status"), [(False, 200), (False, 404), (False, 500), (True, 200), (True, 404)]
)
def test_every_answer_has_the_policy_but_the_pages_about_errors_that_developers_see(
    settings: Any, debug: bool, status: int
) -> None:
    settings.DEBUG = debug
    request, answer = RequestFactory().get("/"), HttpResponse(status=status)
    expected: Any = CSPMiddleware(lambda request: HttpResponse(status=status))(request)
    assert guarded(lambda request: answer)(request).headers == expected.headers


ASK = """
import json
from django.test import Client
answer = Client().get("/sign-in/", secure=True, headers={"host": "pool.example.org"})
plain = Client().get("/sign-in/", headers={"host": "pool.example.org"})
stranger = Client().get("/sign-in/", secure=True, headers={"host": "evil.example"})
print(json.dumps({
    "headers": dict(answer.headers),
    "cookies": {name: [bool(c["secure"]), c["samesite"]] for name, c in answer.cookies.items()},
    "plain": [plain.status_code, plain.headers.get("Location")],
    "stranger": stranger.status_code,
}))
"""


def in_production(data: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py as on a server behind a proxy, in a data folder of its own."""
    environment = {
        **os.environ,
        "JURYPOOL_DATA": str(data),
        "JURYPOOL_HTTPS": "1",
        "JURYPOOL_HOSTS": "pool.example.org",
        **more,
    }
    environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # the browser's tests in this process need it
    return subprocess.run(
        [sys.executable, "manage.py", *words], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_django_finds_nothing_to_say_of_a_deployment(tmp_path: Path) -> None:
    done = in_production(tmp_path, "check", "--deploy", "--fail-level", "DEBUG")
    assert (done.returncode, done.stdout) == (0, "System check identified no issues (0 silenced).\n"), done


def test_a_browser_is_told_to_use_https_to_show_no_frame_and_to_tell_nobody(tmp_path: Path) -> None:
    assert in_production(tmp_path, "collectstatic", "--noinput").returncode == 0
    done = in_production(tmp_path, "shell", "-v0", "-c", ASK)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    headers = said["headers"]
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert said["cookies"] == {"csrftoken": [True, "Lax"]}
    assert said["plain"] == [301, "https://pool.example.org/sign-in/"]
    assert said["stranger"] == 400


def test_the_session_cookie_is_for_this_site_and_not_for_scripts(make: Factory) -> None:
    make.make_user("alice")
    client = Client()
    client.post("/sign-in/", {"username": "alice", "password": PASSWORD})
    morsel = client.cookies[settings.SESSION_COOKIE_NAME]
    assert (morsel["httponly"], morsel["samesite"]) == (True, "Lax")


@pytest.mark.django_db
def test_nothing_is_taken_from_a_form_of_another_site(make: Factory) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make.make_user("alice"))
    for place in ("/sign-out/", "/account/", "/tokens/", "/new-campaign/", "/password/forgotten/"):
        assert client.post(place).status_code == 403


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "dummy None 25 False False '' ''"),
        ("smtp://mail.example.org", "smtp mail.example.org 25 False False '' ''"),
        (
            "smtp+tls://me%40here:p%3Ass@mail.example",
            "smtp mail.example 587 True False 'me@here' 'p:ss'",
        ),
        ("smtps://me:word@mail.example.org:4465", "smtp mail.example.org 4465 False True 'me' 'word'"),
    ],
)
def test_the_mail_server_is_the_one_that_is_named(tmp_path: Path, url: str, said: str) -> None:
    show = (
        "from django.conf import settings as s; print(s.EMAIL_BACKEND.split('.')[-2], s.EMAIL_HOST or None,"
        " s.EMAIL_PORT, s.EMAIL_USE_TLS, s.EMAIL_USE_SSL,"
        " repr(s.EMAIL_HOST_USER), repr(s.EMAIL_HOST_PASSWORD))"
    )
    assert in_production(tmp_path, "shell", "-v0", "-c", show, EMAIL_URL=url).stdout.strip() == said


FORK_WHILE_THE_WORKER_STARTS = """
import os, subprocess, sys, threading, time
from config import gunicorn

opened, pipe = threading.Event(), os.pipe

def slow_pipe():
    ends = pipe()
    opened.set()
    time.sleep(0.2)
    return ends

os.pipe = slow_pipe
gunicorn.MANAGE = sys.argv[1]
threading.Thread(target=gunicorn._keep_a_worker, daemon=True).start()
opened.wait()
web = os.fork()
if not web:
    time.sleep(30)
    os._exit(0)
until = time.monotonic() + 25
while not gunicorn.beside and time.monotonic() < until:
    time.sleep(0.01)
print(len(gunicorn.beside))
os.kill(web, 9)
"""


def test_a_web_process_forked_while_the_worker_starts_does_not_hold_it_up(tmp_path: Path) -> None:
    (tmp_path / "manage.py").write_text("")
    command = [sys.executable, "-c", FORK_WHILE_THE_WORKER_STARTS, str(tmp_path / "manage.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "1\n"), done


AFTER_THE_START = """
import sys
from config import gunicorn, wsgi

gunicorn.post_worker_init(None)
before = set(sys.modules)
from django.template.loader import get_template
from django.urls import resolve

resolve("/sign-in/"), get_template("base.html")
print(*sorted(name for name in set(sys.modules) - before if not name.startswith("django.")))
"""


A_WHILE_AFTER_THE_START = """
import sys, threading
from config import gunicorn, wsgi

gunicorn.LATER = 0
gunicorn.post_worker_init(None)
for thread in threading.enumerate():
    if isinstance(thread, threading.Timer):
        thread.join()
print("scipy.special" in sys.modules)
"""


@pytest.mark.parametrize(("code", "said"), [(AFTER_THE_START, "\n"), (A_WHILE_AFTER_THE_START, "True\n")])
def test_the_first_page_of_a_web_process_has_nothing_left_to_import(
    tmp_path: Path, code: str, said: str
) -> None:
    environ = os.environ | {"JURYPOOL_DATA": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, said), done
