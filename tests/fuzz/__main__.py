"""Let atheris loose on every reader of tests/fuzz/readers.py for a while each; exit with 1 where one fails.

What each has reached is kept in var/fuzz, where the next start goes on; an input that broke a reader is there
too: put it into tests/fuzz/found, where tests/fuzz/test_readers.py asks it again for ever.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path

import django

KEPT = Path(__file__).resolve().parents[2] / "var/fuzz"
MEMORY = 1024  # MB
LONGEST = 1 << 16  # bytes of an input


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="of each reader (%(default)s)")
    parser.add_argument("readers", nargs="*", help="names in tests/fuzz/readers.py; all if none is given")
    return parser.parse_args()


def fuzz(name: str, seeds: list[bytes], seconds: int) -> tuple[int, str]:
    """Return how many inputs were tried, and what the last lines said where one broke the reader."""
    from tests.fuzz.readers import folder_of

    place = KEPT / folder_of(name)
    corpus = place / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        (corpus / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)
    done = subprocess.run(
        [
            sys.executable, "-m", "tests.fuzz.one", name, f"-max_total_time={seconds}", "-timeout=20",
            f"-rss_limit_mb={MEMORY}", f"-max_len={LONGEST}", "-print_final_stats=1", "-close_fd_mask=1",
            f"-artifact_prefix={place}/", str(corpus),
        ],
        capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    tried = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    return int(tried[1]) if tried else 0, done.stderr[-3000:] if done.returncode else ""


def main() -> int:
    asked = options()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from tests.fuzz.readers import READERS

    broken = 0
    for name in asked.readers or READERS:
        tried, why = fuzz(name, list(READERS[name].seeds), asked.seconds)
        print(
            f"{name:22} {asked.seconds:4} s  {tried:>10,} inputs  {'BROKEN' if why else 'whole'}", flush=True
        )
        if why:
            broken += 1
            print(why, file=sys.stderr, flush=True)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
