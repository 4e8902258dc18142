"""The pages of scores, quality and comparisons, one module per noun."""
