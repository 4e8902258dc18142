"""Answer runs: generated answers with citations, submitted like runs."""
