from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client

from tests.support.factory import PASSWORD, Factory

ROOT = Path(__file__).resolve().parents[2]


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


POLICY = {  # django-csp writes the directives in any order
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
}


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("url", "status"), [("/sign-in/", 200), ("/", 302), ("/nowhere/", 404), ("/api/campaigns/", 401)]
)
def test_every_answer_has_the_content_security_policy(client: Client, url: str, status: int) -> None:
    answer = client.get(url)
    assert answer.status_code == status
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == POLICY


def test_a_server_error_has_the_content_security_policy(
    make: Factory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("pooling.views.campaigns.campaigns_with_roles", fail)
    client = Client(raise_request_exception=False)
    client.force_login(make.make_user("alice"))
    answer = client.get("/")
    assert answer.status_code == 500
    assert set(answer.headers["Content-Security-Policy"].split("; ")) == POLICY


ASK = """
import json
from django.test import Client
answer = Client().get("/password/forgotten/", secure=True, headers={"host": "pool.example.org"})
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
    done = in_production(tmp_path, "shell", "-v0", "-c", ASK, EMAIL_URL="smtp://mail.example.org")
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


def set_up(data: str, show: str = "1", **more: str) -> subprocess.CompletedProcess[str]:
    """Load the settings as a process of their own does, and print something of them."""
    environment = {**os.environ, "JURYPOOL_DATA": data, "DATABASE_URL": "", **more}
    code = f"import config.settings as s; print({show})"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_every_option_of_the_database_url_reaches_the_driver(tmp_path: Path) -> None:
    url = "postgres://me:word@db.example/pool?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3"
    show = "s.json.dumps(s.DATABASES['default']['OPTIONS'])"
    done = set_up(str(tmp_path), show.replace("s.json", "__import__('json')"), DATABASE_URL=url)
    found = json.loads(done.stdout)
    assert found.pop("pool")["max_size"] == 8
    assert found == {"sslmode": "verify-full", "sslrootcert": "/etc/ca.pem", "connect_timeout": 3}


@pytest.mark.parametrize("named", ["", ".", str(ROOT), "config/.."])
def test_the_checkout_is_refused_as_data_folder(named: str) -> None:
    before = set(ROOT.iterdir())
    done = set_up(named)
    assert done.returncode == 1
    assert done.stderr.startswith("JURYPOOL_DATA: expected a folder for the data that is not the checkout")
    assert "Traceback" not in done.stderr
    assert set(ROOT.iterdir()) == before


MODES = """
import os
from django.db import connection
connection.cursor().execute("DELETE FROM axes_accesslog")
name = connection.settings_dict["NAME"]
print(*[oct(os.stat(f"{name}{end}").st_mode & 0o777) for end in ("", "-wal", "-shm")])
"""


def test_what_holds_secrets_is_for_its_owner_only(tmp_path: Path) -> None:
    data = tmp_path / "new" / "data"
    migrated = in_production(data, "migrate", "axes", "-v0", DATABASE_URL="")  # the table of MODES is enough
    assert migrated.returncode == 0, migrated.stderr
    assert in_production(data, "shell", "-v0", "-c", MODES, DATABASE_URL="").stdout.split() == ["0o600"] * 3
    assert (data.stat().st_mode & 0o777, (data / "secret-key").stat().st_mode & 0o777) == (0o700, 0o600)


def test_processes_that_start_at_once_have_one_secret(tmp_path: Path) -> None:
    environment = {**os.environ, "JURYPOOL_DATA": str(tmp_path), "DATABASE_URL": ""}
    command = [sys.executable, "-c", "import config.settings as s; print(s.SECRET_KEY)"]
    started = [subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE) for _ in range(5)]
    found = {process.communicate()[0] for process in started}
    assert found == {(tmp_path / "secret-key").read_bytes() + b"\n"}
    assert [path.name for path in tmp_path.glob("secret-key*")] == ["secret-key"]


def test_a_secret_has_its_name_only_when_it_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from config.settings import stored_secret

    seen, link = [], os.link

    def look(source: str, target: Path) -> None:
        seen.append((target.exists(), len(Path(source).read_text()) > 50))
        link(source, target)

    monkeypatch.setattr("os.link", look)
    assert len(stored_secret(tmp_path / "secret-key")) > 50
    assert seen == [(False, True)]


def test_an_empty_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret-key").touch()
    done = set_up(str(tmp_path), JURYPOOL_SECRET_KEY="")
    assert (done.returncode, "expected a secret, found an empty file" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ("create_campaign", "Boats", "--organiser", "carol"),
        ("createsuperuser", "--noinput", "--username", "root"),
    ],
)
def test_a_command_before_migrate_says_what_to_do_first(tmp_path: Path, words: tuple[str, ...]) -> None:
    done = in_production(tmp_path, *words, DATABASE_URL="")
    assert done.returncode == 1
    assert done.stderr.endswith("First run: python manage.py migrate\n")
    assert "Traceback" not in done.stderr
