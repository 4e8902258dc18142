"""Build the files of a release from the last commit: `make release`.

dist/ gets a wheel, an sdist and SHA256SUMS. The same commit gives the same bytes: times are that of the
commit, and owners, modes and the order of files do not depend on the machine.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import io
import os
import platform
import shutil
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
BUILD = "import sys; from setuptools import build_meta as build; getattr(build, sys.argv[1])(sys.argv[2])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--add", type=Path, action="append", default=[],
        help="a folder of the checkout that is built, not in git, and belongs to the packages",
    )  # fmt: skip
    added = parser.parse_args().add
    os.umask(0o022)  # of the files that setuptools writes
    commit, time = output("git", "log", "-1", "--format=%H %ct").split()
    if changed := output("git", "status", "--porcelain"):
        print(f"Not in the release, because it is not committed:\n{changed}", file=sys.stderr)
    target = ROOT / "dist"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir()
    with TemporaryDirectory() as folder:
        source = Path(folder) / "source"
        unpack_commit(source)
        for path in added:
            shutil.copytree(path, source / path.resolve().relative_to(ROOT), dirs_exist_ok=True)
        for what in ("build_wheel", "build_sdist"):
            build(what, source, target, time)
    (sdist,) = target.glob("*.tar.gz")
    normalise(sdist, int(time))
    write_sums(target)
    print(f"commit {commit}, Python {platform.python_version()}, setuptools {version('setuptools')}")


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def unpack_commit(folder: Path) -> None:
    """Write the files of the last commit, so that neither a secret nor a change is packed."""
    command = ["git", "-c", "tar.umask=0022", "archive", "HEAD"]
    archive = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        # Python 3.11.2, which Debian 12 has, knows no filter of extractall
        files.extraction_filter = getattr(tarfile, "data_filter", None)
        files.extractall(folder)


def build(what: str, source: Path, target: Path, time: str) -> None:
    """Build as `pip` and `build` do, without asking the network for setuptools."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": time}
    command = [sys.executable, "-c", BUILD, what, str(target)]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def normalise(sdist: Path, time: int) -> None:
    """Write an sdist again with sorted members, without an owner, and with the time of the commit.

    setuptools heeds SOURCE_DATE_EPOCH for wheels only.
    """
    content = io.BytesIO(sdist.read_bytes())
    with (
        tarfile.open(fileobj=content) as old,
        sdist.open("wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.pax_headers = {}
            new.addfile(member, old.extractfile(member) if member.isfile() else None)


def write_sums(target: Path) -> None:
    """Write SHA256SUMS, which `sha256sum --check` reads, and print it with the sizes."""
    files = sorted(target.iterdir())
    sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    (target / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in sums.items()))
    for file in files:
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1e6:.1f} MB  {sums[file.name]}")


if __name__ == "__main__":
    main()
