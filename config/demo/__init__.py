"""The demonstration campaign: real retrieval over the documentation of the Python standard library."""
