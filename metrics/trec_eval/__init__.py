"""trec_eval's names of measures, its options and its output: `python -m metrics.trec_eval`."""
