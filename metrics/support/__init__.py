"""The results of citation support."""
