"""What lies in config/deploy is whole, and speaks of settings that exist."""

from __future__ import annotations

import getpass
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml

from tests.support.server import prepared

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "config/deploy"
SETTINGS = (ROOT / "docs" / "reference" / "settings.md").read_text()
TABLE = re.findall(r"^\| `([A-Z][A-Z0-9_]+)` \|", SETTINGS, re.MULTILINE)
READ = re.compile(r'(?:os\.environ|environment)(?:\.get\(|\[)\s*"([A-Z][A-Z0-9_]+)"')
OTHERS = ("AWS_", "POSTGRES_", "NGINX_", "PYTHON")  # what boto3, PostgreSQL, nginx and Python read themselves


def variables_of_the_code() -> set[str]:
    """Return every variable of the environment that a module of the five packages reads."""
    found = set()
    for package in ("config", "accounts", "pooling", "assess", "metrics"):
        for path in (ROOT / package).rglob("*.py"):
            found |= set(READ.findall(path.read_text()))
    return found


def test_the_readme_lists_the_variables_that_the_code_reads_and_no_other() -> None:
    assert sorted(TABLE) == sorted(variables_of_the_code())


def test_every_variable_is_found_however_it_is_read() -> None:
    assert {"DATABASE_URL", "JURYPOOL_DATA", "JURYPOOL_BIND", "EMAIL_URL"} <= variables_of_the_code()


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def variables_of_unit(name: str) -> set[str]:
    return set(re.findall(r"^Environment=(\w+)=", (DEPLOY / name).read_text(), re.MULTILINE))


def named_in_the_files() -> dict[str, set[str]]:
    services = compose()["services"].values()
    docker = re.findall(r"\b([A-Z_0-9]+)=", (DEPLOY / "Dockerfile").read_text())
    return {
        "jurypool.service": variables_of_unit("jurypool.service"),
        "jurypool-worker.service": variables_of_unit("jurypool-worker.service"),
        "compose.yaml": {name for service in services for name in service.get("environment", {})},
        "Dockerfile": set(docker),
    }


@pytest.mark.parametrize(
    "file", ["jurypool.service", "jurypool-worker.service", "compose.yaml", "Dockerfile"]
)
def test_every_variable_that_is_set_is_one_that_somebody_reads(file: str) -> None:
    named = {name for name in named_in_the_files()[file] if not name.startswith(OTHERS)}
    assert named
    assert named - variables_of_the_code() - {"UPSTREAM"} == set()


def test_the_compose_file_is_one_by_the_specification(tmp_path: Path) -> None:
    told = (DEPLOY / "compose.yaml").read_text()
    slip = tmp_path / "compose.yaml"
    slip.write_text(told.replace("depends_on:", "depend_on:"))
    assert (checked(DEPLOY / "compose.yaml"), checked(slip)) == (0, 1)


def checked(file: Path) -> int:
    """Return 0 for a file that the schema of the Compose specification allows; the checker carries it."""
    program = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    return subprocess.run([*program, file], capture_output=True).returncode


def test_the_services_know_each_other_and_their_volumes() -> None:
    told = compose()
    for name, service in told["services"].items():
        assert set(service.get("depends_on", {})) <= told["services"].keys(), name
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert source.startswith("./") or source in told["volumes"], volume
    assert (DEPLOY / told["services"]["web"]["build"]["context"]).resolve() == ROOT
    for name in ("prepare", "worker"):
        assert told["services"][name]["environment"] == told["services"]["web"]["environment"]


def test_the_image_takes_all_that_runs_and_nothing_that_is_not_there() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert {name for name in names if not (ROOT / name).exists()} == set()
    assert names >= {
        "manage.py",
        "accounts",
        "config",
        "jurypool",
        "pooling",
        "assess",
        "metrics",
        "templates",
        "static",
    }


def test_the_images_have_versions_and_their_services_health_checks_and_no_root() -> None:
    services = compose()["services"]
    docker = (DEPLOY / "Dockerfile").read_text()
    images = list(dict.fromkeys(re.findall(r"^FROM (\S+)", docker, re.MULTILINE)))
    images += [service["image"] for service in services.values() if "build" not in service]
    assert len(images) == 3
    assert [image for image in images if not re.search(r":\d+\.\d+(\.\d+)?(-[a-z-]+)?$", image)] == []
    assert re.search(r"^USER jurypool$", docker, re.MULTILINE) and not re.search(r"\broot\b", docker)
    without = {name for name, service in services.items() if "healthcheck" not in service}
    assert without == {"prepare", "worker"}  # one ends; the other's end is its restart


SECRETS = ("config/deploy/.env", "config/deploy/certificates/privkey.pem", "secret-key", "jurypool.sqlite3")


@pytest.mark.parametrize("path", SECRETS)
def test_a_secret_is_not_copied_into_the_image(path: str) -> None:
    patterns = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    assert any(is_ignored(path, pattern.removeprefix("/")) for pattern in patterns), patterns


