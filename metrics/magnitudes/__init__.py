"""The results of magnitudes."""
