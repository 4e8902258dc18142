"""The package: what is built from the checkout works where nothing but the wheel is installed."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import IO
from urllib.parse import urljoin, urlsplit

import pytest
import requests

from pooling.version import VERSION
from tests.support.postgres import free_port

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("accounts", "assess", "config", "jurypool", "metrics", "pooling", "static", "templates")
SECRETS = ("config/deploy/certificates/privkey.pem", "config/deploy/.env", "var/secret-key")
BUILT_PAGE = "config/web_root/docs/how-to/index.html"
BUILD = "import sys; from setuptools import build_meta as build; getattr(build, sys.argv[1])(sys.argv[2])"


def setuptools_builds_wheels() -> bool:
    try:
        return int(version("setuptools").split(".")[0]) >= 77
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(
    not setuptools_builds_wheels(), reason="setuptools 77 or newer is not here: tests/requirements.txt has it"
)


def tracked() -> list[str]:
    """Return the files of the checkout that are in the repository, or will be."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


def build(what: str, source: Path, target: Path) -> Path:
    """Build a wheel or an sdist as `pip` and `build` do, without asking the network for setuptools."""
    target.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", BUILD, what, str(target)], cwd=source, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (built,) = target.iterdir()
    return built


class Built:
    """What was built: an sdist and a wheel of a checkout with secrets in it, and a wheel of the unpacked one,
    which is installed in a virtual environment that sees the libraries of the tests."""

    def __init__(self, folder: Path) -> None:
        checkout, unpacked = folder / "checkout", folder / "unpacked"
        for name in tracked():
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, checkout / name)
        for name in SECRETS:
            (checkout / name).parent.mkdir(parents=True, exist_ok=True)
            (checkout / name).write_text("secret")
        (checkout / BUILT_PAGE).parent.mkdir(parents=True)
        (checkout / BUILT_PAGE).write_text("built by make docs")
        self.sdist = build("build_sdist", checkout, folder / "sdist")
        self.direct = build("build_wheel", checkout, folder / "direct")
        with tarfile.open(self.sdist) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(unpacked)
        (source,) = unpacked.iterdir()
        self.wheel = build("build_wheel", source, folder / "wheel")
        self.elsewhere = folder / "elsewhere"
        self.elsewhere.mkdir()
        venv.create(folder / "venv", symlinks=True)
        self.bin = folder / "venv" / "bin"
        self.run(sys.executable, "-m", "pip", "--python", str(self.bin / "python"), "install", "--quiet",
                 "--no-deps", "--no-index", "--disable-pip-version-check", str(self.wheel))  # fmt: skip
        self.site = Path(
            self.run(self.bin / "python", "-c", "import sysconfig as s; print(s.get_path('purelib'))")
        )
        (self.site / "libraries.pth").write_text(sysconfig.get_path("purelib") + "\n")

    def run(self, *words: str | Path) -> str:
        """Return what a command prints in another folder than the checkout."""
        done = subprocess.run(
            [str(word) for word in words],
            cwd=self.elsewhere,
            env=without_python_path(),
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


def without_python_path() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("package"))


