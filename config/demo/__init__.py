"""The demonstration campaign, shipped as data."""
