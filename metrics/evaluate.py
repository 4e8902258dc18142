"""`python -m metrics.evaluate`: the name under which `metrics.cli` is called."""

from __future__ import annotations

import sys

from metrics.cli import main

if __name__ == "__main__":
    sys.exit(main())