def is_ignored(path: str, pattern: str) -> bool:
    """Docker's rule, as far as the file uses it: a pattern matches the path or a folder above it."""
    places = [path, *map(str, PurePosixPath(path).parents)]
    shapes = [pattern, pattern.removeprefix("**/")]
    return any(fnmatchcase(place, shape) for place in places for shape in shapes)


def test_what_the_image_needs_is_not_ignored() -> None:
    patterns = (DEPLOY / "Dockerfile.dockerignore").read_text().split()
    for path in ("config/settings.py", "config/deploy/compose.yaml", "static/css/jurypool.css"):
        assert not any(is_ignored(path, pattern.removeprefix("/")) for pattern in patterns), path


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="no systemd on this machine")
def test_systemd_takes_the_units(tmp_path: Path) -> None:
    home = tmp_path / "srv"
    for name in ("python", "gunicorn"):
        program = home / ".venv/bin" / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)
    units = [tmp_path / path.name for path in DEPLOY.glob("*.service")]
    for unit in units:
        unit.write_text((DEPLOY / unit.name).read_text().replace("/srv/jurypool", str(home)))
    assert len(units) == 2
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True)
    ours = [line for line in done.stderr.splitlines() if "jurypool" in line]
    assert (done.returncode, ours) == (0, []), done.stderr


def manage(folder: Path, *words: str, secrets: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `jurypool-manage` with a unit of this user and a file of secrets."""
    user = getpass.getuser()
    (folder / "jurypool.service").write_text(f"User={user}\nEnvironment=JURYPOOL_DATA={folder / 'data'}\n")
    (folder / "jurypool.env").write_text(secrets)
    places = {"JURYPOOL_UNIT": f"{folder}/jurypool.service", "JURYPOOL_SECRETS": f"{folder}/jurypool.env"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder)} | places | variables
    program = [str(DEPLOY / "jurypool-manage"), *words]
    return subprocess.run(program, env=environment, cwd=folder, capture_output=True, text=True)


@pytest.mark.slow
def test_a_command_by_hand_has_the_settings_of_the_service(tmp_path: Path) -> None:
    data = tmp_path / "a $b&c"
    secrets = f"# a comment\n\nJURYPOOL_DATA='{data}'\nJURYPOOL_HOSTS=pool.test\n"
    where = f"database {data}/jurypool.sqlite3, data folder {data}"
    done = manage(tmp_path, "backup", "monday.zip", secrets=secrets)
    assert done.returncode == 1 and f"has not the tables of this version ({where})" in done.stderr
    shutil.copy(prepared() / "jurypool.sqlite3", data)  # whose migrations take long
    assert manage(tmp_path, "migrate", "--check", secrets=secrets).returncode == 0
    done = manage(tmp_path, "backup", "monday.zip", secrets=secrets)
    assert done.returncode == 1
    assert f"There is nothing to back up: no account, no campaign ({where})." in done.stderr
    assert not (tmp_path / "monday.zip").exists()
    assert where in manage(tmp_path, "audit", "--all", secrets=secrets).stdout
    other = manage(tmp_path, "audit", "--all", secrets=secrets, JURYPOOL_DATA=f"{tmp_path}/other")
    assert f"{tmp_path}/other" in other.stderr


def test_a_command_by_hand_without_the_unit_stops(tmp_path: Path) -> None:
    done = manage(tmp_path, "audit", "--all", secrets="", JURYPOOL_UNIT=str(tmp_path / "none"))
    assert (done.returncode, "cannot read" in done.stderr) == (1, True)


def test_a_command_by_hand_of_an_installed_wheel_finds_its_program(tmp_path: Path) -> None:
    """As cron of Debian calls it, which looks for programs in /usr/bin and /bin alone."""
    environment = tmp_path / "srv/.venv"
    place = environment / "lib/python3.11/site-packages/config/deploy"
    place.mkdir(parents=True)
    (environment / "bin").mkdir()
    program = environment / "bin/jurypool"
    program.write_text('#!/bin/sh\necho "$JURYPOOL_HOSTS:$@:$PATH"\n')
    program.chmod(0o755)
    shutil.copy(DEPLOY / "jurypool-manage", place)
    (tmp_path / "link").symlink_to(place / "jurypool-manage")
    (tmp_path / "unit").write_text(f"User={getpass.getuser()}\nEnvironment=JURYPOOL_HOSTS=pool.test\n")
    variables = {"JURYPOOL_UNIT": f"{tmp_path}/unit", "JURYPOOL_SECRETS": f"{tmp_path}/none"}
    done = subprocess.run(
        [tmp_path / "link", "audit", "--all"],
        env={"PATH": "/usr/bin:/bin"} | variables,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "pool.test:manage audit --all:/usr/bin:/bin:/usr/sbin:/sbin\n", done.stderr
