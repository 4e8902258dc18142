"""The quality of a pool: size, coverage, contributions of runs, saturation and a verdict."""