def test_the_wheel_drops_no_file_of_the_site(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        inside = set(wheel.namelist())
    shipped = {name for name in tracked() if name.startswith(tuple(f"{folder}/" for folder in SHIPPED))}
    wanted = {name for name in shipped if not Path(name).name.startswith(".")}  # linters' configuration
    assert {*wanted, BUILT_PAGE} - inside == set()
    assert {name.split("/")[0] for name in inside} == {*SHIPPED, f"jurypool-{VERSION}.dist-info"}


def test_no_secret_of_a_checkout_is_packed(built: Built) -> None:
    with zipfile.ZipFile(built.direct) as wheel, tarfile.open(built.sdist) as sdist:
        inside = [*wheel.namelist(), *sdist.getnames()]
    assert [name for name in inside if name.endswith(SECRETS)] == []


def test_a_release_is_unpacked_by_the_python_of_debian_12(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python 3.11.2 has tarfile without filters."""
    monkeypatch.delattr(tarfile, "data_filter")
    unpack = tarfile.TarFile.extractall
    monkeypatch.setattr(tarfile.TarFile, "extractall", lambda archive, path: unpack(archive, path))
    place = importlib.util.spec_from_file_location("release", ROOT / ".ci/release.py")
    assert place and place.loader
    release = importlib.util.module_from_spec(place)
    place.loader.exec_module(release)
    release.unpack_commit(tmp_path)
    modes = {path.stat().st_mode & 0o777 for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {0o644, 0o755}


def test_the_package_needs_numpy_alone_and_names_its_extras(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as wheel:
        metadata = wheel.read(f"jurypool-{VERSION}.dist-info/METADATA").decode()
    needed = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    assert [line for line in needed if "extra ==" not in line] == ["numpy"]
    assert {'scipy; extra == "stats"', 'django~=5.2.0; extra == "server"'} <= {*needed}
    assert re.findall(r"^Provides-Extra: (.*)$", metadata, re.MULTILINE) == ["stats", "plot", "server", "s3"]
    assert f"\nVersion: {VERSION}\n" in metadata and "\nRequires-Python: >=3.11\n" in metadata


def test_the_types_of_an_installed_jurypool_are_known(built: Built) -> None:
    code = "import jurypool as jp; reveal_type(jp.agreement({}, 'fleiss')); reveal_type(jp.compare)"
    python = str(built.bin / "python")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--python-executable",
        python,
        "--follow-imports=silent",
        "-c",
        code,
    ]
    found = built.run(*command)
    assert "assess.kappa.coefficient.Coefficient" in found and "metrics." in found, found


def test_an_installed_jurypool_scores_files_and_objects(built: Built) -> None:
    (built.elsewhere / "mine.run").write_text("7 Q0 D1 1 2.0 mine\n7 Q0 D2 2 1.0 mine\n")
    (built.elsewhere / "some.qrels").write_text("7 0 D2 1\n")
    table = built.run(
        built.bin / "jurypool", "evaluate", "--qrels", "some.qrels", "--measures", "AP", "mine.run"
    )
    assert "mine.run  0.5000" in table
    assert built.run(built.bin / "jurypool", "--version") == f"jurypool {VERSION}"
    score = "jp.evaluate('mine.run', {'7': {'D2': 1}}, 'AP')['AP'].mean"
    code = f"import jurypool as jp; print(jp.__file__, {score})"
    assert built.run(built.bin / "python", "-c", code) == f"{built.site}/jurypool/__init__.py 0.5"


@contextmanager
def started(built: Built, data: Path) -> Iterator[IO[str]]:
    """Start the installed `jurypool` in a folder that is not the checkout; yield what it prints."""
    program, port = str(built.bin / "jurypool"), str(free_port())
    command = [program, "--no-browser", "--port", port, "--data", str(data)]
    environment = without_python_path() | {"DATABASE_URL": ""}
    with subprocess.Popen(
        command, cwd=built.elsewhere, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        try:
            yield process.stdout
        finally:
            process.terminate()
    assert process.returncode == 0


@pytest.mark.slow
def test_an_installed_jurypool_starts_with_a_link_for_the_first_account(built: Built, tmp_path: Path) -> None:
    browser = requests.Session()
    with started(built, tmp_path / "data") as printed:
        link = next(line.strip() for line in printed if "/first-organiser/" in line)
        page = browser.get(link, timeout=60)
        assert page.status_code == 200 and "First account" in page.text
        (sheet,) = re.findall(r'href="(/static/css/[^"]+)"', page.text)
        assert browser.get(urljoin(link, sheet), timeout=60).status_code == 200
        answers = {"username": "olga", "name": "Olga", "password": "battery staple 9"}
        token = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
        campaigns = browser.post(link, answers | token, timeout=60)
        assert campaigns.status_code == 200 and f"Jurypool {VERSION}" in campaigns.text
        assert urlsplit(campaigns.url).path == "/campaigns/"


def test_an_installed_jurypool_keeps_its_data_in_the_home_of_its_user(
    built: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JURYPOOL_DATA", raising=False)
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    code = "from config import settings; print(settings.DATA_DIR)"
    assert built.run(built.bin / "python", "-c", code) == f"{tmp_path}/.local/share/jurypool"
    assert not (built.site / "var").exists()
