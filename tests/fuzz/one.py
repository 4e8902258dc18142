"""`python -m tests.fuzz.one READER [libFuzzer's options] [folders]`: fuzz one reader until it fails."""

from __future__ import annotations

import os
import sys
import traceback

import atheris
import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
with atheris.instrument_imports(include=["pooling", "assess", "metrics", "config", "yaml", "warcio"]):
    django.setup()
    from tests.fuzz.readers import READERS, check_storable


def main(name: str, *options: str) -> None:
    reader = READERS[name]

    def ask(content: bytes) -> None:
        try:
            check_storable(reader.read(content))
        except reader.refuses as error:
            assert 0 < len(str(error)) < 20_000, "a refusal says why, in no more words than anybody reads"
        except BaseException:
            traceback.print_exc()  # libFuzzer's own account goes where warcio's warnings go
            raise

    atheris.Setup([sys.argv[0], *options], ask)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])
