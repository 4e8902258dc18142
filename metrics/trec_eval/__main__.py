"""`python -m metrics.trec_eval [flags] QRELS RUN [RUN...]`; `--help` lists the flags."""

from __future__ import annotations

import io
import sys

from metrics.trec_eval.cli import main

if __name__ == "__main__":
    if isinstance(sys.stdout, io.TextIOWrapper):  # the same bytes on every machine
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    sys.exit(main())
