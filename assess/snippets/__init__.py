"""Snippets of results as a result page shows them, graded before the document behind them."""
