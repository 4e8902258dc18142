"""`python -m pooling.pool`: the name under which `pooling.cli` is called."""

from __future__ import annotations

import sys

from pooling.cli import main

if __name__ == "__main__":
    sys.exit(main())
